"""Load balance: over the ranks, within nodes and between them, and between roles.

    load balance = mean useful / most useful = within nodes x between nodes
    within nodes = most mean useful of a node / most useful
    between nodes = mean useful / most mean useful of a node

This is the load balance of TALP (DLB), in nodes and between them. Roles are divided likewise.
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
        name: of their communicator; '' = they are in none of the other roles' communicators.
        ranks: ascending.
    """

    name: str
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Shared:
    """Load balance within groups of ranks, and between the groups.

    Attributes:
        within: largest mean useful time of a group / largest useful time of a rank.
        between: mean useful time of a rank / largest mean useful time of a group.
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
    """Return the roles of ranks in a program, if communicators made by one call separate them.

    They do if each rank is in at most one of them, and if the first and the last rank of each one call other
    procedures than the ranks of another one. The rows of a grid all call the same.
    """
    families: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    for name, family, members in connection.execute(
        "SELECT name, family, members FROM communicators WHERE type = 'communicator'"
        " AND size > 0 AND size < ? AND remote_size = 0 ORDER BY id LIMIT ?",
        (number, _MOST_COMMUNICATORS),
    ):
        ranks = tuple(sorted(rank for rank in parse(members) if rank >= 0))
        families.setdefault(family, []).append((name, ranks))
    for own in families.values():
        divided = _divided(own, number)
        if divided and len({_procedures(connection, role) for role in divided}) > 1:
            return divided
    return []


def _divided(own: Sequence[tuple[str, tuple[int, ...]]], number: int) -> list[Role]:
    """Return the roles by which communicators divide the ranks; none if they do not divide them."""
    inside = [rank for _, ranks in own for rank in ranks]
    if len(own) > _MOST_ROLES or len(set(inside)) < len(inside):
        return []
    roles = [Role(name, ranks) for name, ranks in own if ranks]
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
