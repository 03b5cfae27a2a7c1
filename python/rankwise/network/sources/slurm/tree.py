"""A tree of switches with nodes at them, and how many cables lead up from each."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.sources.generators.plan import Plan, check_tables
from rankwise.topology.sources.slurm.groups import Group, Network

_ABOVE = "above"


@dataclass(kw_only=True)
class TreeSwitch:
    """A switch; the nodes below it have numbers that follow each other.

    Attributes:
        name: of the switch, or of a block.
        parent: index of the switch above; -1: the top.
        first: number of the first node below it.
        last: number after the last one.
        height: 1 if it has only nodes.
        capacity: links from below: of its nodes, and cables of the switches below.
        uplinks: cables to the switch above; 0: none.
        base: port of the first cable down to it, at the switch above; -1: the top.
        up: its own port of the first cable up.
    """

    name: str
    parent: int
    first: int
    last: int = 0
    height: int = 1
    capacity: int = 0
    uplinks: int = 0
    base: int = -1
    up: int = 0


@dataclass(frozen=True)
class Tree:
    """Switches, each before those below it, and nodes from left to right.

    Attributes:
        switches: all of them.
        nodes: their names.
        at: shape (P,): the switch of each node.
    """

    switches: list[TreeSwitch]
    nodes: list[str]
    at: NDArray[np.int64]


def tree_of(network: Network, uplinks: Callable[[int, int], int]) -> Tree:
    """Put switches and nodes in order, and count cables.

    If several switches have none above them, a common one is added: their nodes do reach each other.

    Args:
        network: as a file defines it, and a tree.
        uplinks: height of a switch, links that come from below → cables up.

    Raises:
        RankwiseError: it names no switches.
    """
    groups = {group.name: group for group in with_one_above(network)}
    below = {child for group in groups.values() for child in group.groups}
    top = next(group for group in groups.values() if group.name not in below)
    switches: list[TreeSwitch] = []
    nodes: list[str] = []
    at: list[int] = []

    def add(group: Group, parent: int) -> TreeSwitch:
        place = len(switches)
        switch = TreeSwitch(name=group.name, parent=parent, first=len(nodes), capacity=len(group.nodes))
        switches.append(switch)
        nodes.extend(group.nodes)
        at.extend([place] * len(group.nodes))
        port = len(group.nodes) + 1
        for child in (add(groups[name], place) for name in group.groups):
            child.base = port
            port += child.uplinks
            switch.height = max(switch.height, child.height + 1)
            switch.capacity += child.uplinks
        switch.last, switch.up = len(nodes), port
        switch.uplinks = uplinks(switch.height, switch.capacity) if parent >= 0 else 0
        return switch

    add(top, -1)
    return Tree(switches, nodes, np.array(at, np.int64))


def with_one_above(network: Network) -> list[Group]:
    """Return the groups; where they hang together in several parts, with one above all.

    Raises:
        RankwiseError: it names no switches.
    """
    if not network.groups:
        raise RankwiseError("the topology is flat: it describes no switches")
    part = {group.name: group.name for group in network.groups}

    def root_of(name: str) -> str:
        while part[name] != name:
            name = part[name]
        return name

    for group in network.groups:
        for child in group.groups:
            part[root_of(child)] = root_of(group.name)
    below = {child for group in network.groups for child in group.groups}
    tops = tuple(group.name for group in network.groups if group.name not in below)
    if len({root_of(name) for name in tops}) == 1:
        return list(network.groups)
    return [*network.groups, Group(_free(_ABOVE, part), tops, (), "")]


def plan_of(tree: Tree, rate: float) -> Plan:
    """Return switches, hosts and cables, with this rate of each."""
    first = np.array([switch.first for switch in tree.switches])
    port = np.arange(len(tree.nodes)) - first[tree.at] + 1
    cables = [
        (place, switch.up + copy, switch.parent, switch.base + copy)
        for place, switch in enumerate(tree.switches)
        for copy in range(switch.uplinks)
    ]
    names = tuple(switch.name for switch in tree.switches)
    both = np.array(cables, np.int64).reshape(-1, 4)
    return Plan(names, tuple(tree.nodes), tree.at, port, both, rate)


def dmodk_tables(tree: Tree, plan: Plan) -> NDArray[np.uint16]:
    """Return shape (S, P, 1): up and down, messages for node j take cable j modulo how many there are."""
    check_tables(len(tree.switches), len(tree.nodes))
    number = np.arange(len(tree.nodes))
    tables = np.empty((len(tree.switches), len(tree.nodes), 1), np.uint16)
    for place, switch in enumerate(tree.switches):
        tables[place, :, 0] = switch.up + number % max(1, switch.uplinks)
    for switch in tree.switches[1:]:
        inside = slice(switch.first, switch.last)
        tables[switch.parent, inside, 0] = switch.base + number[inside] % switch.uplinks
    tables[tree.at, number, 0] = plan.port
    return tables


def _free(name: str, taken: Container[str]) -> str:
    while name in taken:
        name += "_"
    return name
