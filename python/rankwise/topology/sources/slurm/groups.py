"""Switches or blocks, as one of Slurm's files defines them, before they are a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rankwise.errors import RankwiseError

MOST_LEVELS = 32


@dataclass(frozen=True)
class Group:
    """A switch or a block.

    Attributes:
        name: its own.
        groups: names of the switches below it.
        nodes: names of the nodes at it.
        where: in the file, for complaints: `line 3`, `[0].tree.switches[2]`.
    """

    name: str
    groups: tuple[str, ...]
    nodes: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class Network:
    """What a file defines.

    Attributes:
        kind: `switch` or `block`: name of the level next to the nodes; '' if all nodes are equally near.
        groups: in the order of the file.
    """

    kind: str
    groups: tuple[Group, ...]


def with_block_sizes(blocks: Sequence[Group], sizes: Sequence[int]) -> Network:
    """Return blocks with the larger ones that Slurm makes of them.

    Args:
        blocks: in the order of the file.
        sizes: Slurm's BlockSizes: nodes of a block, then of the larger ones, which are made of neighbours.
    """
    found = list(blocks)
    lower = list(blocks)
    for smaller, larger in pairwise(sizes):
        if smaller < 1 or larger % smaller or larger <= smaller:
            raise RankwiseError(
                f"block sizes must be multiples of each other, ascending: not {smaller}, {larger}"
            )
        step = larger // smaller
        members = [lower[at : at + step] for at in range(0, len(lower), step)]
        lower = [
            Group(f"{some[0].name}..{some[-1].name}", tuple(one.name for one in some), (), some[0].where)
            for some in members
            if len(some) > 1
        ]
        found += lower
    return Network("block", tuple(found))


def check(groups: Iterable[Group]) -> None:
    """Refuse what is no tree: a name twice, a child twice or nowhere, a group without anything, a cycle."""
    by_name: dict[str, Group] = {}
    for group in groups:
        if not group.name.isprintable():
            raise RankwiseError(f"{group.where}: the name {group.name!r} has control characters")
        if group.name in by_name:
            raise RankwiseError(f"{group.where}: {group.name!r} is defined twice")
        if not group.groups and not group.nodes:
            raise RankwiseError(f"{group.where}: {group.name!r} has neither nodes nor switches")
        by_name[group.name] = group
    parent: dict[str, str] = {}
    at: dict[str, str] = {}
    for group in by_name.values():
        for child in group.groups:
            if child not in by_name:
                raise RankwiseError(
                    f"{group.where}: the switch {child!r} below {group.name!r} is not defined"
                )
            _once(parent, child, group, "switch")
        for node in group.nodes:
            _once(at, node, group, "node")
    for group in by_name.values():
        seen = {group.name}
        name = group.name
        while name in parent:
            name = parent[name]
            if name in seen:
                raise RankwiseError(f"{group.where}: {group.name!r} is below itself")
            if len(seen) >= MOST_LEVELS:
                raise RankwiseError(f"{group.where}: switches are nested more than {MOST_LEVELS} deep")
            seen.add(name)


def _once(known: dict[str, str], name: str, group: Group, what: str) -> None:
    if name in known:
        both = f"{known[name]!r} and {group.name!r}" if known[name] != group.name else f"{group.name!r} twice"
        raise RankwiseError(f"{group.where}: the {what} {name!r} is below {both}: that is no tree")
    known[name] = group.name
