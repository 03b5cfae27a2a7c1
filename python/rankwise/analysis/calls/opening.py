"""MPI_Init and MPI_Finalize: how long they took, and which rank entered them last."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from rankwise.records import dataclass

OPENING = {
    "MPI_Init": ("MPI_Init", "MPI_Init_thread", "MPI_Session_init"),
    "MPI_Finalize": ("MPI_Finalize", "MPI_Session_finalize"),
}
"""By the name of the most usual call, its kin."""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """MPI_Init or MPI_Finalize.

    Attributes:
        name: MPI_Init or MPI_Finalize.
        seconds: in it and its kin, over the ranks.
        mean_seconds: of the ranks that came out of it.
        longest_rank: with the most of it.
        longest_seconds: of that rank.
        last_rank: that entered it last; None = not known: the clocks of the nodes were not compared.
        spread_seconds: from the first that entered it to the last.
        waiting_seconds: from each one's entering it to the last one's, over the ranks.
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
    """Return how long MPI_Init or MPI_Finalize took; None where no rank came out of it.

    Args:
        connection: to the profile.
        name: a key of `OPENING`.
    """
    marks = ", ".join("?" * len(OPENING[name]))
    took: dict[int, float] = dict(
        connection.execute(
            "SELECT rank, SUM(seconds) FROM calls WHERE procedure IN"
            f" (SELECT id FROM procedures WHERE name IN ({marks})) AND unfinished = 0 GROUP BY rank",
            OPENING[name],
        ).fetchall()
    )
    if not took:
        return None
    longest = max(took, key=lambda rank: (took[rank], -rank))
    entered = _entered(connection, name, took)
    last = max(entered, key=lambda rank: (entered[rank], -rank), default=None)
    latest = max(entered.values(), default=0.0)
    return Opening(
        name=name,
        seconds=sum(took.values()),
        mean_seconds=sum(took.values()) / len(took),
        longest_rank=longest,
        longest_seconds=took[longest],
        last_rank=last,
        spread_seconds=latest - min(entered.values(), default=0.0),
        waiting_seconds=sum(min(latest - at, took[rank]) for rank, at in entered.items()),
    )


def _entered(connection: sqlite3.Connection, name: str, took: dict[int, float]) -> dict[int, float]:
    """Return when ranks entered it, by the clock of rank 0's node; empty where clocks were not compared."""
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
