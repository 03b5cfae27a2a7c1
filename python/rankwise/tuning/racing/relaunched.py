"""Races with a launch for each arm of each round: Intel MPI is told its algorithms when it starts."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.probes import mpicc
from rankwise.tuning.cells.cell import Cell
from rankwise.tuning.racing.arms import DEFAULT
from rankwise.tuning.racing.offers import PROCEDURES
from rankwise.tuning.racing.racer import Unfit
from rankwise.tuning.racing.session import Session
from rankwise.tuning.racing.setup import Setup
from rankwise.tuning.settings.rule import Algorithm

_ASKED_SECONDS = 20
_RANGE = re.compile(r"range:\s*0-(\d+)")

# Where the library's own impi_info is not found. Source: I_MPI_ADJUST in the reference of Intel MPI 2021.
_NUMBERS = {
    "MPI_Allgather": 5,
    "MPI_Allgatherv": 4,
    "MPI_Allreduce": 12,
    "MPI_Alltoall": 5,
    "MPI_Alltoallv": 2,
    "MPI_Barrier": 9,
    "MPI_Bcast": 14,
    "MPI_Exscan": 2,
    "MPI_Gather": 3,
    "MPI_Gatherv": 3,
    "MPI_Reduce": 11,
    "MPI_Reduce_scatter": 5,
    "MPI_Reduce_scatter_block": 3,
    "MPI_Scan": 2,
    "MPI_Scatter": 3,
    "MPI_Scatterv": 3,
}


class Relaunched:
    """A Racer for Intel MPI."""

    without_han = False
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
        self._setup = setup
        self._launches = 0
        self._of_call: dict[Cell, float] = {}
        self._offered: dict[str, tuple[Algorithm, ...]] = {}

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        """See Racer. Some of these numbers may be unused; others may lead to the same algorithm."""
        if procedure not in self._offered:
            count = self._presets(procedure) if procedure in PROCEDURES else 0
            self._offered[procedure] = tuple(Algorithm(str(number), number) for number in range(1, count + 1))
        return self._offered[procedure]

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        """See Racer."""
        times: list[dict[str, float]] = []
        for one in rounds:
            tried = {name: self._try(cell, arms[name]) for name in one}
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
        # (The library can be told to fail where it can't take an algorithm; but 2021.18 then fails with any.)
        variables = {_variable(cell.procedure): str(algorithm.number)} if algorithm else {}
        setup = self._setup.apart(f"launch-{self._launches}")
        self._launches += 1
        with Session(setup, variables) as session:
            if cell in self._of_call:
                session.known_of_call(cell, self._of_call[cell])
            (times,) = session.run(cell, {DEFAULT: None}, [[DEFAULT]])
            self._of_call.setdefault(cell, session.of_call(cell))
        return times[DEFAULT]

    def _presets(self, procedure: str) -> int:
        """Return how many algorithms the installed library has, by its own word."""
        launch = self._setup.launch
        launcher = shutil.which(launch.launcher, path=launch.environment.get("PATH"))
        place = Path(launcher).resolve().parent / "impi_info" if launcher else Path("impi_info")
        try:
            words = [str(place), "-v", _variable(procedure)]
            asked = mpicc.call(words, launch.environment, _ASKED_SECONDS)
        except (OSError, subprocess.SubprocessError):
            return _NUMBERS[procedure]
        found = _RANGE.search(asked.stdout)
        return int(found[1]) if found else _NUMBERS[procedure]


def _variable(procedure: str) -> str:
    return f"I_MPI_ADJUST_{procedure.removeprefix('MPI_').upper()}"
