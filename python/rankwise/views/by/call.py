"""Calls per MPI procedure."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.over_ranks import procedures_over_ranks
from rankwise.analysis.calls.procedures import ProcedureRow, opening_and_closing_procedures, procedures
from rankwise.text.empty import NO_CALLS
from rankwise.text.names import call_name
from rankwise.views.totals_columns import (
    CALLS,
    OF_MPI,
    OF_RUN,
    PER_CALL,
    RECEIVED,
    SENT,
    TIME,
    over_ranks_columns,
    share_of_mpi,
)
from rankwise.views.view import NUMBER, SECONDS, Column, Detail, Table, View, label, line

_SINGLE = "time of a single call"
_COLUMNS: list[Column[ProcedureRow]] = [
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    CALLS,
    SENT,
    RECEIVED,
    TIME,
    OF_MPI,
    OF_RUN,
    PER_CALL,
]
_MORE: list[Column[ProcedureRow]] = [
    Column("shortest", lambda row: row.call_seconds_min, SECONDS, _SINGLE, detail=Detail.VERBOSE),
    Column("longest", lambda row: row.call_seconds_max, SECONDS, _SINGLE, detail=Detail.VERBOSE),
    Column("ranks", lambda row: row.ranks, NUMBER, "that called it", detail=Detail.VERBOSE),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row a procedure, in verbose answers with its ranks and the time of single calls."""
    rows, apart = procedures(connection), opening_and_closing_procedures(connection)
    spreads = procedures_over_ranks(connection)
    balance: list[Column[ProcedureRow]] = over_ranks_columns(
        lambda row: spreads.get(row.procedure), "the ranks"
    )
    columns = [*_COLUMNS, *balance, *_MORE]
    return View(
        share_of_mpi(call_name(rows[0].procedure), rows[0].totals) if rows else "",
        [Table(columns, rows, NO_CALLS, apart=[line([*_COLUMNS, *_MORE], row) for row in apart])],
        {"calls": rows, "opening_and_closing": apart, "calls_over_ranks": spreads},
    )
