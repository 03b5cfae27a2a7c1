"""Calls with the effect of a collective, for comparison with it in a race.

src/probes/collective/mockups.c carries them out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mockup:
    """Calls that replace a collective.

    Attributes:
        name: as the probe calls them, such as Reduce+Bcast; '': the collective itself with `larger` messages.
        larger: bytes of a message.
    """

    name: str
    larger: int = 0

    @property
    def line(self) -> str:
        """Of the probe's file."""
        return f"mock {self.name}" if self.name else f"larger {self.larger}"
