"""Switches or blocks, as defined in one of Slurm's files, before they become a tree."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rankwise.errors import RankwiseError
from rankwise.topology.machine.hosts import folded

MOST_LEVELS = 32
NO_TORUS = "a torus is not read from Slurm: give --fabric torus:XxYxZ,names=NODES, with its sizes and nodes"


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
    """The definitions of a file.

    Attributes:
        kind: `switch`, `block` or `ring`: name of the level next to the nodes; '' if all are equally near.
        groups: in the order of the file.
    """

    kind: str
    groups: tuple[Group, ...]


def with_block_sizes(blocks: Sequence[Group], sizes: Sequence[int]) -> Network:
    """Return blocks with the larger blocks that Slurm builds from them.

    Args:
        blocks: in the order of the file.
        sizes: Slurm's BlockSizes: nodes of a block, then of the larger ones, which are made of neighbours.
    """
    groups = list(blocks)
    lower = list(blocks)
    for smaller, larger in pairwise(sizes):
        if smaller < 1 or larger % smaller or larger <= smaller:
            raise RankwiseError(
                f"block sizes must be multiples of each other, ascending: not {smaller}, {larger}"
            )
        step = larger // smaller
        members = [lower[at : at + step] for at in range(0, len(lower), step)]
        lower = [
            Group(f"{some[0].name}..{some[-1].name}", tuple(group.name for group in some), (), some[0].where)
            for some in members
            if len(some) > 1
        ]
        groups += lower
    return Network("block", tuple(groups))


def nested_blocks(blocks: Sequence[Group], larger: Sequence[Group]) -> Network:
    """Return blocks with the larger blocks, each naming all blocks that it contains."""
    groups = list(blocks)
    members = {block.name: {block.name} for block in blocks}
    tops = [block.name for block in blocks]
    for group in sorted(larger, key=lambda candidate: len(candidate.groups)):
        own = {*group.groups}
        below = [name for name in tops if members[name] <= own]
        if len(below) < 2:
            continue
        groups.append(Group(group.name, tuple(below), (), group.where))
        members[group.name] = own
        tops = [name for name in tops if name not in below] + [group.name]
    return Network("block", tuple(groups))


def usable(network: Network, both: str) -> tuple[Network, list[str]]:
    """Return the network without duplicate or empty groups, and a warning for each problem.

    A switch may be below several others, and a node at several switches: Slurm takes both.

    Args:
        network: as a file defines it.
        both: the treatment of a node at several switches.

    Raises:
        RankwiseError: a name is there twice, a child nowhere, or a switch is below itself.
    """
    groups = _by_name(network.groups)
    _check_children(groups)
    empty = dict.fromkeys(_empty(groups))
    kept = [
        Group(
            group.name,
            tuple(dict.fromkeys(child for child in group.groups if child not in empty)),
            tuple(dict.fromkeys(group.nodes)),
            group.where,
        )
        for group in groups.values()
        if group.name not in empty
    ]
    if groups and not kept:
        first = network.groups[0]
        raise RankwiseError(f"{first.where}: {first.name!r} has neither nodes nor switches with nodes")
    warnings = []
    what = kind_text(network)
    if empty:
        warnings.append(f"{what} without nodes left out: {len(empty)}, such as {next(iter(empty))}")
    at: dict[str, list[str]] = {}
    for group in kept:
        for node in group.nodes:
            at.setdefault(node, []).append(group.name)
    several = {node: names for node, names in at.items() if len(names) > 1}
    if several:
        node, names = next(iter(several.items()))
        here = " and ".join(names)
        warnings.append(f"nodes at several {what}: {len(several)}, such as {node} at {here}; {both}")
    return Network(network.kind, tuple(kept)), warnings


def kind_text(network: Network) -> str:
    """Return the word for the groups, in the plural."""
    return {"block": "blocks", "ring": "rings"}.get(network.kind, "switches")


def parents_of(groups: Iterable[Group]) -> dict[str, list[str]]:
    """Return the parents of each group that has any."""
    parents: dict[str, list[str]] = {}
    for group in groups:
        for child in group.groups:
            parents.setdefault(child, []).append(group.name)
    return parents


def as_tree(network: Network) -> Network:
    """Return a tree: switches above the same switch are merged, and nodes keep only their first switch."""
    groups = {group.name: group for group in network.groups}
    while several := next((names for names in parents_of(groups.values()).values() if len(names) > 1), None):
        together = [groups.pop(name) for name in several]
        name = _joint_name(several, groups)
        children = tuple(dict.fromkeys(child for group in together for child in group.groups))
        nodes = tuple(dict.fromkeys(node for group in together for node in group.nodes))
        groups = {each: _renamed(group, {*several}, name) for each, group in groups.items()}
        groups[name] = Group(name, children, nodes, together[0].where)
    visited: set[str] = set()
    placed = []
    for group in groups.values():
        nodes = tuple(node for node in group.nodes if node not in visited)
        placed.append(Group(group.name, group.groups, nodes, group.where))
        visited.update(nodes)
    return Network(network.kind, tuple(placed))


def _joint_name(names: Sequence[str], taken: Container[str]) -> str:
    name = folded(names)
    while name in taken:
        name += "_"
    return name


def _renamed(group: Group, old: Container[str], new: str) -> Group:
    children = tuple(dict.fromkeys(new if child in old else child for child in group.groups))
    return Group(group.name, children, group.nodes, group.where)


def _by_name(groups: Iterable[Group]) -> dict[str, Group]:
    by_name: dict[str, Group] = {}
    for group in groups:
        if not group.name.isprintable():
            raise RankwiseError(f"{group.where}: the name {group.name!r} has control characters")
        if group.name in by_name:
            raise RankwiseError(f"{group.where}: {group.name!r} is defined twice")
        by_name[group.name] = group
    return by_name


def _check_children(groups: dict[str, Group]) -> None:
    """Raise RankwiseError if a switch is nowhere, below itself or too deep."""
    depths: dict[str, int] = {}

    def depth(group: Group, above: tuple[str, ...]) -> int:
        if group.name in above:
            raise RankwiseError(f"{group.where}: {group.name!r} is below itself")
        if group.name not in depths:
            if len(above) >= MOST_LEVELS:
                raise _too_deep(group)
            below = [depth(groups[child], (*above, group.name)) for child in group.groups]
            depths[group.name] = 1 + max(below, default=0)
        return depths[group.name]

    for group in groups.values():
        unknown = next((child for child in group.groups if child not in groups), None)
        if unknown is not None:
            raise RankwiseError(f"{group.where}: the switch {unknown!r} below {group.name!r} is not defined")
    for group in groups.values():
        if depth(group, ()) > MOST_LEVELS:
            raise _too_deep(group)


def _too_deep(group: Group) -> RankwiseError:
    return RankwiseError(f"{group.where}: switches are nested more than {MOST_LEVELS} deep")


def _empty(groups: dict[str, Group]) -> list[str]:
    """Return the groups that have no nodes, straight or through others."""
    full: dict[str, bool] = {}

    def has_nodes(group: Group) -> bool:
        if group.name not in full:
            below = [has_nodes(groups[child]) for child in group.groups]
            full[group.name] = bool(group.nodes) or any(below)
        return full[group.name]

    return [name for name, group in groups.items() if not has_nodes(group)]
