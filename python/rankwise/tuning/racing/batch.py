"""The probe's tasks, and its answers.

src/probes/collective/batch.h and src/probes/collective/tryout.h define both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.racing.mockups import Mockup
from rankwise.tuning.racing.offers import Offers
from rankwise.tuning.racing.racer import Unfit
from rankwise.tuning.settings.rule import Algorithm

WARMUPS = 3

Arm = Algorithm | Mockup | None
"""The collective by an algorithm or by the library's own choice (None), or calls that replace it."""


@dataclass(frozen=True)
class Batch:
    """Rounds of one cell.

    Attributes:
        cell: that is run.
        arms: see Racer.run.
        rounds: see Racer.run.
        repetitions: calls of an arm in a round, whose median counts.
    """

    cell: Cell
    arms: Mapping[str, Arm]
    rounds: Sequence[Sequence[str]]
    repetitions: int

    @property
    def visits(self) -> int:
        """How often an arm is timed."""
        return sum(len(names) for names in self.rounds)

    def text(self, offers: Offers) -> str:
        """Return the probe's file.

        Args:
            offers: how algorithms are chosen.
        """
        procedure = self.cell.procedure
        lines = [
            f"collective {procedure.removeprefix('MPI_')}",
            f"bytes {self.cell.size}",
            f"chosen {'calls' if offers.at_calls else 'communicators'}",
            f"warmups {WARMUPS}",
            f"repetitions {self.repetitions}",
        ]
        for grouping in self.cell.groupings:
            lines += _grouping_lines(grouping)
        for arm in self.arms.values():
            lines.append(f"arm {int(isinstance(arm, Algorithm) and offers.overruled)}")
            if isinstance(arm, Algorithm):
                lines += [f"set {name} {value}" for name, value in offers.settings(procedure, arm)]
            elif arm is not None:
                lines.append(arm.line)
        numbers = {name: number for number, name in enumerate(self.arms)}
        lines += [" ".join(["round", *(str(numbers[name]) for name in names)]) for names in self.rounds]
        return "".join(f"{line}\n" for line in lines)

    def times(self, answer: str) -> list[dict[str, float]]:
        """Return the seconds of a call of each arm in each round.

        Args:
            answer: the probe's file.

        Raises:
            Unfit: arms can't be used.
            RankwiseError: the library's own choice can't be used, or the answer is incomplete.
        """
        names = list(self.arms)
        rejected: dict[str, str] = {}
        times: list[dict[str, float]] = [{} for _ in self.rounds]
        for line in answer.splitlines():
            kind, first, details = line.split(" ", 2)
            if kind == "rejected":
                rejected[names[int(first)]] = details
            else:
                arm, seconds = details.split()
                times[int(first)][names[int(arm)]] = float(seconds)
        for name, why in rejected.items():
            if self.arms[name] is None:
                raise RankwiseError(f"{self.cell.name} with the library's own choice: {why}", 1)
        if rejected:
            raise Unfit(rejected)
        if sum(map(len, times)) < self.visits:
            raise RankwiseError(f"{self.cell.name}: the probe's result is incomplete: is the disk full?", 1)
        return times


def _grouping_lines(grouping: Grouping) -> list[str]:
    return [
        f"grouping {grouping.share:.9g} {grouping.root}",
        *(" ".join(["group", *map(str, group)]) for group in grouping.groups),
        *(f"late {rank} {round(seconds * 1e9)}" for rank, seconds in grouping.late if seconds > 0),
    ]
