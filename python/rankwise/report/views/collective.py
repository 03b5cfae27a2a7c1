"""Collectives: what the program asked for, and what the MPI library really sent to carry them out."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.collectives import Collective, NotAttributed, collectives, not_attributed
from rankwise.report.counted_columns import CALLS, UNFINISHED, time_text
from rankwise.report.empty import NO_COLLECTIVES
from rankwise.report.names import call_name, quoted_name
from rankwise.report.terminal.tables import Footnotes, TextColumn, label, number
from rankwise.report.terminal.view import Section
from rankwise.report.units import byte_text, count_text


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return one row for each collective and communicator."""
    rows = collectives(connection)
    notes = Footnotes()
    for row in rows:
        notes.mark(row.visibility.text)  # in the order of the rows
    columns: list[TextColumn[Collective]] = [
        label("call", lambda row: call_name(row.procedure)),
        label("communicator", lambda row: quoted_name(row.communicator, row.user_name)),
        CALLS,
        TextColumn("time", lambda row: time_text(row.counted), right=True),
        number("asked", lambda row: row.counted.bytes_sent, byte_text),
        TextColumn("messages", lambda row: _shown(row, notes), right=True),
        TextColumn("sent", lambda row: "-" if row.bytes is None else byte_text(row.bytes), right=True),
        TextColumn("factor", lambda row: "-" if row.factor is None else _factor_text(row.factor), right=True),
    ]
    caption = (
        f"time: over all ranks; {UNFINISHED}: with calls that never returned. asked: bytes that the processes"
        " contribute. messages, sent: really sent inside, by the MPI library. factor: sent by asked."
    )
    return [
        Section(
            columns,
            [row for row in rows if not _is_apart(row)],
            NO_COLLECTIVES,
            apart=[[column.cell(row) for column in columns] for row in rows if _is_apart(row)],
            caption=" ".join(filter(None, (caption, notes.text(), _rest(not_attributed(connection))))),
        )
    ]


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every collective on every communicator, and what belongs to none."""
    return {"collectives": collectives(connection), "not_attributed": not_attributed(connection)}


def _is_apart(row: Collective) -> bool:
    """MPI_Init and MPI_Finalize are in no sum of times."""
    return row.class_name == "environment"


def _shown(row: Collective, notes: Footnotes) -> str:
    messages = "" if row.messages is None else count_text(row.messages)
    return " ".join(filter(None, (messages, notes.mark(row.visibility.text))))


def _factor_text(factor: float) -> str:
    return f"{factor:.2f}" if factor < 10 else f"{factor:.0f}"


def _rest(rest: NotAttributed) -> str:
    if not rest.messages:
        return ""
    sums = f"{count_text(rest.messages)} messages ({byte_text(rest.bytes)})"
    return f"Not among them: {sums} whose call is not known."
