"""The regions that the program names."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.regions import WHOLE_PROGRAM, Region, regions
from rankwise.report.counted_columns import CALLS, OF_MPI, OF_WALL, SENT, TIME, how_to_read
from rankwise.report.empty import NO_REGIONS
from rankwise.report.section import Section
from rankwise.report.tables import Column, label, number
from rankwise.report.units import count_text, second_text


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return one row a region, if the program names any."""
    rows = regions(connection)
    named = any(row.region != WHOLE_PROGRAM for row in rows)
    columns: list[Column[Region]] = [
        label("region", region_name),
        number("entries", lambda row: row.entries, count_text),
        number("inside", lambda row: row.wall_seconds, second_text),
        CALLS,
        SENT,
        TIME,
        OF_MPI,
        OF_WALL,
    ]
    caption = (
        "inside: wall time over all ranks, nested regions included. MPI calls made in a nested region"
        f" count there only. {how_to_read(columns)}"
    )
    return [Section(columns, rows if named else [], NO_REGIONS, caption=caption)]


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every region, also the whole program."""
    return {"regions": regions(connection)}


def region_name(row: Region) -> str:
    """Return the region's name; the calls of the whole program's row lie outside every named region."""
    return "(outside)" if row.region == WHOLE_PROGRAM else row.name
