"""Families of communicators created by the same call, such as all rows of a grid."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwise.analysis.calls.operations import Operation, top_operations
from rankwise.analysis.calls.roles import Roles, as_grid
from rankwise.analysis.calls.spanned import Spanned
from rankwise.analysis.calls.totals import Totals, totals_by
from rankwise.analysis.columns import decoded_list
from rankwise.analysis.selection import is_part
from rankwise.profile.join.families import library_of, with_library
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Family:
    """The communicators that one line of the program, or a library, created on all parts of their parents.

    Attributes:
        name: name of the communicator if there is only one, else of the family.
        communicators: their number.
        size_min: processes of the smallest communicator.
        size_max: processes of the largest communicator.
        parent: name of their parent; if there are several parents, the parents' family.
        remote_parent: name of the parent of the remote group, as for `parent`.
        user_names: names set by the program, without repeats; empty if some have none.
        remote_size: processes of the largest remote group; 0 = intracommunicators.
        nodes_min: fewest nodes that the members of one are on; None = unknown of all.
        nodes_max: most nodes that the members of one are on; None = unknown of all.
        members: world ranks of each, in the order of their first process in the profile.
        remote_members: world ranks of each remote group, '' = none.
        dims: of each communicator with a Cartesian topology, without repeats.
        type: communicator, window or file.
        library: library that created them for private use; '' = the program, or unknown.
        procedures: that created them, without repeats; `procedure` is the first.
        role: the meaning of their members, or the function that created them; '' = unknown.
        (the others as for `Communicator`)
    """

    name: str
    family: str
    communicators: int
    size_min: int
    size_max: int
    remote_size: int
    user_names: list[str]
    parent: str | None
    remote_parent: str | None
    procedure: str
    topology: str
    dims: list[list[int]]
    reorder: bool
    reordered: bool
    nodes_min: int | None
    nodes_max: int | None
    members: list[str]
    remote_members: list[str]
    top_operation: Operation | None
    totals: Totals
    type: str
    library: str
    procedures: list[str]
    role: str


def names_of_all(user_names: Iterable[str]) -> list[str]:
    """Return the program's names for members of a family, without repeats.

    Empty if some have no name: the names would seem to apply to all members.

    Args:
        user_names: of each member, '' = the program set none.
    """
    names = _distinct(user_names)
    return [] if "" in names else names


def families(connection: sqlite3.Connection) -> list[Family]:
    """Return every family of communicators, most time in MPI first."""
    counts = {name: totals for (name,), totals in totals_by(connection, "family", sums="family_sums")}
    top = top_operations(connection)
    siblings: dict[str, list[Any]] = {}
    # Names of parents are looked up per family, not per communicator: there may be very many.
    for row in connection.execute(
        "SELECT family, name, size, remote_size, user_name, parent, remote_parent, procedure, topology, dims,"
        " reorder, reordered, members, remote_members, type, site FROM communicators ORDER BY created, id"
    ):
        siblings.setdefault(row[0], []).append(row)
    roles = _roles(connection, siblings)
    spanned = Spanned(connection)
    part = is_part(connection)
    family_rows = [
        _family(
            connection, rows, counts.get(family, Totals()), top.get(family), roles.get(family, ""), spanned
        )
        for family, rows in siblings.items()
        if family in counts or (rows[0][2] > 0 and not part)
    ]
    return sorted(family_rows, key=lambda row: row.totals.order)


def _family(
    connection: sqlite3.Connection,
    siblings: list[Any],
    totals: Totals,
    top: Operation | None,
    role: str,
    spanned: Spanned,
) -> Family:
    family, names, sizes, remote_sizes, user_names, *_ = zip(*siblings, strict=True)
    *_, dims, reorder, reordered, members, remote_members, types, _ = zip(*siblings, strict=True)
    parents, remote_parents, procedures, topologies = list(zip(*siblings, strict=True))[5:9]
    known = (spanned.nodes(*groups) for groups in zip(members, remote_members, strict=True))
    nodes = [number for number in known if number is not None]
    return Family(
        name=with_library(names[0], family[0]) if len(siblings) == 1 else family[0],
        family=family[0],
        communicators=len(siblings),
        size_min=min(sizes),
        size_max=max(sizes),
        remote_size=max(remote_sizes),
        user_names=names_of_all(user_names),
        parent=_name(connection, parents),
        remote_parent=_name(connection, remote_parents),
        procedure=procedures[0],
        topology=topologies[0] if len(set(topologies)) == 1 else "",
        dims=[dimensions for dimensions in map(decoded_list, dict.fromkeys(dims)) if dimensions],
        reorder=any(reorder),
        reordered=any(reordered),
        nodes_min=min(nodes, default=None),
        nodes_max=max(nodes, default=None),
        members=list(members),
        remote_members=list(remote_members),
        top_operation=top,
        totals=totals,
        type=types[0],
        library=library_of(family[0]),
        procedures=_distinct(procedures),
        role=role,
    )


_MEMBERS = 12  # index among the columns that `families` reads


def _roles(connection: sqlite3.Connection, siblings: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Return the role of each family of communicators."""
    known = Roles(connection)
    roles: dict[str, str] = {}
    of_parents: dict[int | None, set[str]] = {}
    grids: dict[str, tuple[int, int, int | None]] = {}
    for family, rows in siblings.items():
        _, _, size, remote_size, _, parent, *_, kind, site = rows[0]
        if kind == "communicator" and size and not remote_size:
            roles[family] = known.of([row[_MEMBERS] for row in rows], site)
            grids[family] = len(rows), size, parent
            of_parents.setdefault(parent, set()).add(roles[family])
    return {
        family: as_grid(roles[family], count, size, of_parents[parent])
        for family, (count, size, parent) in grids.items()
    }


def _name(connection: sqlite3.Connection, communicators: Sequence[int | None]) -> str | None:
    """Return the name of a communicator; for several, the family of the first."""
    column = "name" if len(set(communicators)) == 1 else "family"
    first = next((name for name in communicators if name is not None), None)
    row = connection.execute(f"SELECT {column} FROM communicators WHERE id = ?", (first,)).fetchone()
    return row[0] if row else None


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
