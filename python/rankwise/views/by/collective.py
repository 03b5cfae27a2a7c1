"""Collectives: what the program asked for, and what the MPI library really sent to carry them out."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from rankwise.analysis.collectives.asked import (
    OPENING,
    Collective,
    CollectiveFamily,
    NotAttributed,
    collective_families,
    collectives,
    not_attributed,
)
from rankwise.text.empty import NO_COLLECTIVES
from rankwise.text.names import call_name, count_and_sizes, names_quoted, quoted_name
from rankwise.text.units import byte_text, count_text
from rankwise.views.totals_columns import CALLS, UNFINISHED, share_of_mpi, unfinished_mark
from rankwise.views.view import (
    BYTES,
    COUNT,
    FIGURES,
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

_INSIDE = "actually sent inside, by the MPI library"
_FIGURES: list[Column[Any]] = [
    CALLS,
    Column(
        "time",
        lambda row: row.totals.seconds,
        SECONDS,
        f"summed over ranks; {UNFINISHED}: with calls that never returned",
        total=lambda rows: sum(row.totals.seconds for row in rows),
        mark=unfinished_mark,
    ),
    number("asked", lambda row: row.totals.bytes_sent, BYTES, "bytes that the processes contribute"),
]
_FACTOR: Column[Any] = Column("factor", lambda row: row.factor, RATIO, "sent by asked")
CALLED: list[Column[Any]] = [
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    label("communicator", lambda row: quoted_name(row.communicator, row.user_name), "on which it was called"),
]
"""The procedure, and its communicator."""
CALLED_ON_FAMILY: list[Column[Any]] = [
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    label(
        "communicator", lambda row: names_quoted(row.communicator, row.user_names), "on which it was called"
    ),
    Column(
        "n x size",
        lambda row: count_and_sizes(row.communicators, row.size_min, row.size_max),
        FIGURES,
        "communicators used the same way, and their processes",
        obvious=True,
    ),
]
"""The same of a family of communicators."""
_COLUMNS: list[Column[Collective]] = [
    *CALLED,
    *_FIGURES,
    Column("messages", lambda row: row.messages, COUNT, _INSIDE, note=lambda row: row.visibility.text),
    Column("sent", lambda row: row.bytes, BYTES, _INSIDE),
    _FACTOR,
]
_FAMILY_COLUMNS: list[Column[CollectiveFamily]] = [
    *CALLED_ON_FAMILY,
    *_FIGURES,
    Column("sent", lambda row: row.bytes, BYTES, _INSIDE, note=lambda row: row.visibility.text),
    _FACTOR,
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row for each collective and family of communicators, in verbose answers communicator."""
    rows, unattributed = collectives(connection), not_attributed(connection)
    together = collective_families(rows)
    tables = [
        _table(_FAMILY_COLUMNS, together, unattributed, Detail.BRIEF),
        _table(_COLUMNS, rows, unattributed, Detail.VERBOSE),
    ]
    return View(
        _title(together),
        tables,
        {"collectives": rows, "collective_families": together, "not_attributed": unattributed},
    )


def _title(rows: Sequence[CollectiveFamily]) -> str:
    most = next((row for row in rows if row.class_name != OPENING), None)
    return share_of_mpi(f"{call_name(most.procedure)} on {most.communicator}", most.totals) if most else ""


def _table(
    columns: Sequence[Column[Any]], rows: Sequence[Any], unattributed: NotAttributed, detail: Detail
) -> Table:
    between = [row for row in rows if row.class_name != OPENING]
    apart = [line(columns, row) for row in rows if row.class_name == OPENING]
    return Table(columns, between, NO_COLLECTIVES, apart=apart, notes=_notes(unattributed), detail=detail)


def _notes(unattributed: NotAttributed) -> list[str]:
    if not unattributed.messages:
        return []
    sums = f"{count_text(unattributed.messages)} messages ({byte_text(unattributed.bytes)})"
    return [f"Not included: {sums} whose call is unknown."]
