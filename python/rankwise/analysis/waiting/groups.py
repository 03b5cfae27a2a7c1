"""Groups of ranks that may be late together: by lateness, node, position in a grid, or role."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from rankwise.cpulist import cpu_text
from rankwise.profile.join.members import parse
from rankwise.records import dataclass

NODE, POSITION, ROLE = "node", "position", "role"
_ORDER = (NODE, POSITION, ROLE, "")
_EACH_UP_TO = 16
_GAPS = 4
_MOST_COMMUNICATORS = 2000
_MOST_FAMILIES = 16

Lateness = Mapping[int, float]


@dataclass(frozen=True)
class Group:
    """Some ranks.

    Attributes:
        ranks: ascending.
        kind: `node`, `position` or `role` that they share; '' = nothing in common.
        name: of the node; or their position and communicator.
    """

    ranks: tuple[int, ...]
    kind: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        """The ranks as a list such as `0-3,8`."""
        return cpu_text(self.ranks)

    @property
    def order(self) -> int:
        """Sort key: the preferred name for about the same ranks comes first."""
        return _ORDER.index(self.kind)


def prefixes(late: Lateness, number: int) -> Iterator[Group]:
    """Return the latest rank, the latest two, and so on, up to half of all ranks.

    Beyond 16 ranks, only the powers of two are tried, and sizes where the next rank is much less late.
    """
    order = sorted((rank for rank, seconds in late.items() if seconds > 0), key=lambda rank: -late[rank])
    most = min(max(number // 2, 1), len(order))
    sizes = set(range(1, _EACH_UP_TO + 1))
    sizes |= {2**power for power in range(most.bit_length())} | {most}
    falls = [after / before for before, after in pairwise(late[rank] for rank in order)]
    sizes |= {place + 1 for place in sorted(range(len(falls)), key=lambda place: falls[place])[:_GAPS]}
    for size in sorted(sizes):
        if size <= most:
            yield Group(tuple(sorted(order[:size])))


class Structures:
    """Nodes, positions and roles of a run."""

    def __init__(self, connection: sqlite3.Connection, number: int) -> None:
        """Find them in a profile with this number of ranks."""
        self._number = number
        self._nodes = _nodes(connection)
        self._positions: list[list[Group]] = []
        roles: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
        for name, family, members, size, dims in connection.execute(
            "SELECT name, family, members, size, CASE topology WHEN 'cart' THEN dims ELSE '[]' END"
            " FROM communicators WHERE type = 'communicator' AND size > 1 AND remote_size = 0"
            " ORDER BY id LIMIT ?",
            (_MOST_COMMUNICATORS,),
        ):
            ranks = parse(members)
            if dims != "[]" and 2 * size >= number:
                self._positions += _positions(name, ranks, json.loads(dims))
            if size < number:
                roles.setdefault(family, []).append(
                    (name, tuple(sorted(rank for rank in ranks if rank >= 0)))
                )
        self._roles = [self._of_family(name, own) for name, own in [*roles.items()][:_MOST_FAMILIES]]

    def _of_family(self, family: str, communicators: Sequence[tuple[str, tuple[int, ...]]]) -> list[Group]:
        """Return the groups of ranks that are formed by communicators from one call."""
        family_groups = [Group(ranks, ROLE, f"of {name}") for name, ranks in communicators]
        inside = {rank for _, ranks in communicators for rank in ranks}
        if len(inside) < self._number:
            outside = tuple(rank for rank in range(self._number) if rank not in inside)
            family_groups.append(Group(outside, ROLE, f"in no {family}"))
            if len(communicators) > 1:
                family_groups.append(Group(tuple(sorted(inside)), ROLE, f"in some {family}"))
        return family_groups

    def likely(self, lateness: Iterable[Lateness]) -> Iterator[Group]:
        """Return the latest group of each kind, by the mean lateness of its ranks."""
        for late in lateness:
            for groups in (self._nodes, *self._positions, *self._roles):
                fitting = [group for group in groups if self._fits(group)]
                if fitting:
                    yield max(fitting, key=lambda group: _mean(group, late))

    def _fits(self, group: Group) -> bool:
        most = self._number - 1 if group.kind == NODE else self._number // 2
        return 1 < len(group.ranks) <= most


def _mean(group: Group, late: Lateness) -> float:
    return math.fsum(late.get(rank, 0.0) for rank in group.ranks) / len(group.ranks)


def _nodes(connection: sqlite3.Connection) -> list[Group]:
    hosts: dict[str, list[int]] = {}
    for rank, host in connection.execute("SELECT rank, host FROM ranks ORDER BY rank"):
        hosts.setdefault(host, []).append(rank)
    return [Group(tuple(ranks), NODE, host) for host, ranks in hosts.items()]


def _positions(name: str, ranks: Sequence[int], dims: Sequence[int]) -> Iterator[list[Group]]:
    """Return the groups of ranks with the same coordinate, for each dimension of a Cartesian communicator."""
    wide = [place for place, count in enumerate(dims) if count > 1]
    grid = " x ".join(map(str, dims))
    for dimension in wide if len(wide) > 1 else ():
        stride = math.prod(dims[dimension + 1 :])
        groups: list[list[int]] = [[] for _ in range(dims[dimension])]
        for place, rank in enumerate(ranks):
            if rank >= 0:
                groups[place // stride % dims[dimension]].append(rank)
        what = f"slab {{}} across dimension {dimension}"
        if len(dims) == 2:
            what = ("row {}", "column {}")[dimension]
        yield [
            Group(tuple(sorted(group)), POSITION, f"{what.format(at)} of the {grid} grid {name}")
            for at, group in enumerate(groups)
        ]
