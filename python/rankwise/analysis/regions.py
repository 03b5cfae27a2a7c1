"""The regions that the program names, and the MPI calls made in each."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from rankwise.analysis.totals import Totals, totals_by

WHOLE_PROGRAM = 0


@dataclass(frozen=True)
class Region:
    """One region.

    Attributes:
        region: number in the profile; 0 = the whole program.
        ranks: how many entered it.
        entries: summed over the ranks.
        wall_seconds: time inside, nested regions included, summed over the ranks.
        totals: the calls made directly in it: those in a nested region are that region's.
    """

    region: int
    name: str
    ranks: int
    entries: int
    wall_seconds: float
    totals: Totals


def regions(connection: sqlite3.Connection) -> list[Region]:
    """Return every region, most time in MPI first."""
    counts = {key: totals for (key,), totals in totals_by(connection, "region", sums="family_sums")}
    rows = connection.execute(
        "SELECT id, name, COUNT(rank), COALESCE(SUM(entries), 0), TOTAL(seconds)"
        " FROM regions LEFT JOIN region_times ON region_times.region = regions.id"
        " GROUP BY id, name ORDER BY id"
    )
    found = [Region(*(*row, counts.get(row[0], Totals()))) for row in rows]
    return sorted(found, key=lambda row: row.totals.order)
