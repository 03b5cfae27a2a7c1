"""An estimated time. Without numpy."""

from __future__ import annotations

from rankwise.records import dataclass


@dataclass(frozen=True)
class Estimate:
    """Seconds, and their error by sampling (95 %) and by the clocks of the nodes."""

    seconds: float = 0.0
    error_seconds: float = 0.0
