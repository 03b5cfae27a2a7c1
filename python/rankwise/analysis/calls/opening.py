"""MPI_Init and MPI_Finalize: how long they took, and which rank entered them last."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from rankwise.records import dataclass

OPENING = {
    "MPI_Init": ("MPI_Init", "MPI_Init_thread", "MPI_Session_init"),
    "MPI_Finalize": ("MPI_Finalize", "MPI_Session_finalize"),
}
"""Most usual call → all equivalent calls."""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """MPI_Init or MPI_Finalize.

    Attributes:
        name: MPI_Init or MPI_Finalize.
        seconds: in it and its equivalents, summed over all ranks.
        mean_seconds: mean of all ranks that returned from it.
        longest_rank: rank with the most time in it.
        longest_seconds: time of `longest_rank`.
        last_rank: rank that entered it last; None = unknown: the nodes' clocks were not compared.
        spread_seconds: from the first rank's entry to the last rank's.
        waiting_seconds: from each rank's entry to the last rank's, summed over all ranks.
    """

    name: str
    seconds: float
    mean_seconds: float
    longest_rank: int
    longest_seconds: float
    last_rank: int | None
    spread_seconds: float
    waiting_seconds: float


def opening(connection: sqlite3.Connection, name: str) -> Opening | None:
    """Return how long MPI_Init or MPI_Finalize took; None if no rank returned from it.

    Args:
        connection: to the profile.
        name: a key of `OPENING`.
    """
    marks = ", ".join("?" * len(OPENING[name]))
    seconds_of_rank: dict[int, float] = dict(
        connection.execute(
            "SELECT rank, SUM(seconds) FROM calls WHERE procedure IN"
            f" (SELECT id FROM procedures WHERE name IN ({marks})) AND unfinished = 0 GROUP BY rank",
            OPENING[name],
        ).fetchall()
    )
    if not seconds_of_rank:
        return None
    longest = max(seconds_of_rank, key=lambda rank: (seconds_of_rank[rank], -rank))
    entered = _entered(connection, name, seconds_of_rank)
    last = max(entered, key=lambda rank: (entered[rank], -rank), default=None)
    latest = max(entered.values(), default=0.0)
    return Opening(
        name=name,
        seconds=sum(seconds_of_rank.values()),
        mean_seconds=sum(seconds_of_rank.values()) / len(seconds_of_rank),
        longest_rank=longest,
        longest_seconds=seconds_of_rank[longest],
        last_rank=last,
        spread_seconds=latest - min(entered.values(), default=0.0),
        waiting_seconds=sum(min(latest - at, seconds_of_rank[rank]) for rank, at in entered.items()),
    )


def _entered(connection: sqlite3.Connection, name: str, took: dict[int, float]) -> dict[int, float]:
    """Return when ranks entered it, by the clock of rank 0's node; empty if clocks were not compared."""
    (hosts,) = connection.execute("SELECT COUNT(DISTINCT host) FROM main.ranks").fetchone()
    times = {}
    for rank, started, wall, offset in connection.execute(
        "SELECT rank, started, wall, clock_offset FROM main.ranks"
    ):
        if hosts > 1 and offset is None:
            return {}
        if rank in took:
            begin = datetime.fromisoformat(started).timestamp() - (offset or 0.0)
            times[rank] = begin if name == "MPI_Init" else begin + wall - took[rank]
    return times
