"""What tuning needs to know of the run that a profile is of."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankwise.commands.messages import say
from rankwise.errors import RankwiseError
from rankwise.version import __version__

if TYPE_CHECKING:
    from rankwise.tuning.settings.model import About

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


def whole_runs(connection: sqlite3.Connection) -> Times:
    """Return how long the run took."""
    from rankwise.analysis.totals import RUN_SECONDS

    seconds, ranks = connection.execute(f"SELECT SUM({RUN_SECONDS}), COUNT(*) FROM ranks").fetchone()
    (wall,) = connection.execute("SELECT wall FROM run").fetchone()
    return Times(wall, seconds or 0.0, ranks)


def about(connection: sqlite3.Connection, path: Path) -> About:
    """Return the header of settings that are found from a profile; say what speaks against it.

    Args:
        connection: to the profile.
        path: of it.

    Raises:
        RankwiseError: its run failed.
    """
    from rankwise.analysis.overview import run_facts, trust
    from rankwise.report.trust_lines import partial_line
    from rankwise.tuning.settings.model import About

    facts, trusted = run_facts(connection), trust(connection)
    if facts.exit_status:
        raise RankwiseError(
            f"{path} is of a run that ended with status {facts.exit_status}: "
            "make the program run to its end first"
        )
    if not trusted.complete:
        say(partial_line(trusted))
    hosts = connection.execute("SELECT DISTINCT host FROM ranks ORDER BY host").fetchall()
    return About(
        __version__,
        datetime.now(timezone.utc).astimezone().isoformat(timespec="seconds"),
        facts.mpi_library,
        facts.mpi_abi,
        tuple(host for (host,) in hosts),
        tuple(facts.command),
    )
