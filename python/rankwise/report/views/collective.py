"""Collectives: what the program asked for, and what the MPI library really sent to carry them out."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.collectives import Collective, NotAttributed, collectives, not_attributed
from rankwise.report.counted_columns import CALLS, UNFINISHED, share_of_mpi, unfinished_mark
from rankwise.report.empty import NO_COLLECTIVES
from rankwise.report.names import call_name, quoted_name
from rankwise.report.units import byte_text, count_text
from rankwise.report.view import (
    BYTES,
    COUNT,
    RATIO,
    SECONDS,
    Column,
    Detail,
    Table,
    View,
    label,
    line,
    number,
)

_INSIDE = "really sent inside, by the MPI library"
_COLUMNS: list[Column[Collective]] = [
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    label("communicator", lambda row: quoted_name(row.communicator, row.user_name), "that it was called on"),
    CALLS,
    Column(
        "time",
        lambda row: row.counted.seconds,
        SECONDS,
        f"over all ranks; {UNFINISHED}: with calls that never returned",
        mark=unfinished_mark,
    ),
    number("asked", lambda row: row.counted.bytes_sent, BYTES, "bytes that the processes contribute"),
    Column("messages", lambda row: row.messages, COUNT, _INSIDE, note=lambda row: row.visibility.text),
    Column("sent", lambda row: row.bytes, BYTES, _INSIDE),
    Column("factor", lambda row: row.factor, RATIO, "sent by asked"),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row for each collective and communicator."""
    found, rest = collectives(connection), not_attributed(connection)
    rows = [row for row in found if not _is_apart(row)]
    apart = [line(_COLUMNS, row) for row in found if _is_apart(row)]
    return View(
        _title(rows[0]) if rows else "",
        [Table(_COLUMNS, rows, NO_COLLECTIVES, apart=apart, notes=_notes(rest))],
        {"collectives": found, "not_attributed": rest},
    )


def _title(most: Collective) -> str:
    return share_of_mpi(f"{call_name(most.procedure)} on {most.communicator}", most.counted)


def _is_apart(row: Collective) -> bool:
    """MPI_Init and MPI_Finalize are in no sum of times."""
    return row.class_name == "environment"


def _notes(rest: NotAttributed) -> list[str]:
    if not rest.messages:
        return []
    sums = f"{count_text(rest.messages)} messages ({byte_text(rest.bytes)})"
    return [f"Not among them: {sums} whose call is not known."]
