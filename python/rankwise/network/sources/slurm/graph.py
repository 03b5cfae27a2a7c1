"""Switches that are not a tree: some are below several others, as in a fat tree that names all its spines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.sources.generators.plan import Plan
from rankwise.network.sources.slurm.tree import with_one_above
from rankwise.topology.sources.slurm.groups import Group, Network, parents_of


def graph_of(
    network: Network, uplinks: Callable[[int, int], int] | None, rate: float
) -> tuple[Plan, NDArray[np.int32]]:
    """Return switches, nodes and cables, and how high each switch is, from 1.

    Args:
        network: as a file defines it.
        uplinks: height of a switch, links that come from below → cables up, to all above it together; None:
            one to each.
        rate: of each cable.

    Raises:
        RankwiseError: cables can't be dealt out evenly.
    """
    groups = {group.name: group for group in with_one_above(network)}
    parents = parents_of(groups.values())
    heights = _heights(groups)
    order = sorted(groups, key=lambda name: heights[name])
    number = {name: place for place, name in enumerate(order)}
    ports = {name: len(groups[name].nodes) for name in order}
    cables = []
    for name in order:
        above = parents.get(name, [])
        count = uplinks(heights[name], ports[name]) if uplinks else len(above)
        for parent in above * _each(groups[name], count, len(above)):
            ports[name] += 1
            ports[parent] += 1
            cables.append((number[name], ports[name], number[parent], ports[parent]))
    places = [(node, number[name], port) for name in order for port, node in enumerate(groups[name].nodes, 1)]
    nodes, at, port = zip(*places, strict=True)
    both = np.array(cables, np.int64).reshape(-1, 4)
    plan = Plan(tuple(order), nodes, np.array(at, np.int64), np.array(port, np.int64), both, rate)
    return plan, np.array([heights[name] for name in order], np.int32)


def _heights(groups: dict[str, Group]) -> dict[str, int]:
    heights: dict[str, int] = {}

    def height(group: Group) -> int:
        if group.name not in heights:
            heights[group.name] = 1 + max((height(groups[child]) for child in group.groups), default=0)
        return heights[group.name]

    for group in groups.values():
        height(group)
    return heights


def _each(group: Group, count: int, above: int) -> int:
    """Return the cables to each switch above; RankwiseError if their numbers differ."""
    if above and count % above:
        raise RankwiseError(
            f"{group.where}: {group.name!r} would have {count} cables up to {above} switches: give a "
            f"multiple of {above}"
        )
    return count // above if above else 0
