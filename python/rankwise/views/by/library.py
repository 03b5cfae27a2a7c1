"""Calls by the libraries that make them, and by the program itself."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.procedures import opening_and_closing_procedures
from rankwise.analysis.calls.sites import LibraryRow, libraries
from rankwise.analysis.calls.totals import opening_and_closing
from rankwise.text.empty import NO_SITES
from rankwise.text.names import call_name
from rankwise.views.totals_columns import (
    CALLS,
    OF_MPI,
    OF_RUN,
    RECEIVED,
    SENT,
    TIME,
    apart_line,
    over_ranks_columns,
    share_of_mpi,
)
from rankwise.views.view import COUNT, NUMBER, TEXT, Column, Detail, Table, View, label

_NOT_KNOWN = "(not known)"
_BALANCE: list[Column[LibraryRow]] = over_ranks_columns(lambda row: row.over_ranks, "the ranks")
_COLUMNS: list[Column[LibraryRow]] = [
    Column(
        "library",
        lambda row: row.library or _NOT_KNOWN,
        TEXT,
        "that calls MPI, or the program itself; calls through a library count for that library",
        mark=lambda row: " (program)" if row.is_program else "",
    ),
    Column("sites", lambda row: row.sites, COUNT, "places in it that call MPI"),
    CALLS,
    SENT,
    RECEIVED,
    TIME,
    OF_MPI,
    OF_RUN,
    label("top call", lambda row: call_name(row.procedure), "procedure that takes most of its time"),
    *_BALANCE,
    Column("ranks", lambda row: row.ranks, NUMBER, "on which it calls MPI", detail=Detail.VERBOSE),
    Column("path", lambda row: row.path or None, TEXT, "of its file", detail=Detail.VERBOSE),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row for each library, and for the program."""
    rows, apart = libraries(connection), opening_and_closing(connection)
    title = share_of_mpi(_caller(rows[0]), rows[0].totals) if rows else ""
    data = {"libraries": rows, "opening_and_closing": opening_and_closing_procedures(connection)}
    return View(
        title, [Table(_COLUMNS, rows, NO_SITES, apart=apart_line(_COLUMNS, apart) if rows else [])], data
    )


def _caller(row: LibraryRow) -> str:
    if not row.library:
        return "Calls from unknown places"
    return "What the program calls itself" if row.is_program else f"What {row.library} calls"
