"""A time that is estimated. Without numpy."""

from __future__ import annotations

from rankwise.records import dataclass


@dataclass(frozen=True)
class Estimate:
    """Seconds, and by how much they may be wrong: by the sampling (95 %) and the clocks of the nodes."""

    seconds: float = 0.0
    error_seconds: float = 0.0
