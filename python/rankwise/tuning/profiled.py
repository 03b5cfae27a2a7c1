"""What tuning needs to know of the run that a profile is of."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from rankwise.analysis.calls.totals import RUN_SECONDS
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.overview import run_facts
from rankwise.errors import RankwiseError
from rankwise.tuning.cells.find import cells
from rankwise.tuning.settings.model import About
from rankwise.tuning.target import Target, targets
from rankwise.tuning.tune import worth

LEAST_SHARE = 0.005
"""Of the run time of all ranks: cells with less are not worth a race."""

_LEAST_LIMIT = 300.0  # seconds, of the first run


class Times(NamedTuple):
    """How long the run took.

    Attributes:
        wall_seconds: of the run.
        rank_seconds: between MPI_Init and MPI_Finalize, over the ranks.
        ranks: of the run.
    """

    wall_seconds: float
    rank_seconds: float
    ranks: int

    @property
    def first_limit(self) -> float:
        """Seconds after which the first run is taken to hang."""
        return max(10 * self.wall_seconds + 60, _LEAST_LIMIT)


class Profiled(NamedTuple):
    """What a profile tells.

    Attributes:
        about: the run.
        everything: that rules may be about, the most tunable time first.
        targets: of it, what is worth a race.
        wall: how long the run took.
    """

    about: About
    everything: list[Target]
    targets: list[Target]
    wall: Times


def profiled(path: Path, most: int) -> Profiled:
    """Read a profile for the tuning of collectives.

    Args:
        path: of it.
        most: targets.

    Raises:
        RankwiseError: it can't be read, or its run failed.
    """
    with opened_profile(path) as connection:
        source, wall = about(connection, path), whole_runs(connection)
        found = targets(cells(connection))
    return Profiled(source, found, worth(found, wall.rank_seconds, LEAST_SHARE, most), wall)


def whole_runs(connection: sqlite3.Connection) -> Times:
    """Return how long the run took."""
    seconds, ranks = connection.execute(f"SELECT SUM({RUN_SECONDS}), COUNT(*) FROM ranks").fetchone()
    (wall,) = connection.execute("SELECT wall FROM run").fetchone()
    return Times(wall, seconds or 0.0, ranks)


def about(connection: sqlite3.Connection, path: Path) -> About:
    """Return the header of settings that are found from a profile.

    Args:
        connection: to the profile.
        path: of it.

    Raises:
        RankwiseError: its run failed.
    """
    facts = run_facts(connection)
    if facts.exit_status:
        raise RankwiseError(
            f"{path} is of a run that ended with status {facts.exit_status}: fix the program first"
        )
    hosts = connection.execute("SELECT DISTINCT host FROM ranks ORDER BY host").fetchall()
    return About.of_now(facts.mpi_library, facts.mpi_abi, [host for (host,) in hosts], facts.command)
