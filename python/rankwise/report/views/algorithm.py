"""Which algorithm the MPI library chose for each shape of a collective."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rankwise.analysis.patterns import Algorithm, algorithms
from rankwise.report.empty import NO_COLLECTIVES
from rankwise.report.names import call_name, quoted_name
from rankwise.report.units import byte_text, count_text
from rankwise.report.view import BYTES, COUNT, FIGURES, NUMBER, TEXT, Column, Detail, Table, View, label

_COLUMNS: list[Column[Algorithm]] = [
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    label("communicator", lambda row: quoted_name(row.communicator, row.user_name), "that it was called on"),
    Column("n", lambda row: row.processes, NUMBER, "processes"),
    Column("root", lambda row: row.root, NUMBER, "rank in the communicator", obvious=True),
    Column("size", lambda row: _size(row), FIGURES, "of the message, as in --by size"),
    Column("calls", lambda row: row.calls, COUNT, "of one process"),
    Column("msgs", lambda row: row.messages, COUNT, "inside one call"),
    Column(
        "bytes",
        lambda row: row.bytes,
        BYTES,
        "of the messages inside one call",
        obvious=True,
        detail=Detail.VERBOSE,
    ),
    Column(
        "algorithm",
        lambda row: _algorithm(row),
        TEXT,
        "that sends these messages, or why it is not known",
        obvious=True,
        note=lambda row: _note(row),
    ),
]
_EXACT = "~: told by the messages alone, not by their bytes."


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row for each collective, communicator, size and root."""
    rows = algorithms(connection)
    return View(_title(rows), [Table(_COLUMNS, rows, NO_COLLECTIVES, notes=[_EXACT])], {"algorithms": rows})


def _title(rows: Sequence[Algorithm]) -> str:
    known = sum(row.algorithm is not None for row in rows)
    shapes = f"{count_text(len(rows))} shape{'s' * (len(rows) != 1)} of collectives"
    return f"The algorithms of {count_text(known)} of {shapes} are known" if rows else ""


def _size(row: Algorithm) -> str | None:
    if row.pattern is None:
        return None
    return "varies" if row.size is None else byte_text(row.size)


def _algorithm(row: Algorithm) -> str:
    if row.algorithm is not None:
        return "~" * (not row.exact) + row.algorithm
    return row.text.partition(":")[0]


def _note(row: Algorithm) -> str:
    if row.algorithm is not None:
        return f"or {'; or '.join(row.also)}: they send the same messages" if row.also else ""
    return row.text if ":" in row.text else ""
