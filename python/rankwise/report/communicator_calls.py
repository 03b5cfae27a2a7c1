"""A table of calls for each communicator, with the spread of their time over its processes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from rankwise.analysis.communicator_calls import CommunicatorCalls, communicator_calls
from rankwise.analysis.communicators import Communicator
from rankwise.report.counted_columns import CALLS, OF_MPI, SENT, TIME
from rankwise.report.empty import NO_CALLS
from rankwise.report.names import both_groups, call_name, communicator_name, processes_name
from rankwise.report.terminal.tables import TextColumn, cut, label
from rankwise.report.terminal.view import Section
from rankwise.report.units import second_text

_COLUMNS: list[TextColumn[CommunicatorCalls]] = [
    label("call", lambda row: call_name(row.procedure)),
    CALLS,
    SENT,
    TextColumn("mean", lambda row: second_text(row.seconds_mean), right=True),
    TextColumn("min", lambda row: second_text(row.seconds_min), right=True),
    TextColumn("max", lambda row: second_text(row.seconds_max), right=True),
    TIME,
    OF_MPI,
]
_WITH_NAME: list[TextColumn[CommunicatorCalls]] = [
    label("communicator", lambda row: row.communicator),
    *_COLUMNS,
]
_CAPTION = "mean, min, max: time of a process in all its calls, over the communicator's processes."


def sections_of_calls(
    connection: sqlite3.Connection, communicators: Sequence[Communicator], limit: int
) -> list[Section]:
    """Return a section for each of the first `limit` communicators (0 = all), and one for all others."""
    calls: dict[str, list[CommunicatorCalls]] = {}
    for row in communicator_calls(connection):
        calls.setdefault(row.communicator, []).append(row)
    shown, rest = cut([row for row in communicators if row.name in calls], limit)
    sections = [Section(_COLUMNS, calls[row.name], NO_CALLS, title=_title(row)) for row in shown]
    if rest:
        others = sorted((call for row in rest for call in calls[row.name]), key=lambda row: row.counted.order)
        title = f"{len(rest)} other communicator{'s' * (len(rest) > 1)}"
        sections.append(Section(_WITH_NAME, others, NO_CALLS, title=title))
    if sections:
        sections[-1] = replace(sections[-1], caption=_CAPTION)
    return sections


def _title(row: Communicator) -> str:
    if row.size == 0:
        return communicator_name(row)
    parents = both_groups(row.parent or "?", row.remote_parent)
    origin = f", {call_name(row.procedure)} of {parents}" if row.procedure else ""
    members = both_groups(row.members, row.remote_members)
    return f"{communicator_name(row)}: {processes_name(row)} processes ({members}){origin}"
