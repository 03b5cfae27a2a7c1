"""Nodes that look alike from inside, with their ranks in the same places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankwise.analysis.nodes.binding import NodePlace


def kinds(nodes: Iterable[NodePlace]) -> list[list[NodePlace]]:
    """Return nodes in groups of those that are alike but for the numbers of their ranks, in their order."""
    same_nodes: dict[object, list[NodePlace]] = {}
    for node in nodes:
        ranks = tuple((rank.cpus, () if node.is_bound(rank) else rank.seen) for rank in node.ranks)
        same_nodes.setdefault((node.processors, node.devices, ranks), []).append(node)
    return list(same_nodes.values())


def ranks_on_cores(node: NodePlace) -> tuple[Mapping[int, list[int]], Mapping[int, list[int]]]:
    """Return by core the ranks that are bound to it, and those that are not bound and were seen on it."""
    bound: dict[int, list[int]] = {}
    seen: dict[int, list[int]] = {}
    for rank in node.ranks:
        where, cpus = (bound, rank.cpus) if node.is_bound(rank) else (seen, rank.seen)
        for core in node.cores(cpus):
            where.setdefault(core, []).append(rank.rank)
    return bound, seen
