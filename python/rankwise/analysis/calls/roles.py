"""Roles of communicators, derived from their members, such as rows of a grid or one for each node."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from operator import eq

from rankwise.analysis.columns import decoded_list
from rankwise.profile.join.members import count, parse

Ranks = tuple[int, ...]
Parts = frozenset[frozenset[int]]

_MOST_MEMBERS = 50_000
_MOST_GRIDS = 16
_MOST_DIMENSIONS = 4
_NAMELESS = ("main", "MAIN__")


class Roles:
    """The roles of a run's communicators."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Derive roles from this profile."""
        self._connection = connection
        self._left = _MOST_MEMBERS

    def of(self, members: Sequence[str], site: int | None = None) -> str:
        """Return the role of a family of communicators; '' if unknown.

        Args:
            members: world ranks of each, in compact form.
            site: call site that created the first communicator.
        """
        return self._of_members(members) or self._created_in(site)

    def _of_members(self, members: Sequence[str]) -> str:
        each = dict.fromkeys(members)
        if len(each) > self._left or any("?" in part for part in each):  # not all are known
            return ""
        counts = [count(part) for part in each]
        if not all(counts) or (len(each) == 1 and counts[0] >= self._number):
            return ""
        if len(each) > 1 and max(counts) == 1:
            return "each rank alone"
        self._left -= sum(counts)
        if self._left < 0:
            return ""
        groups = [tuple(parse(part)) for part in each]
        return self._of_one(groups[0]) if len(groups) == 1 else self._of_several(groups)

    def _of_one(self, ranks: Ranks) -> str:
        own, number = frozenset(ranks), self._number
        for host, on_node in self._nodes.items():
            if own == on_node and len(self._nodes) > 1 and len(own) > 1:
                return f"the ranks of {host}"
        if len(own) == len(self._nodes) > 1 and all(
            len(own & on_node) == 1 for on_node in self._nodes.values()
        ):
            return "one rank of each node"
        return _of_ranks(sorted(own), number)

    def _of_several(self, groups: Sequence[Ranks]) -> str:
        parts = frozenset(map(frozenset, groups))
        number = sum(map(len, parts))
        if number == self._number == len(frozenset().union(*parts)):
            if len(self._nodes) > 1 and parts == frozenset(self._nodes.values()):
                return "one for each node"
            if known_role := self._positions.get(parts) or _of_parts(sorted(map(sorted, parts)), number):
                return known_role
        return "pairs of ranks" if all(len(part) == 2 for part in parts) else ""

    def _created_in(self, site: int | None) -> str:
        if site is None:
            return ""
        row = self._connection.execute("SELECT function FROM sites WHERE id = ?", (site,)).fetchone()
        name = row[0].partition("(")[0].rpartition("::")[2] if row and row[0] else ""
        return f"made in {name}" if name and name not in _NAMELESS else ""

    @cached_property
    def _number(self) -> int:
        (number,) = self._connection.execute("SELECT ranks_expected FROM run").fetchone()
        return int(number)

    @cached_property
    def _nodes(self) -> Mapping[str, frozenset[int]]:
        ranks_of_host: dict[str, set[int]] = {}
        for rank, host in self._connection.execute("SELECT rank, host FROM main.ranks"):
            ranks_of_host.setdefault(host, set()).add(rank)
        return {host: frozenset(ranks) for host, ranks in ranks_of_host.items()}

    @cached_property
    def _positions(self) -> Mapping[Parts, str]:
        """Names of the parts of Cartesian communicators."""
        positions: dict[Parts, str] = {}
        for name, members, dims in self._connection.execute(
            "SELECT name, members, dims FROM communicators WHERE topology = 'cart' AND size = ?"
            " ORDER BY id LIMIT ?",
            (self._number, _MOST_GRIDS),
        ):
            if "?" in members or count(members) != self._number:
                continue
            ranks, counts = parse(members), decoded_list(dims)
            # (A dimension of length 1 does not divide the grid.)
            wide = [place for place, places in enumerate(counts) if places > 1]
            if 2 <= len(wide) <= _MOST_DIMENSIONS and math.prod(counts) == len(ranks):
                for parts, what in _parts_of_grid(ranks, counts, wide):
                    positions.setdefault(parts, f"{what} of {name}")
        return positions


def _parts_of_grid(
    ranks: Sequence[int], dims: Sequence[int], wide: Sequence[int]
) -> Iterable[tuple[Parts, str]]:
    """Return the ways to divide a grid by some of its dimensions, with the names of the parts."""
    places = list(product(*map(range, dims)))
    for kept_number in range(1, len(wide)):
        for kept in combinations(wide, kept_number):
            groups: dict[tuple[int, ...], set[int]] = {}
            for place, rank in zip(places, ranks, strict=True):
                key = tuple(at for dimension, at in enumerate(place) if dimension not in kept)
                groups.setdefault(key, set()).add(rank)
            yield frozenset(map(frozenset, groups.values())), _called(kept, wide)


def _called(kept: Sequence[int], wide: Sequence[int]) -> str:
    if len(wide) == 2:
        return "rows" if kept[0] == wide[1] else "columns"
    if len(kept) == 1:
        return f"lines along dimension {kept[0]}"
    across = [str(dimension) for dimension in wide if dimension not in kept]
    return f"planes across dimension{'s' * (len(across) > 1)} {', '.join(across)}"


def _of_ranks(ranks: Sequence[int], number: int) -> str:
    """Return a description of some ranks among this number of ranks."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    if ranks[-1] - ranks[0] == len(ranks) - 1:
        return f"ranks {ranks[0]}-{ranks[-1]}"
    for first, what in ((0, "even ranks"), (1, "odd ranks")):
        if _equal(ranks, range(first, number, 2)):
            return what
    step = ranks[1] - ranks[0]
    if len(ranks) > 2 and _equal(ranks, range(ranks[0], ranks[-1] + 1, step)):
        return f"every {_ordinal(step)} rank from {ranks[0]}"
    return f"{len(ranks)} of {number} ranks"


def _of_parts(parts: Sequence[Sequence[int]], number: int) -> str:
    """Return the name of a partition of this many ranks; '' if it has none."""
    size = len(parts[0])
    if len(parts) == 2 and _equal(parts[0], range(size)):
        first = "rank 0" if size == 1 else f"ranks 0-{size - 1}"
        return f"{first} and the rest" if size != len(parts[1]) else "two halves"
    if any(len(part) != size for part in parts):
        return ""
    if all(part[-1] - part[0] == size - 1 for part in parts):
        return _blocks(size)
    step = len(parts)
    if all(_equal(part, range(part[0], number, step)) for part in parts):
        return _strides(step)
    return ""


def _equal(ranks: Sequence[int], expected: range) -> bool:
    return len(ranks) == len(expected) and all(map(eq, ranks, expected))


def _blocks(size: int) -> str:
    return "pairs of neighbours" if size == 2 else f"blocks of {size} ranks"


def _strides(step: int) -> str:
    return "even and odd ranks" if step == 2 else f"every {_ordinal(step)} rank"


def as_grid(role: str, number: int, size: int, siblings: Collection[str]) -> str:
    """Return the role of communicators, which may be rows or columns of the program's own grid.

    Args:
        role: the meaning of their members.
        number: number of communicators.
        size: processes of each.
        siblings: roles of all communicators from the same parent.
    """
    if role == _blocks(size) and _strides(size) in siblings:
        return f"rows of a {number} x {size} grid"
    if role == _strides(number) and _blocks(number) in siblings:
        return f"columns of a {size} x {number} grid"
    return role


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"
