"""The interface for timing the algorithms of a cell, however the library lets one choose them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rankwise.tuning.cells.cell import Cell
from rankwise.tuning.settings.rule import Algorithm


class Unfit(Exception):  # noqa: N818
    """Arms that can't be used, so that nothing was timed: run again without them.

    Attributes:
        why: by name of the arm, the end of a sentence for people: "it fails: ...", "it ends the job: ...".
    """

    def __init__(self, why: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {reason}" for name, reason in why.items()))
        self.why = dict(why)


class Racer(Protocol):
    """Runs calls of a collective with one algorithm after the other.

    Attributes:
        library: first line of MPI_Get_library_version.
        hosts: names of the nodes, by rank.
        overruled: whether a component of the library takes collectives over from the chosen algorithms, so
            that arms ran on communicators without it. Settings must then also disable it, by
            TunableLibrary.not_overruled.
        relaunches: whether each arm of each round is a launch, which takes long.
    """

    library: str
    hosts: tuple[str, ...]
    overruled: bool
    relaunches: bool

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        """Return the algorithms that the installed library offers for a collective; empty: no choice.

        The library's own choice ("ignore", "auto") is not among them.
        """
        ...

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        """Run rounds, and return the seconds of a call of each arm in each round.

        Args:
            cell: to run, in all its groupings; the time is the mean weighted by their shares.
            arms: the algorithms by name; None: the library's own choice, for one arm or several.
            rounds: names of arms, in the order of their runs.

        Raises:
            Unfit: arms can't be used.
            RankwiseError: the job failed.
            trials.run.Interrupted: a signal came.
            trials.run.OutOfTime: the time is over.
        """
        ...
