"""How long each rank read and wrote files."""

from __future__ import annotations

import sqlite3


def file_seconds(connection: sqlite3.Connection) -> dict[int, float]:
    """Return the seconds of each rank in calls that read or write; empty if there was none.

    To open and to close a file is a matter of all ranks, which wait for each other there.
    """
    found: dict[int, float] = dict(
        connection.execute(
            "SELECT rank, SUM(seconds) FROM file_accesses JOIN procedures ON procedures.id = procedure"
            " WHERE procedures.name LIKE '%read%' OR procedures.name LIKE '%write%' GROUP BY rank"
        ).fetchall()
    )
    if not found:
        return {}
    ranks = [rank for (rank,) in connection.execute("SELECT rank FROM ranks ORDER BY rank")]
    return {rank: found.get(rank, 0.0) for rank in ranks}
