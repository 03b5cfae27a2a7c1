"""Calls by the functions through which they are made."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.paths import CUT, MORE, PYTHON, UNKNOWN, PathRow, paths
from rankwise.text.empty import NO_PATHS
from rankwise.text.names import call_name
from rankwise.text.paths import CALLED_BY, error_text, share_text, way_text
from rankwise.views.view import COUNT, NAME, PERCENT, SECONDS, SHARE, TEXT, Column, Detail, Table, View, label

_COLUMNS: list[Column[PathRow]] = [
    Column(
        "path",
        way_text,
        TEXT,
        f"the function that makes the call, then its caller after{CALLED_BY}and so on; ...: further callers "
        "were not kept; ?: the stack could not be followed",
    ),
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    Column("time (sum)", lambda row: row.seconds, SECONDS, "summed over ranks, estimated by the share"),
    Column("% of MPI", lambda row: row.percent_of_mpi, SHARE, "estimated share of the total time in MPI"),
    Column(
        "% of site",
        lambda row: row.share_of_time.percent,
        PERCENT,
        "share of the time of the call at its site, with its error (95 %), from a sample of calls",
        mark=lambda row: error_text(row.share_of_time),
    ),
    Column("site", lambda row: row.site, NAME, "where the call is made, as in --by site"),
    Column("calls", lambda row: round(row.calls), COUNT, "summed over ranks, estimated by their share"),
    Column(
        "% of calls",
        lambda row: row.share_of_calls.percent,
        PERCENT,
        "share of the calls at the site, with its error (95 %), from a sample",
        mark=lambda row: error_text(row.share_of_calls),
        detail=Detail.VERBOSE,
    ),
    Column("samples", lambda row: row.samples, COUNT, "calls in the sample", detail=Detail.VERBOSE),
    Column("ranks", lambda row: row.ranks, COUNT, "with calls in the sample", detail=Detail.VERBOSE),
    Column(
        "places",
        lambda row: CALLED_BY.join(frame.name for frame in row.frames) or None,
        TEXT,
        "where each function of the path is called, innermost first",
        detail=Detail.VERBOSE,
    ),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row for each place, procedure and way to it."""
    rows = paths(connection)
    return View(_title(rows), [Table(_COLUMNS, rows, NO_PATHS)], {"paths": rows})


def _title(rows: list[PathRow]) -> str:
    if not rows:
        return ""
    first = rows[0]
    name = call_name(first.procedure)
    if not first.frames:
        why = {
            CUT: "its callers could not be followed",
            PYTHON: "the Python interpreter calls its function",
            UNKNOWN: "its callers are unknown",
        }
        reason = why.get(first.ends, "its function has no caller")
        return f"{name} at {first.site} takes the most time; {reason}"
    # (Functions without a name say little in a sentence.)
    functions = [frame.function for frame in first.frames if frame.function] or first.functions[1:]
    through = CALLED_BY.join(functions) + (" ..." if first.ends == MORE else "")
    share = share_text(first.share_of_time)
    return f"{name} at {first.site} takes the most time, {share} % of it called by {through}"
