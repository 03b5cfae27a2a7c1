"""Which algorithm the MPI library chose for each shape of a collective."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.patterns import Algorithm, algorithms
from rankwise.report.empty import NO_COLLECTIVES
from rankwise.report.names import call_name, quoted_name
from rankwise.report.terminal.tables import Footnotes, TextColumn, label
from rankwise.report.terminal.view import Section
from rankwise.report.units import byte_text, count_text


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return one row for each collective, communicator, size and root; with `verbose` the bytes, too."""
    rows = algorithms(connection)
    notes = Footnotes()
    for row in rows:
        _named(row, notes)  # in the order of the rows
    columns: list[TextColumn[Algorithm]] = [
        label("call", lambda row: call_name(row.procedure)),
        label("communicator", lambda row: quoted_name(row.communicator, row.user_name)),
        TextColumn("n", lambda row: str(row.processes), right=True),
        TextColumn("root", lambda row: "-" if row.root is None else str(row.root), right=True),
        TextColumn("size", _size, right=True),
        TextColumn("calls", lambda row: count_text(row.calls), right=True),
        TextColumn("msgs", lambda row: "-" if row.messages is None else count_text(row.messages), right=True),
        label("algorithm", lambda row: _named(row, notes)),
    ]
    if verbose:
        columns.insert(
            7, TextColumn("bytes", lambda row: "-" if row.bytes is None else byte_text(row.bytes), right=True)
        )
    caption = (
        "n: processes. size: of the message, as in --by size. calls: of one process. msgs: inside one call."
        " ~: told by the messages alone, not by their bytes."
    )
    return [Section(columns, rows, NO_COLLECTIVES, caption=" ".join(filter(None, (caption, notes.text()))))]


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every shape of every collective."""
    return {"algorithms": algorithms(connection)}


def _size(row: Algorithm) -> str:
    if row.pattern is None:
        return "-"
    return "varies" if row.size is None else byte_text(row.size)


def _named(row: Algorithm, notes: Footnotes) -> str:
    if row.algorithm is not None:
        others = notes.mark(f"or {'; or '.join(row.also)}: they send the same messages" if row.also else "")
        return " ".join(filter(None, ("~" * (not row.exact) + row.algorithm, others)))
    short, _, why = row.text.partition(":")
    return f"{short} {notes.mark(row.text)}" if why else row.text
