"""Which communicators, windows and files exist, how they were made, and what goes over each."""

from __future__ import annotations

import sqlite3
from typing import Any

from rankwise.analysis.calls.operations import Operation, top_operations
from rankwise.analysis.calls.totals import Totals, totals_by
from rankwise.analysis.columns import decoded_list
from rankwise.analysis.selection import is_part
from rankwise.records import dataclass


@dataclass(frozen=True)
class Communicator:
    """One communicator, window or file.

    Attributes:
        name: ancestry, such as W_a1_u2.0.
        family: the name shared by all communicators of the same creating call.
        user_name: set by the program, or ''.
        parent: name of the parent, or None.
        procedure: creating procedure, '' for predefined ones.
        size: processes of the (local) group; 0 where the row is no communicator.
        remote_size: processes of the remote group, 0 = intracommunicator.
        members: world ranks in compact form, 0-3,8,12-96:4; of an intercommunicator the group of the
            lowest.
        remote_members: likewise, of the other group; '' = intracommunicator.
        remote_parent: name of the communicator that was the other group, or None.
        members_seen: members whose counters were read.
        topology: '', cart, graph, dist_graph.
        reorder: the program asked for reordering.
        reordered: Rankwise has given it ranks that suit the machine.
        created_seconds: after the start of the run.
        freed_seconds: the same; None = not freed.
        top_operation: procedure and size of the most time in MPI; None if nothing was called.
        type: communicator, window or file.
        made_in: name of the file, a program or a library, whose call made it; None = not known.
    """

    name: str
    family: str
    user_name: str
    parent: str | None
    procedure: str
    size: int
    remote_size: int
    members: str
    remote_members: str
    remote_parent: str | None
    members_seen: int
    topology: str
    dims: list[int]
    periods: list[int]
    reorder: bool
    reordered: bool
    created_seconds: float
    freed_seconds: float | None
    top_operation: Operation | None
    totals: Totals
    type: str
    made_in: str | None


def communicators(connection: sqlite3.Connection) -> list[Communicator]:
    """Return every communicator, most time in MPI first; (none), (several) and (other) only if in use."""
    counts = {
        key: totals for (key,), totals in totals_by(connection, "communicator", sums="communicator_sums")
    }
    top = top_operations(connection, by_communicator=True)
    rows = connection.execute(
        "SELECT c.id, c.name, c.family, c.user_name, parents.name, c.procedure, c.size, c.remote_size,"
        " c.members, c.remote_members, others.name, c.members_seen, c.topology, c.dims, c.periods,"
        " c.reorder, c.reordered, c.created, c.freed, c.type, c.made_in"
        " FROM communicators c LEFT JOIN communicators parents ON parents.id = c.parent"
        " LEFT JOIN communicators others ON others.id = c.remote_parent ORDER BY c.id"
    ).fetchall()
    part = is_part(connection)
    found = [_communicator(row, top, counts) for row in rows if row[0] in counts or (row[6] > 0 and not part)]
    return sorted(found, key=lambda row: row.totals.order)


def _communicator(row: Any, top: dict[Any, Operation], counts: dict[Any, Totals]) -> Communicator:
    key, *facts, dims, periods, reorder, reordered, created, freed, made_as, made_in = row
    lists = (decoded_list(dims), decoded_list(periods))
    totals = counts.get(key, Totals())
    flags = (bool(reorder), bool(reordered))
    return Communicator(*(*facts, *lists, *flags, created, freed, top.get(key), totals, made_as, made_in))
