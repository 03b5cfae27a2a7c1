"""Groups equivalent nodes: the same topology, with the ranks in the same places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankwise.analysis.nodes.binding import NodePlace


def kinds(nodes: Iterable[NodePlace]) -> list[list[NodePlace]]:
    """Return groups of nodes that differ only in the numbers of their ranks, in order."""
    same_nodes: dict[object, list[NodePlace]] = {}
    for node in nodes:
        ranks = tuple((rank.cpus, () if node.is_bound(rank) else rank.seen) for rank in node.ranks)
        same_nodes.setdefault((node.processors, node.devices, ranks), []).append(node)
    return list(same_nodes.values())


def ranks_on_cores(node: NodePlace) -> tuple[Mapping[int, list[int]], Mapping[int, list[int]]]:
    """Return the ranks bound to each core, and the unbound ranks observed on each core."""
    bound: dict[int, list[int]] = {}
    observed: dict[int, list[int]] = {}
    for rank in node.ranks:
        where, cpus = (bound, rank.cpus) if node.is_bound(rank) else (observed, rank.seen)
        for core in node.cores(cpus):
            where.setdefault(core, []).append(rank.rank)
    return bound, observed
