"""What tuning needs to know about a profile's run."""

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
from rankwise.tuning.tune import worth_racing

LEAST_SHARE = 0.005
"""Share of all ranks' run time below which a cell is not raced."""

_LEAST_LIMIT = 300.0  # seconds, of the first run


class Times(NamedTuple):
    """How long the run took.

    Attributes:
        wall_seconds: of the run.
        rank_seconds: between MPI_Init and MPI_Finalize, summed over the ranks.
        ranks: of the run.
    """

    wall_seconds: float
    rank_seconds: float
    ranks: int

    @property
    def first_limit(self) -> float:
        """Seconds after which the first run counts as hanging."""
        return max(10 * self.wall_seconds + 60, _LEAST_LIMIT)


class Profiled(NamedTuple):
    """What a profile holds for tuning.

    Attributes:
        about: the run.
        everything: the targets of possible rules, the most tunable time first.
        targets: of these, the ones worth a race.
        wall: how long the run took.
    """

    about: About
    everything: list[Target]
    targets: list[Target]
    wall: Times


def profiled(path: Path, most: int) -> Profiled:
    """Read a profile for the tuning of collectives.

    Args:
        path: of the profile.
        most: largest number of targets.

    Raises:
        RankwiseError: it can't be read, or its run failed.
    """
    with opened_profile(path) as connection:
        source, wall = about(connection, path), whole_runs(connection)
        everything = targets(cells(connection))
    return Profiled(source, everything, worth_racing(everything, wall.rank_seconds, LEAST_SHARE, most), wall)


def whole_runs(connection: sqlite3.Connection) -> Times:
    """Return how long the run took."""
    seconds, ranks = connection.execute(f"SELECT SUM({RUN_SECONDS}), COUNT(*) FROM ranks").fetchone()
    (wall,) = connection.execute("SELECT wall FROM run").fetchone()
    return Times(wall, seconds or 0.0, ranks)


def about(connection: sqlite3.Connection, path: Path) -> About:
    """Return the header of settings derived from a profile.

    Args:
        connection: to the profile.
        path: of the profile.

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
