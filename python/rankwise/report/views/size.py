"""Calls by the size of their data."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.counted import opening_and_closing
from rankwise.analysis.procedures import opening_and_closing_procedures
from rankwise.analysis.sizes import SizeRow, sizes, sizes_by_procedure
from rankwise.report.counted_columns import CALLS, OF_MPI, OF_RUN, SENT, TIME, apart_line, how_to_read
from rankwise.report.empty import NO_CALLS
from rankwise.report.names import call_name
from rankwise.report.terminal.tables import TextColumn, label
from rankwise.report.terminal.view import Section
from rankwise.report.units import bin_text

_RANGES = " size: of one call's data; from 1 KiB on, the upper end belongs to the next row's range."


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return one row a size bin; with `verbose` one for each procedure and size bin."""
    size: TextColumn[SizeRow] = TextColumn("size", lambda row: bin_text(row.size_bin), right=True)
    call: TextColumn[SizeRow] = label("call" if verbose else "top call", lambda row: call_name(row.procedure))
    rows = sizes_by_procedure(connection) if verbose else sizes(connection)
    numbers: list[TextColumn[SizeRow]] = [CALLS, SENT, TIME, OF_MPI, OF_RUN]
    columns = [call, size, *numbers] if verbose else [size, *numbers, call]
    apart = apart_line(columns, opening_and_closing(connection))
    return [Section(columns, rows, NO_CALLS, apart=apart, caption=how_to_read(columns) + _RANGES)]


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every size bin, and every size bin of every procedure; what opens and closes MPI apart."""
    return {
        "sizes": sizes(connection),
        "sizes_by_call": sizes_by_procedure(connection),
        "opening_and_closing": opening_and_closing_procedures(connection),
    }
