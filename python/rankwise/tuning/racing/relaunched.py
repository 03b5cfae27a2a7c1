"""Races with a launch for each arm of each round, for libraries that choose algorithms when they start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.errors import RankwiseError
from rankwise.tuning.cells.cell import Cell
from rankwise.tuning.libraries import by_version
from rankwise.tuning.racing.arms import DEFAULT
from rankwise.tuning.racing.racer import Unfit
from rankwise.tuning.racing.session import Session
from rankwise.tuning.racing.setup import Setup
from rankwise.tuning.settings.rule import Algorithm


class Relaunched:
    """A Racer."""

    overruled = False
    relaunches = True

    def __init__(self, setup: Setup, library: str, hosts: tuple[str, ...]) -> None:
        """Start nothing yet.

        Args:
            setup: of all launches.
            library: first line of MPI_Get_library_version.
            hosts: names of the nodes, by rank.
        """
        self.library = library
        self.hosts = hosts
        self._tunable = by_version(library)
        self._setup = setup
        self._launches = 0
        self._of_call: dict[Cell, float] = {}
        self._offered: dict[str, tuple[Algorithm, ...]] = {}

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        """See Racer."""
        if procedure not in self._offered:
            launch = self._setup.launch
            self._offered[procedure] = self._tunable.offered_at_launch(
                procedure, launch.launcher, launch.environment
            )
        return self._offered[procedure]

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        """See Racer."""
        times: list[dict[str, float]] = []
        for names in rounds:
            tried = {name: self._try(cell, arms[name]) for name in names}
            if unfit := {name: why for name, why in tried.items() if isinstance(why, str)}:
                raise Unfit(unfit)
            times.append({name: seconds for name, seconds in tried.items() if isinstance(seconds, float)})
        return times

    def _try(self, cell: Cell, algorithm: Algorithm | None) -> float | str:
        """Return the seconds of a call, or why the algorithm can't be used."""
        try:
            return self._time(cell, algorithm)
        except RankwiseError as error:
            if algorithm is None:
                raise
            return str(error)

    def _time(self, cell: Cell, algorithm: Algorithm | None) -> float:
        variables = self._tunable.chosen_at_launch(cell.procedure, algorithm) if algorithm else {}
        setup = self._setup.apart(f"launch-{self._launches}")
        self._launches += 1
        with Session(setup, variables) as session:
            if cell in self._of_call:
                session.known_of_call(cell, self._of_call[cell])
            (times,) = session.run(cell, {DEFAULT: None}, [[DEFAULT]])
            self._of_call.setdefault(cell, session.of_call(cell))
        return times[DEFAULT]
