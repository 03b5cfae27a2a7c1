"""The regions that the program names, their nesting, and the MPI calls in each.

Inclusive times contain the times of nested regions, exclusive times do not.
Neither contains MPI_Init and MPI_Finalize.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from rankwise.analysis.calls.totals import Totals, totals_by
from rankwise.analysis.percent import percent
from rankwise.records import dataclass

WHOLE_PROGRAM = 0
OTHER = 4095


@dataclass(frozen=True, kw_only=True)
class Region:
    """A region: a name inside an enclosing region.

    Attributes:
        region: number in the profile; 0 = the whole program.
        ranks: number of ranks that entered it.
        entries: summed over all ranks.
        wall_seconds: inclusive, summed over all ranks.
        totals: of the calls made directly in it (exclusive).
        parent: number of the enclosing region; None = unknown, or the region is 0.
        path: the names from the outermost region to this one, separated by slashes.
        depth: number of enclosing regions.
        exclusive_wall_seconds: summed over all ranks; None = unknown.
        inclusive_mpi_seconds: time in MPI calls, inclusive, summed over all ranks.
        percent_in_mpi: time in MPI in percent of the wall time times the ranks' threads that call MPI, both
            inclusive. None = unknown.
        exclusive_percent_in_mpi: the same, both exclusive.
    """

    region: int
    name: str
    ranks: int
    entries: int
    wall_seconds: float
    totals: Totals
    parent: int | None
    path: str
    depth: int
    exclusive_wall_seconds: float | None
    inclusive_mpi_seconds: float
    percent_in_mpi: float | None
    exclusive_percent_in_mpi: float | None


# MPI_Init and MPI_Finalize: in the whole program's wall time, but not in the calls' times, so subtracted.
_ENDS = f"CASE region WHEN {WHOLE_PROGRAM} THEN COALESCE(init_finalize, 0.0) ELSE 0.0 END"
_NO_TIMES = (0, 0, 0.0, None, None)


def regions(connection: sqlite3.Connection) -> list[Region]:
    """Return every region before its nested regions; siblings with most time in MPI first.

    "Other" is included only if some calls or times had no room elsewhere.
    """
    counts = {key: totals for (key,), totals in totals_by(connection, "region", sums="family_sums")}
    # (Without a join: each of thousands of regions would scan the times of all.)
    times = {
        key: row
        for key, *row in connection.execute(
            f"SELECT region, COUNT(*), COALESCE(SUM(entries), 0), TOTAL(seconds - {_ENDS}),"
            f" SUM(exclusive - {_ENDS}), SUM((exclusive - {_ENDS}) * MAX(threads, 1))"
            " FROM region_times LEFT JOIN ranks ON ranks.rank = region_times.rank GROUP BY region"
        )
    }
    rows = {
        row[0]: (*row, *times.get(row[0], _NO_TIMES))
        for row in connection.execute("SELECT id, name, path, parent FROM regions ORDER BY id")
        if row[0] != OTHER or row[0] in counts or row[0] in times
    }
    parents = {key: row[3] if row[3] in rows and row[3] < key else None for key, row in rows.items()}
    enclosing = {key: parent or WHOLE_PROGRAM for key, parent in parents.items() if key != WHOLE_PROGRAM}
    depths = {WHOLE_PROGRAM: -1}
    for key, parent in enclosing.items():
        depths[key] = depths.get(parent, -1) + 1
    depths[WHOLE_PROGRAM] = 0
    in_mpi = {key: counts.get(key, Totals()).seconds for key in rows}
    exclusive_wall = {key: row[8] for key, row in rows.items()}
    inclusive, inclusive_wall = dict(in_mpi), dict(exclusive_wall)
    for key in reversed(rows):  # nested regions have larger numbers
        parent = enclosing.get(key)
        if parent in rows:
            inclusive[parent] += inclusive[key]
            inclusive_wall[parent] = _sum(inclusive_wall[parent], inclusive_wall[key])
    regions_by_id = {
        key: Region(
            region=key,
            name=name,
            ranks=ranks,
            entries=entries,
            wall_seconds=wall,
            totals=counts.get(key, Totals()),
            parent=parents[key],
            path=path,
            depth=depths[key],
            exclusive_wall_seconds=exclusive,
            inclusive_mpi_seconds=inclusive[key],
            percent_in_mpi=_share(inclusive[key], inclusive_wall[key]),
            exclusive_percent_in_mpi=_share(in_mpi[key], exclusive_wall[key]),
        )
        for key, name, path, _, ranks, entries, wall, exclusive, _ in rows.values()
    }
    return list(_in_order(regions_by_id))


def _sum(first: float | None, second: float | None) -> float | None:
    return first if second is None else second + (first or 0.0)


def _share(mpi: float, wall: float | None) -> float | None:
    return None if wall is None else min(percent(mpi, wall), 100.0)


def _in_order(regions_by_id: Mapping[int, Region]) -> Iterator[Region]:
    nested: dict[int, list[Region]] = {}
    for row in regions_by_id.values():
        nested.setdefault(row.parent or WHOLE_PROGRAM, []).append(row)

    def order(row: Region) -> float:
        return -(row.totals.seconds if row.region == WHOLE_PROGRAM else row.inclusive_mpi_seconds)

    waiting = sorted(nested.get(WHOLE_PROGRAM, ()), key=order, reverse=True)
    while waiting:
        row = waiting.pop()
        yield row
        if row.region != WHOLE_PROGRAM:
            waiting += sorted(nested.get(row.region, ()), key=order, reverse=True)
