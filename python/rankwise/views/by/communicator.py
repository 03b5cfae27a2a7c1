"""Communicators: what goes over each, how each was made, and in verbose answers the calls on each."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from rankwise.analysis.calls.communicator_calls import CommunicatorCalls, communicator_calls
from rankwise.analysis.calls.communicators import Communicator, communicators
from rankwise.analysis.calls.families import Family, families
from rankwise.analysis.calls.over_ranks import communicators_over_ranks, families_over_ranks
from rankwise.analysis.calls.procedures import opening_and_closing_procedures
from rankwise.analysis.calls.spread import Spread
from rankwise.analysis.calls.totals import Totals, opening_and_closing
from rankwise.profile.join.members import compact_ascending
from rankwise.text.empty import NO_CALLS
from rankwise.text.names import (
    both_groups,
    call_name,
    communicator_name,
    family_name,
    kinds_name,
    makers_name,
    operation_name,
    processes_name,
    reorder_name,
    size_name,
    topology_name,
)
from rankwise.views.totals_columns import (
    CALLS,
    OF_MPI,
    PER_CALL,
    SENT,
    TIME,
    apart_line,
    over_ranks_columns,
    share_of_mpi,
)
from rankwise.views.view import COUNT, FIGURES, SECONDS, TEXT, WORD, Column, Detail, Table, View, label

_MADE = "How communicators were created"
_SHOWN_MEMBERS = 3  # of a family, groups of processes that are listed
_RANK = re.compile("[0-9]{1,9}")
_COMPARED = 30  # characters of such a group that sort it: there may be very many

_NAME = "ancestry of the communicator, and the program's own name for it"
_PARENT = "it was created from"
_MADE_BY = "procedure that created it, without MPI_"
_MADE_IN = "program or library that made this call"
_TOPOLOGY = "with its dimensions"
_REORDER = "whether the program allowed reordering of ranks (asked), and Rankwise did it (done)"
_MEMBERS = "ranks in MPI_COMM_WORLD; of an intercommunicator both groups: 0 + 1-3"
_GROUPS = f"{_MEMBERS}; a group shared by several is listed once"
_NODES = "number of nodes that the members are on"
_ROLE = "what the members are, or the function that created it"
_AFTER_START = "after the start"
_WHOSE = "the communicator's members"

_USE: list[Column[Any]] = [
    CALLS,
    SENT,
    TIME,
    OF_MPI,
    label(
        "top operation",
        lambda row: operation_name(row.top_operation),
        "procedure and size with the most time",
    ),
    PER_CALL,
]
_FAMILIES: list[Column[Family]] = [label("communicator", family_name, _NAME), *_USE]
_EACH: list[Column[Communicator]] = [label("communicator", communicator_name, _NAME), *_USE]
_EACH_MADE: list[Column[Communicator]] = [
    label("communicator", lambda row: row.name, _NAME),
    label("parent", lambda row: both_groups(row.parent or "-", row.remote_parent), _PARENT),
    label("made by", lambda row: call_name(row.procedure) or "predefined", _MADE_BY, kind=WORD),
    label("size", processes_name, "processes, of both groups", kind=FIGURES),
    label("topology", lambda row: topology_name(row.topology, row.dims), _TOPOLOGY, kind=WORD),
    label("reorder", reorder_name, _REORDER, kind=WORD),
    Column("nodes", lambda row: row.nodes, COUNT, _NODES),
    Column("members", lambda row: both_groups(row.members, row.remote_members), TEXT, _MEMBERS),
    label("made in", lambda row: row.created_in or "-", _MADE_IN),
    Column("made at", lambda row: row.created_seconds, SECONDS, _AFTER_START),
    Column("freed at", lambda row: row.freed_seconds, SECONDS, _AFTER_START),
]
_ITS_CALLS: list[Column[CommunicatorCalls]] = [
    label("communicator", lambda row: row.communicator, _NAME),
    label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_"),
    CALLS,
    SENT,
    TIME,
    OF_MPI,
    PER_CALL,
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:
    """Return families of communicators, in verbose answers each communicator, and the calls on each."""
    apart = opening_and_closing(connection)
    tables: list[Table] = []
    data: dict[str, object] = {}
    title = ""
    if Detail.BRIEF in detail:
        data["families"] = rows = families(connection)
        data["families_over_ranks"] = spreads = families_over_ranks(connection)
        tables.append(_used(_FAMILIES, rows, lambda row: spreads.get(row.family), apart, Detail.BRIEF))
        made = [row for row in rows if row.size_max]
        tables += _made(_families_made(made), made, ["-v shows each communicator."], Detail.BRIEF)
        title = _title(rows)
    if Detail.VERBOSE in detail:
        data["communicators"] = each = communicators(connection)
        data["communicators_over_ranks"] = its = communicators_over_ranks(connection)
        data["communicator_calls"] = calls = communicator_calls(connection)
        tables.append(_used(_EACH, each, lambda row: its.get(row.name), apart, Detail.VERBOSE))
        tables += _made(_EACH_MADE, [row for row in each if row.size], [], Detail.VERBOSE)
        tables += _calls(each, calls)
        title = title or _title(each)
    return View(title, tables, {**data, "opening_and_closing": opening_and_closing_procedures(connection)})


def _families_made(rows: Sequence[Family]) -> list[Column[Family]]:
    return [
        label("communicator", lambda row: row.name, _NAME),
        label("parent", lambda row: both_groups(row.parent or "-", row.remote_parent), _PARENT),
        label("made by", makers_name, _MADE_BY, kind=WORD),
        Column(
            "n x size", size_name, FIGURES, f"{kinds_name(rows)} created the same way, and their processes"
        ),
        label(
            "topology",
            lambda row: topology_name(row.topology, row.dims[0] if row.dims else []),
            _TOPOLOGY,
            kind=WORD,
        ),
        label("reorder", reorder_name, _REORDER, kind=WORD),
        *(
            [Column("nodes", _nodes, FIGURES, _NODES)]
            if any((row.nodes_max or 0) > 1 for row in rows)
            else []
        ),
        Column("members", _members, TEXT, _GROUPS),
    ]


def _nodes(row: Family) -> str | None:
    """Return `1`, `2-4` for communicators on different numbers of nodes; None = unknown."""
    if row.nodes_min is None:
        return None
    return f"{row.nodes_min}" + (f"-{row.nodes_max}" if row.nodes_max != row.nodes_min else "")


def _with_roles(columns: Sequence[Column[Any]], rows: Sequence[Any]) -> list[Column[Any]]:
    """Return the columns, and one of roles if some are known."""
    role: Column[Any] = Column("role", lambda row: row.role or None, TEXT, _ROLE, obvious=True)
    return [*columns, *([role] if any(row.role for row in rows) else [])]


def _title(rows: Sequence[Family | Communicator]) -> str:
    return share_of_mpi(rows[0].name, rows[0].totals) if rows else ""


def _used(
    columns: Sequence[Column[Any]],
    rows: Sequence[Any],
    spread_of: Callable[[Any], Spread | None],
    apart: Totals,
    detail: Detail,
) -> Table:
    more = over_ranks_columns(spread_of, _WHOSE)
    return Table([*columns, *more], rows, NO_CALLS, apart=apart_line(columns, apart), detail=detail)


def _spread(row: CommunicatorCalls) -> Spread:
    ends = (row.seconds_min, row.rank_min, row.seconds_max, row.rank_max)
    return Spread(row.totals.seconds, row.seconds_mean, *ends)


def _made(
    columns: Sequence[Column[Any]], rows: Sequence[Any], notes: Sequence[str], detail: Detail
) -> list[Table]:
    if not rows:
        return []
    shown = _with_roles(columns, rows)
    return [Table(shown, rows, NO_CALLS, title=_MADE, notes=notes, detail=detail)]


def _calls(each: Sequence[Communicator], calls: Sequence[CommunicatorCalls]) -> list[Table]:
    called = {row.communicator for row in calls}
    parts = {row.name: _heading(row) for row in each if row.name in called}
    more: list[Column[CommunicatorCalls]] = over_ranks_columns(_spread, _WHOSE)
    table = Table([*_ITS_CALLS, *more], calls, NO_CALLS, parts=parts, detail=Detail.VERBOSE)
    return [table] if calls else []


def _heading(row: Communicator) -> str:
    if row.size == 0:
        return communicator_name(row)
    parents = both_groups(row.parent or "?", row.remote_parent)
    origin = f", {call_name(row.procedure)} of {parents}" if row.procedure else ""
    members = both_groups(row.members, row.remote_members)
    return f"{communicator_name(row)}: {processes_name(row)} processes ({members}){origin}"


def _members(family: Family) -> str:
    """Return the groups of processes that the communicators have, each once; of many the first ones."""
    each = {both_groups(*pair) for pair in zip(family.members, family.remote_members, strict=True)}
    if len(each) > 1 and all(map(_RANK.fullmatch, each)):
        return f"each of {compact_ascending(sorted(map(int, each)))}"
    groups = sorted(each, key=_first_ranks)
    n_more = len(groups) - _SHOWN_MEMBERS
    return " | ".join(groups[:_SHOWN_MEMBERS]) + (f" +{n_more} more" if n_more > 0 else "")


def _first_ranks(members: str) -> tuple[list[int], str]:
    """Return what sorts groups: which communicator was made first is chance where one call made several."""
    return [int(number) for number in re.findall("[0-9]+", members[:_COMPARED])], members
