"""What a collective may be compared with in a race, beside other algorithms: calls that do the same.

src/probes/collective/mockups.c carries them out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mockup:
    """Calls in the place of a collective.

    Attributes:
        name: by which the probe knows them, such as Reduce+Bcast; '': the collective itself with
        larger: messages of so many bytes.
    """

    name: str
    larger: int = 0

    @property
    def line(self) -> str:
        """Of the probe's file."""
        return f"mock {self.name}" if self.name else f"larger {self.larger}"
