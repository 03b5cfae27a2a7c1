"""How long each rank was in calls on files."""

from __future__ import annotations

import sqlite3


def file_seconds(connection: sqlite3.Connection) -> dict[int, float]:
    """Return the seconds of each rank in MPI-IO; empty if there was none."""
    found: dict[int, float] = dict(
        connection.execute("SELECT rank, SUM(seconds) FROM file_accesses GROUP BY rank").fetchall()
    )
    if not found:
        return {}
    ranks = [rank for (rank,) in connection.execute("SELECT rank FROM ranks ORDER BY rank")]
    return {rank: found.get(rank, 0.0) for rank in ranks}
