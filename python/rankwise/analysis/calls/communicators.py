"""The communicators, windows and files, how they were created, and the calls on each."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.operations import Operation, top_operations
from rankwise.analysis.calls.roles import Roles
from rankwise.analysis.calls.spanned import Spanned
from rankwise.analysis.calls.totals import Totals, totals_by
from rankwise.analysis.columns import decoded_list
from rankwise.analysis.rows import rows_by_name
from rankwise.analysis.selection import is_part
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Communicator:
    """A communicator, window or file.

    Attributes:
        name: ancestry, such as W_a1_u2.0.
        family: name shared by all communicators of the same creating call.
        user_name: set by the program, or ''.
        parent: name of the parent, or None.
        procedure: creating procedure, '' for predefined ones.
        size: processes of the (local) group; 0 if the row is no communicator.
        remote_size: processes of the remote group, 0 = intracommunicator.
        members: world ranks in compact form, 0-3,8,12-96:4; of an intercommunicator the group with the
            lowest rank.
        remote_members: world ranks of the other group; '' = intracommunicator.
        remote_parent: name of the communicator that formed the other group, or None.
        nodes: number of nodes that the members are on; None = unknown.
        members_seen: number of members whose counters were read.
        topology: '', cart, graph, dist_graph.
        reorder: the program asked for reordering.
        reordered: Rankwise assigned its ranks to suit the machine.
        created_seconds: time of creation after the start of the run.
        freed_seconds: time of its release after the start of the run; None = not freed.
        top_operation: procedure and size with the most time in MPI; None if nothing was called.
        type: communicator, window or file.
        created_in: name of the program or library whose call created it; None = unknown.
        role: the meaning of its members, or the function that created it; '' = unknown.
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
    nodes: int | None
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
    created_in: str | None
    role: str


def communicators(connection: sqlite3.Connection) -> list[Communicator]:
    """Return every communicator, most time in MPI first; (none), (several) and (other) only if in use."""
    counts = {
        key: totals for (key,), totals in totals_by(connection, "communicator", sums="communicator_sums")
    }
    top = top_operations(connection, by_communicator=True)
    rows = rows_by_name(
        connection,
        "SELECT c.*, parents.name AS parent_name, others.name AS remote_parent_name"
        " FROM communicators c LEFT JOIN communicators parents ON parents.id = c.parent"
        " LEFT JOIN communicators others ON others.id = c.remote_parent ORDER BY c.id",
    )
    part = is_part(connection)
    roles, spanned = Roles(connection), Spanned(connection)
    communicator_rows = [
        _communicator(row, top.get(row["id"]), counts.get(row["id"], Totals()), roles, spanned)
        for row in rows
        if row["id"] in counts or (row["size"] > 0 and not part)
    ]
    return sorted(communicator_rows, key=lambda row: row.totals.order)


def _communicator(
    row: sqlite3.Row, top: Operation | None, totals: Totals, roles: Roles, spanned: Spanned
) -> Communicator:
    has_role = row["type"] == "communicator" and row["size"] and not row["remote_size"]
    return Communicator(
        name=row["name"],
        family=row["family"],
        user_name=row["user_name"],
        parent=row["parent_name"],
        procedure=row["procedure"],
        size=row["size"],
        remote_size=row["remote_size"],
        members=row["members"],
        remote_members=row["remote_members"],
        remote_parent=row["remote_parent_name"],
        nodes=spanned.nodes(row["members"], row["remote_members"]),
        members_seen=row["members_seen"],
        topology=row["topology"],
        dims=decoded_list(row["dims"]),
        periods=decoded_list(row["periods"]),
        reorder=bool(row["reorder"]),
        reordered=bool(row["reordered"]),
        created_seconds=row["created"],
        freed_seconds=row["freed"],
        top_operation=top,
        totals=totals,
        type=row["type"],
        created_in=row["created_in"],
        role=roles.of([row["members"]], row["site"]) if has_role else "",
    )
