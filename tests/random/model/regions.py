"""Regions and the pause of one process, by the table in docs/explanation/how-it-works.md."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby

WHOLE_PROGRAM = "(whole program)"


@dataclass
class Regions:
    """What MPI_Pcontrol has left of a process."""

    open: list[str] = field(default_factory=list)
    entries: Counter[str] = field(default_factory=lambda: Counter({WHOLE_PROGRAM: 1}))
    paused: bool = False

    @property
    def current(self) -> str:
        """The path of the innermost open region; what is entered right inside itself is one region."""
        return "/".join(name for name, _ in groupby(self.open)) or WHOLE_PROGRAM

    def control(self, level: int, name: str) -> None:
        """MPI_Pcontrol, with a name or ''."""
        if level == 0:
            self.paused = True
        elif level == 1 and self.paused:
            self.paused = False
        elif level == 1 and name:
            self.open.append(name)
            self.entries[self.current] += 1
        elif level == -1 and not name:
            self.open = self.open[:-1]
        elif level == -1 and name in self.open:
            innermost = len(self.open) - 1 - self.open[::-1].index(name)
            self.open = self.open[:innermost]
