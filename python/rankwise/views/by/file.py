"""The files that the program opened with MPI-IO."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rankwise.analysis.calls.files import File, FileCalls, file_calls, files
from rankwise.text.empty import NO_FILES
from rankwise.text.names import call_name, listed
from rankwise.text.units import byte_text, second_text
from rankwise.views.view import (
    BYTE_RATE,
    COUNT,
    NUMBER,
    SECONDS,
    TEXT,
    VOLUME,
    Column,
    Detail,
    Table,
    View,
    label,
    number,
)

_OWN = "of the file among the communicators"
_FILES: list[Column[File]] = [
    label("file", lambda row: row.file, "name as given to MPI_File_open"),
    Column("ranks", lambda row: row.ranks, NUMBER, "ranks that called MPI on it", obvious=True),
    number(
        "opens", lambda row: row.opens, COUNT, "successful MPI_File_open, summed over ranks", obvious=True
    ),
    number("accesses", lambda row: row.accesses, COUNT, "calls that read or write"),
    number("read", lambda row: row.bytes_read, VOLUME, "bytes actually read", obvious=True),
    number("written", lambda row: row.bytes_written, VOLUME, "bytes actually written", obvious=True),
    number("time (sum)", lambda row: row.seconds, SECONDS, "in all calls on the file, summed over ranks"),
    Column(
        "rate",
        lambda row: row.bytes_per_second,
        BYTE_RATE,
        "bytes read and written / time of the slowest rank; none with nonblocking accesses, because their "
        "waiting is not timed by file",
    ),
]
_OWN_NAMES: Column[File] = label("name", lambda row: listed(row.names) or None, _OWN)
_CALLS: list[Column[FileCalls]] = [
    label("file", lambda row: row.file, "name as given to MPI_File_open"),
    label(
        "communicator",
        lambda row: row.name or row.communicator,
        f"the name {_OWN}, which begins with the name of the communicator it was opened on",
    ),
    label("mode", lambda row: row.mode or None, "of MPI_File_open, without MPI_MODE_", kind=TEXT),
    label("call", lambda row: call_name(row.procedure).removeprefix("File_"), "without MPI_File_"),
    Column("ranks", lambda row: row.ranks, NUMBER, "ranks that made such calls", obvious=True),
    number("calls", lambda row: row.calls, COUNT, "number of calls, summed over ranks", obvious=True),
    number("read", lambda row: row.bytes_read, VOLUME, "bytes actually read", obvious=True),
    number("written", lambda row: row.bytes_written, VOLUME, "bytes actually written", obvious=True),
    number("time (sum)", lambda row: row.seconds, SECONDS, "in these calls, summed over ranks", obvious=True),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:
    """Return one row a file, in verbose answers also the calls on each."""
    data: dict[str, object] = {}
    data["files"] = rows = files(connection)
    tables = [Table(_with_names(rows), rows, NO_FILES)]
    if Detail.VERBOSE in detail:
        data["file_calls"] = calls = file_calls(connection)
        if rows:
            title = "The calls on them"
            tables.append(Table(_CALLS, calls, NO_FILES, title=title, detail=Detail.VERBOSE))
    return View(_title(rows[0]) if rows else "", tables, data)


def _with_names(rows: Sequence[File]) -> list[Column[File]]:
    """Return the columns; with the names if there are any."""
    first, *others = _FILES
    return [first, *([_OWN_NAMES] if any(row.names for row in rows) else []), *others]


def _title(most: File) -> str:
    moved = f"{byte_text(most.bytes_read)} read, {byte_text(most.bytes_written)} written"
    return f"{most.file} takes the most time: {second_text(most.seconds)} summed over ranks, {moved}"
