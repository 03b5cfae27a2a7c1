"""Communicators: what goes over each, how each was made, and with -v the calls on each."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from rankwise.analysis.communicator_calls import communicator_calls
from rankwise.analysis.communicators import Communicator, communicators
from rankwise.analysis.counted import opening_and_closing
from rankwise.analysis.families import Family, families
from rankwise.analysis.procedures import opening_and_closing_procedures
from rankwise.report.communicator_calls import sections_of_calls
from rankwise.report.counted_columns import CALLS, OF_MPI, SENT, TIME, apart_line, how_to_read
from rankwise.report.empty import NO_CALLS
from rankwise.report.names import (
    both_groups,
    call_name,
    communicator_name,
    family_name,
    operation_name,
    processes_name,
    reorder_name,
    size_name,
    topology_name,
)
from rankwise.report.terminal.tables import TextColumn, cut, label
from rankwise.report.terminal.view import Section
from rankwise.report.units import second_text

_MEMBERS = "members: ranks in MPI_COMM_WORLD; of an intercommunicator both groups: 0 + 1-3."
_SHOWN_MEMBERS = 3  # communicators of a family whose members are listed


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:
    """Return families of communicators; with `verbose` each communicator, and the calls on each."""
    return _each(connection, limit) if verbose else _families(connection)


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return families, communicators, and the calls on each; what opens and closes MPI apart."""
    return {
        "families": families(connection),
        "communicators": communicators(connection),
        "communicator_calls": communicator_calls(connection),
        "opening_and_closing": opening_and_closing_procedures(connection),
    }


def _families(connection: sqlite3.Connection) -> list[Section]:
    found = families(connection)
    use: list[TextColumn[Family]] = [
        label("communicator", family_name),
        CALLS,
        SENT,
        TIME,
        OF_MPI,
        label("top operation", lambda row: operation_name(row.top_operation)),
    ]
    made: list[TextColumn[Family]] = [
        label("communicator", lambda row: row.name),
        label("parent", lambda row: both_groups(row.parent or "-", row.remote_parent)),
        TextColumn("made by", lambda row: call_name(row.procedure) or "predefined"),
        TextColumn("n x size", size_name, right=True),
        TextColumn("topology", lambda row: topology_name(row.topology, row.dims[0] if row.dims else [])),
        TextColumn("reorder", reorder_name),
        label("members", _members),
    ]
    caption = "n x size: communicators that the same call made, and their processes."
    return [
        Section(use, found, NO_CALLS, apart=_apart(connection, use), caption=how_to_read(use)),
        *_made(
            made, [row for row in found if row.size_max], f"{caption} {_MEMBERS} -v shows each communicator."
        ),
    ]


def _apart(connection: sqlite3.Connection, columns: Sequence[TextColumn[Any]]) -> list[list[str]]:
    return apart_line(columns, opening_and_closing(connection))


def _members(family: Family) -> str:
    each = [both_groups(*pair) for pair in zip(family.members, family.remote_members, strict=True)]
    shown, rest = cut(each, _SHOWN_MEMBERS)
    return " | ".join(shown) + (f" | {len(rest)} more" if rest else "")


def _each(connection: sqlite3.Connection, limit: int) -> list[Section]:
    found = communicators(connection)
    use: list[TextColumn[Communicator]] = [
        label("communicator", communicator_name),
        CALLS,
        SENT,
        TIME,
        OF_MPI,
        label("top operation", lambda row: operation_name(row.top_operation)),
    ]
    made: list[TextColumn[Communicator]] = [
        label("communicator", lambda row: row.name),
        label("parent", lambda row: both_groups(row.parent or "-", row.remote_parent)),
        TextColumn("made by", lambda row: call_name(row.procedure) or "predefined"),
        TextColumn("size", processes_name, right=True),
        TextColumn("topology", lambda row: topology_name(row.topology, row.dims)),
        TextColumn("reorder", reorder_name),
        label("members", lambda row: both_groups(row.members, row.remote_members)),
        TextColumn("made at", lambda row: second_text(row.created_seconds), right=True),
        TextColumn(
            "freed at",
            lambda row: "-" if row.freed_seconds is None else second_text(row.freed_seconds),
            right=True,
        ),
    ]
    return [
        Section(use, found, NO_CALLS, apart=_apart(connection, use), caption=how_to_read(use)),
        *_made(made, [row for row in found if row.size], f"{_MEMBERS} made at, freed at: after the start."),
        *sections_of_calls(connection, found, limit),
    ]


def _made(columns: Sequence[TextColumn[Any]], rows: Sequence[Any], caption: str) -> list[Section]:
    return [Section(columns, rows, NO_CALLS, title="How they were made", caption=caption)] if rows else []
