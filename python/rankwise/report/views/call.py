"""Calls per MPI procedure."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.procedures import ProcedureRow, opening_and_closing_procedures, procedures
from rankwise.report.counted_columns import CALLS, OF_MPI, OF_RUN, RECEIVED, SENT, TIME, how_to_read
from rankwise.report.empty import NO_CALLS
from rankwise.report.names import call_name
from rankwise.report.terminal.tables import TextColumn, label
from rankwise.report.terminal.view import Section
from rankwise.report.units import second_text


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return one row a procedure; with `verbose` also the ranks and the time of single calls."""
    columns: list[TextColumn[ProcedureRow]] = [
        label("call", lambda row: call_name(row.procedure)),
        CALLS,
        SENT,
        RECEIVED,
        TIME,
        OF_MPI,
        OF_RUN,
    ]
    caption = how_to_read(columns)
    if verbose:
        columns += [
            TextColumn("ranks", lambda row: str(row.ranks), right=True),
            TextColumn("mean call", _mean, right=True),
            TextColumn("shortest", lambda row: second_text(row.call_seconds_min), right=True),
            TextColumn("longest", lambda row: second_text(row.call_seconds_max), right=True),
        ]
        caption += " ranks: that called it. mean call, shortest, longest: time of a single call."
    apart = [[column.cell(row) for column in columns] for row in opening_and_closing_procedures(connection)]
    return [Section(columns, procedures(connection), NO_CALLS, apart=apart, caption=caption)]


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every procedure, those that open and close MPI apart."""
    return {
        "calls": procedures(connection),
        "opening_and_closing": opening_and_closing_procedures(connection),
    }


def _mean(row: ProcedureRow) -> str:
    calls = row.counted.calls + row.counted.unfinished
    return second_text(row.counted.seconds / calls) if calls else "-"
