"""The target of a rule: a cell, or all sizes of messages where the size must not decide.

A rule that divides messages by size is safe only if all processes of a call see the same size. Where MPI
allows different sizes, or the library ignores them, the same algorithm has to serve all sizes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.trials.run import OutOfTime
from rankwise.tuning.cells.cell import Cell, Traits
from rankwise.tuning.racing.racer import Racer
from rankwise.tuning.settings.rule import Algorithm

_NOT_SIGNIFICANT = frozenset({"MPI_Gather", "MPI_Gatherv", "MPI_Scatter", "MPI_Scatterv"})
"""The standard has counts there that are significant only at the root, or only elsewhere."""
_OWN_COUNTS = frozenset({"MPI_Alltoallv", "MPI_Alltoallw"})
_IGNORED_IN_PLACE = frozenset({"MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall"})
_WITHOUT_SIZE = frozenset({"MPI_Barrier", "MPI_Scan", "MPI_Exscan"})


@dataclass(frozen=True)
class Target:
    """The cells that a rule is about.

    Attributes:
        cells: of one collective and size of communicators, the most tunable time first.
        whole: why the rule has to be for messages of all sizes; '' if it is for its only cell.
    """

    cells: tuple[Cell, ...]
    whole: str = ""

    @property
    def first(self) -> Cell:
        """The cell with the most tunable time."""
        return self.cells[0]

    @property
    def procedure(self) -> str:
        """Such as MPI_Allreduce."""
        return self.first.procedure

    @property
    def processes(self) -> int:
        """Of the communicators."""
        return self.first.processes

    @property
    def name(self) -> str:
        """For files."""
        return f"{self.first.name}{'/all' if self.whole else ''}"

    @property
    def low(self) -> int:
        """The smallest message that the rule is for, bytes."""
        return 0 if self.whole else self.first.low

    @property
    def high(self) -> int | None:
        """The largest one; None: all sizes."""
        return None if self.whole else self.first.high

    @property
    def seconds(self) -> float:
        """Time in the calls, summed over the ranks."""
        return sum(cell.seconds for cell in self.cells)

    @property
    def tunable_seconds(self) -> float:
        """The same without the waiting for late ranks."""
        return sum(cell.tunable_seconds for cell in self.cells)

    @property
    def traits(self) -> Traits:
        """The traits of any of the calls."""
        return Traits(
            all(cell.traits.known for cell in self.cells),
            any(cell.traits.not_commutative for cell in self.cells),
            any(cell.traits.rounds for cell in self.cells),
            any(cell.traits.in_place for cell in self.cells),
        )


def targets(cells: Sequence[Cell]) -> list[Target]:
    """Return the targets of possible rules, the most tunable time first."""
    alone: list[Target] = []
    together: dict[tuple[str, int], list[Cell]] = {}
    in_place = {
        (cell.procedure, cell.processes)
        for cell in cells
        if cell.procedure in _IGNORED_IN_PLACE and cell.traits.in_place
    }
    for cell in cells:
        if why_whole(cell.procedure, in_place=(cell.procedure, cell.processes) in in_place):
            together.setdefault((cell.procedure, cell.processes), []).append(cell)
        else:
            alone.append(Target((cell,)))
    for (procedure, processes), group in together.items():
        why = why_whole(procedure, in_place=(procedure, processes) in in_place)
        alone.append(Target(tuple(sorted(group, key=lambda cell: -cell.tunable_seconds)), why))
    return sorted(alone, key=lambda target: (-target.tunable_seconds, target.name))


def why_whole(procedure: str, *, in_place: bool) -> str:
    """Return why a rule of a collective must not depend on sizes; '' if it may.

    Sources: MPI 4.1, sections 6.5 to 6.8 (which arguments are significant where), and the size as Open MPI
    and MPICH compute it.

    Args:
        procedure: such as MPI_Gather.
        in_place: whether a call has used MPI_IN_PLACE, or may have.
    """
    if procedure in _NOT_SIGNIFICANT:
        return "the counts that determine the size are not significant on all processes"
    if procedure in _OWN_COUNTS:
        return "each process has its own counts"
    if procedure in _WITHOUT_SIZE:
        return "the library ignores the size"
    if procedure in _IGNORED_IN_PLACE and in_place:
        return "with MPI_IN_PLACE the counts that determine the size are ignored"
    return ""


class Together:
    """Races algorithms on all cells of a target at once: a time is the mean over the target's calls."""

    def __init__(self, racer: Racer, target: Target, deadline: float = math.inf) -> None:
        """Begin.

        Args:
            racer: runs the cells.
            target: whose cells they are.
            deadline: of time.monotonic(), after which no round begins.
        """
        self.library, self.hosts = racer.library, racer.hosts
        self.overruled, self.relaunches = racer.overruled, racer.relaunches
        self._racer, self._cells, self._deadline = racer, target.cells, deadline

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        """Return the algorithms that the library offers."""
        return self._racer.offered(procedure)

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        """Run rounds on each cell; see Racer.run.

        Raises:
            OutOfTime: the deadline is over.
        """
        del cell
        if time.monotonic() >= self._deadline:
            raise OutOfTime
        calls = sum(target_cell.calls for target_cell in self._cells) or 1
        sums: list[dict[str, float]] = [dict.fromkeys(names, 0.0) for names in rounds]
        for target_cell in self._cells:
            for place, times in enumerate(self._racer.run(target_cell, arms, rounds)):
                for name in list(sums[place]):
                    if name not in times:  # it was rejected
                        del sums[place][name]
                    else:
                        sums[place][name] += times[name] * target_cell.calls / calls
        return sums
