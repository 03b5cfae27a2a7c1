"""The regions that the program names."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.procedures import opening_and_closing_procedures
from rankwise.analysis.regions import WHOLE_PROGRAM, Region, regions
from rankwise.analysis.totals import opening_and_closing
from rankwise.report.empty import NO_REGIONS
from rankwise.report.totals_columns import CALLS, OF_MPI, OF_RUN, SENT, TIME, apart_line, share_of_mpi
from rankwise.report.view import COUNT, SECONDS, Column, Detail, Table, View, label, number


def region_name(row: Region) -> str:
    """Return the region's name; the calls of the whole program's row lie outside every named region."""
    return "(outside)" if row.region == WHOLE_PROGRAM else row.name


_COLUMNS: list[Column[Region]] = [
    label("region", region_name, "name that the program gives it; (outside): not in any region"),
    number("entries", lambda row: row.entries, COUNT, "over the ranks", obvious=True),
    # (Not to be added up: what is inside of a nested region is inside of the outer one, too.)
    Column(
        "inside",
        lambda row: row.wall_seconds,
        SECONDS,
        "wall time over the ranks, nested regions included. MPI calls made in a nested region count there"
        " only",
    ),
    CALLS,
    SENT,
    TIME,
    OF_MPI,
    OF_RUN,
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row a region, if the program names any."""
    rows = regions(connection)
    used = [row for row in rows if row.region == WHOLE_PROGRAM or row.entries or row.totals.calls]
    shown = used if any(row.region != WHOLE_PROGRAM for row in used) else []
    apart = apart_line(_COLUMNS, opening_and_closing(connection)) if shown else []
    most = next((row for row in shown if row.region != WHOLE_PROGRAM), None)
    return View(
        share_of_mpi(most.name, most.totals) if most else "",
        [Table(_COLUMNS, shown, NO_REGIONS, apart=apart)],
        {"regions": rows, "opening_and_closing": opening_and_closing_procedures(connection)},
    )
