"""The files that the program opened with MPI-IO."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.files import File, FileCalls, file_calls, files
from rankwise.report.empty import NO_FILES
from rankwise.report.names import call_name
from rankwise.report.terminal.tables import TextColumn, label, number
from rankwise.report.terminal.view import Section
from rankwise.report.units import byte_text, count_text, second_text


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return one row a file; with `verbose` also the calls on each."""
    found = [Section(_FILES, files(connection), NO_FILES, caption=_CAPTION)]
    if verbose and found[0].rows:
        found.append(Section(_CALLS, file_calls(connection), NO_FILES, title="The calls on them"))
    return found


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every file, and every procedure called on it."""
    return {"files": files(connection), "file_calls": file_calls(connection)}


def _volume(size: float) -> str:
    return byte_text(size) if size else "-"


def _rate(row: File) -> str:
    return "-" if row.bytes_per_second is None else f"{byte_text(row.bytes_per_second)}/s"


_FILES: list[TextColumn[File]] = [
    label("file", lambda row: row.file),
    TextColumn("ranks", lambda row: str(row.ranks), right=True),
    number("opens", lambda row: row.opens, count_text),
    number("accesses", lambda row: row.accesses, count_text),
    number("read", lambda row: row.bytes_read, _volume),
    number("written", lambda row: row.bytes_written, _volume),
    number("time (sum)", lambda row: row.seconds, second_text),
    TextColumn("rate", _rate, right=True),
]
_CAPTION = (
    "accesses: calls that read or write. time (sum): in all calls on the file, over all ranks. rate: bytes"
    " read and written in the time of the slowest rank; none with nonblocking accesses, whose waiting is"
    " not timed by file."
)
_CALLS: list[TextColumn[FileCalls]] = [
    label("file", lambda row: row.file),
    label("communicator", lambda row: row.communicator),
    label("mode", lambda row: row.mode or "-"),
    label("call", lambda row: call_name(row.procedure).removeprefix("File_")),
    TextColumn("ranks", lambda row: str(row.ranks), right=True),
    number("calls", lambda row: row.calls, count_text),
    number("read", lambda row: row.bytes_read, _volume),
    number("written", lambda row: row.bytes_written, _volume),
    number("time (sum)", lambda row: row.seconds, second_text),
]
