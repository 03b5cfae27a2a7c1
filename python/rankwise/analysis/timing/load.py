"""Load balance: of all ranks, within and between nodes, and within and between roles.

    load balance = mean useful / most useful = within nodes x between nodes
    within nodes = most mean useful of a node / most useful
    between nodes = mean useful / most mean useful of a node

This is the load balance of TALP (DLB) within and between nodes. Roles are treated the same way.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection, Mapping, Sequence

from rankwise.analysis.calls.totals import JOIN_PROCEDURES
from rankwise.profile.join.members import parse
from rankwise.records import dataclass

_MOST_ROLES = 8
_MOST_COMMUNICATORS = 2000


@dataclass(frozen=True)
class Role:
    """Ranks that do one kind of work.

    Attributes:
        name: of their communicator; '' = the ranks that are in none of the other roles' communicators.
        ranks: ascending.
    """

    name: str
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Shared:
    """Load balance within groups of ranks and between groups, from 0 to 1.

    Attributes:
        within: largest mean useful time of a group, divided by the largest useful time of a rank.
        between: mean useful time of all ranks, divided by the largest mean useful time of a group.
    """

    within: float
    between: float


def balance(useful: Collection[float]) -> float:
    """Return the load balance of ranks with these useful times."""
    most = max(useful, default=0.0)
    return math.fsum(useful) / len(useful) / most if most > 0 else 1.0


def shared(useful: Mapping[int, float], groups: Sequence[Sequence[int]]) -> Shared:
    """Return the load balance within groups and between them."""
    means = [math.fsum(useful[rank] for rank in group) / len(group) for group in groups]
    most = max(useful.values(), default=0.0)
    if most <= 0:
        return Shared(1.0, 1.0)
    return Shared(max(means) / most, math.fsum(useful.values()) / len(useful) / max(means))


def roles(connection: sqlite3.Connection, number: int) -> list[Role]:
    """Return the kinds of ranks that a program has, if communicators made by one call distinguish them.

    They do if each rank is in at most one of them, and if the first and the last rank of a communicator call
    other procedures than these ranks of another communicator. Rows of a grid, for example, all do the same.
    """
    families: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    for name, family, members in connection.execute(
        "SELECT name, family, members FROM communicators WHERE type = 'communicator'"
        " AND size > 0 AND size < ? AND remote_size = 0 ORDER BY id LIMIT ?",
        (number, _MOST_COMMUNICATORS),
    ):
        ranks = tuple(sorted(rank for rank in parse(members) if rank >= 0))
        families.setdefault(family, []).append((name, ranks))
    for siblings in families.values():
        divided = _divided(siblings, number)
        if divided and len({_procedures(connection, role) for role in divided}) > 1:
            return divided
    return []


def _divided(siblings: Sequence[tuple[str, tuple[int, ...]]], number: int) -> list[Role]:
    """Return the ranks as divided by communicators; empty if these do not divide them."""
    inside = [rank for _, ranks in siblings for rank in ranks]
    if len(siblings) > _MOST_ROLES or len(set(inside)) < len(inside):
        return []
    roles = [Role(name, ranks) for name, ranks in siblings if ranks]
    outside = tuple(sorted(set(range(number)) - set(inside)))
    return [*roles, *([Role("", outside)] if outside else [])]


def _procedures(connection: sqlite3.Connection, role: Role) -> frozenset[str]:
    """Return the procedures that both the first and the last rank of a role call."""
    called = [
        {
            str(name)
            for (name,) in connection.execute(
                f"SELECT DISTINCT procedures.name FROM calls {JOIN_PROCEDURES} WHERE rank = ?", (rank,)
            )
        }
        for rank in {role.ranks[0], role.ranks[-1]}
    ]
    return frozenset(set.intersection(*called))
