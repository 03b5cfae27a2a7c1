"""Calls by the size of their data."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rankwise.analysis.calls.procedures import opening_and_closing_procedures
from rankwise.analysis.calls.sizes import SizeRow, sizes, sizes_by_procedure
from rankwise.analysis.calls.totals import Totals, opening_and_closing
from rankwise.text.empty import NO_CALLS
from rankwise.text.names import call_name
from rankwise.text.units import sized_calls
from rankwise.views.totals_columns import CALLS, OF_MPI, OF_RUN, SENT, TIME, apart_line, share_of_mpi
from rankwise.views.view import SIZES, Column, Detail, Table, View, label

_SIZE: Column[SizeRow] = Column(
    "size",
    lambda row: row.size_bin,
    SIZES,
    "of the data of one call; from 1 KiB, the upper end belongs to the range of the next row",
    key=True,
)
_TOP: Column[SizeRow] = label(
    "top call", lambda row: call_name(row.procedure), "procedure with the most time in calls of this size"
)
_CALL: Column[SizeRow] = label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_")
_NUMBERS: list[Column[SizeRow]] = [CALLS, SENT, TIME, OF_MPI, OF_RUN]


def view(connection: sqlite3.Connection, detail: Detail) -> View:
    """Return one row a size bin, in verbose answers one for each procedure and size bin."""
    apart = opening_and_closing(connection)
    tables: list[Table] = []
    data: dict[str, object] = {}
    if Detail.BRIEF in detail:
        data["sizes"] = rows = sizes(connection)
        tables.append(_table([_SIZE, *_NUMBERS, _TOP], rows, apart, Detail.BRIEF))
    if Detail.VERBOSE in detail:
        data["sizes_by_call"] = rows = sizes_by_procedure(connection)
        tables.append(_table([_CALL, _SIZE, *_NUMBERS], rows, apart, Detail.VERBOSE))
    return View(
        _title(rows), tables, {**data, "opening_and_closing": opening_and_closing_procedures(connection)}
    )


def _title(rows: Sequence[SizeRow]) -> str:
    if not rows:
        return ""
    return share_of_mpi(sized_calls(rows[0].size_bin, rows[0].totals.calls), rows[0].totals, "take")


def _table(
    columns: Sequence[Column[SizeRow]], rows: Sequence[SizeRow], apart: Totals, detail: Detail
) -> Table:
    return Table(columns, rows, NO_CALLS, apart=apart_line(columns, apart), detail=detail)
