"""Communicators made by the same call, taken together: all rows of a grid are one line."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from rankwise.analysis.communicators import Communicator, communicators
from rankwise.analysis.counted import Counted
from rankwise.analysis.operations import Operation, top_operations


@dataclass(frozen=True)
class Family:
    """The communicators that one creating call made.

    Attributes:
        name: the communicator's own name if there is only one, else the family's.
        communicators: how many there are.
        size_min: processes of the smallest.
        size_max: processes of the largest.
        user_names: names set by the program, without repeats.
        remote_size: processes of the remote group of the largest; 0 = intracommunicators.
        members: world ranks of each, in the order of their first process in the profile.
        remote_members: of their remote groups, '' = none.
        dims: of each communicator that has a Cartesian topology, without repeats.
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
    members: list[str]
    remote_members: list[str]
    top_operation: Operation | None
    counted: Counted


def families(connection: sqlite3.Connection) -> list[Family]:
    """Return every family of communicators, most time in MPI first."""
    siblings: dict[str, list[Communicator]] = {}
    for communicator in sorted(communicators(connection), key=lambda row: row.created_seconds):
        siblings.setdefault(communicator.family, []).append(communicator)
    top = top_operations(connection, "family")
    found = [_family(members, top.get(name)) for name, members in siblings.items()]
    return sorted(found, key=lambda row: row.counted.order)


def _family(siblings: list[Communicator], top: Operation | None) -> Family:
    first = siblings[0]
    return Family(
        name=first.name if len(siblings) == 1 else first.family,
        family=first.family,
        communicators=len(siblings),
        size_min=min(row.size for row in siblings),
        size_max=max(row.size for row in siblings),
        remote_size=max(row.remote_size for row in siblings),
        user_names=_distinct(row.user_name for row in siblings if row.user_name),
        parent=first.parent,
        remote_parent=first.remote_parent,
        procedure=first.procedure,
        topology=first.topology,
        dims=[list(dims) for dims in dict.fromkeys(tuple(row.dims) for row in siblings if row.dims)],
        reorder=any(row.reorder for row in siblings),
        reordered=any(row.reordered for row in siblings),
        members=[row.members for row in siblings],
        remote_members=[row.remote_members for row in siblings],
        top_operation=top,
        counted=sum((row.counted for row in siblings), Counted()),
    )


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
