"""Calls by the places in the code that make them."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.procedures import opening_and_closing_procedures
from rankwise.analysis.calls.sites import SiteRow, sites
from rankwise.analysis.calls.totals import opening_and_closing
from rankwise.text.empty import NO_SITES
from rankwise.text.names import call_name
from rankwise.text.paths import share_text, short_place_text
from rankwise.views.totals_columns import (
    CALLS,
    OF_MPI,
    OF_RUN,
    PER_CALL,
    RECEIVED,
    SENT,
    TIME,
    apart_line,
    over_ranks_columns,
    share_of_mpi,
)
from rankwise.views.view import NAME, NUMBER, TEXT, Column, Detail, Table, View, label

_NOT_KNOWN = "(not known)"
_BALANCE: list[Column[SiteRow]] = over_ranks_columns(lambda row: row.over_ranks, "the ranks")
_CALLED_BY: Column[SiteRow] = Column(
    "called by",
    lambda row: short_place_text(row.caller.frame) if row.caller else None,
    TEXT,
    "for a place in a library: the caller in the program, or else in another library, that causes most of "
    "its time, and its share with the sampling error (95 %); --by path shows all callers",
    mark=lambda row: f" {share_text(row.caller.share, 0)} %" if row.caller else "",
)
_COLUMNS: list[Column[SiteRow]] = [
    Column(
        "site",
        lambda row: row.site or _NOT_KNOWN,
        NAME,
        "file and line of the call; without debug information, the place in the program or library",
    ),
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    TIME,  # here, so that tables below repeat only the columns before it
    OF_MPI,
    _CALLED_BY,
    CALLS,
    Column(
        "function",
        lambda row: row.function,
        TEXT,
        "that contains the call; for inlined code the function it was inlined into",
    ),
    Column("in", lambda row: row.library or None, TEXT, "program or library that makes the call"),
    Column(
        "communicator",
        lambda row: row.families[0],
        TEXT,
        "on which the calls are made, or the communicator with the most time and the number of others",
        mark=lambda row: f" +{len(row.families) - 1}" if len(row.families) > 1 else "",
    ),
    SENT,
    Column(
        RECEIVED.name,
        RECEIVED.value,
        RECEIVED.format,
        RECEIVED.meaning,
        total=RECEIVED.total,
        detail=Detail.VERBOSE,
    ),
    OF_RUN,
    PER_CALL,
    *_BALANCE,
    Column("ranks", lambda row: row.ranks, NUMBER, "that made these calls", detail=Detail.VERBOSE),
    Column(
        "path",
        lambda row: row.file or row.path or None,
        TEXT,
        "of the source file; if unknown, of the program or library",
        detail=Detail.VERBOSE,
    ),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row for each place and procedure."""
    rows, apart = sites(connection), opening_and_closing(connection)
    title = share_of_mpi(f"{call_name(rows[0].procedure)} {_where(rows[0])}", rows[0].totals) if rows else ""
    data = {"sites": rows, "opening_and_closing": opening_and_closing_procedures(connection)}
    has_callers = any(row.caller for row in rows)
    columns = [column for column in _COLUMNS if has_callers or column is not _CALLED_BY]
    table = Table(columns, rows, NO_SITES, apart=apart_line(columns, apart) if rows else [])
    return View(title, [table], data)


def _where(row: SiteRow) -> str:
    if not row.site:
        return "from unknown places"
    return f"at {row.site}" + (f", in {row.function}," if row.function else "")
