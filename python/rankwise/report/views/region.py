"""The regions that the program names."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.counted import opening_and_closing
from rankwise.analysis.procedures import opening_and_closing_procedures
from rankwise.analysis.regions import WHOLE_PROGRAM, Region, regions
from rankwise.report.counted_columns import CALLS, OF_MPI, OF_RUN, SENT, TIME, apart_line, how_to_read
from rankwise.report.empty import NO_REGIONS
from rankwise.report.terminal.tables import TextColumn, label, number
from rankwise.report.terminal.view import Section
from rankwise.report.units import count_text, second_text


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return one row a region, if the program names any."""
    rows = regions(connection)
    named = any(row.region != WHOLE_PROGRAM for row in rows)
    columns: list[TextColumn[Region]] = [
        label("region", region_name),
        number("entries", lambda row: row.entries, count_text),
        number("inside", lambda row: row.wall_seconds, second_text),
        CALLS,
        SENT,
        TIME,
        OF_MPI,
        OF_RUN,
    ]
    caption = (
        "inside: wall time over all ranks, nested regions included. MPI calls made in a nested region"
        f" count there only. {how_to_read(columns)}"
    )
    if not named:
        return [Section(columns, [], NO_REGIONS)]
    apart = apart_line(columns, opening_and_closing(connection))
    return [Section(columns, rows, NO_REGIONS, apart=apart, caption=caption)]


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every region, also the whole program; what opens and closes MPI apart."""
    return {
        "regions": regions(connection),
        "opening_and_closing": opening_and_closing_procedures(connection),
    }


def region_name(row: Region) -> str:
    """Return the region's name; the calls of the whole program's row lie outside every named region."""
    return "(outside)" if row.region == WHOLE_PROGRAM else row.name
