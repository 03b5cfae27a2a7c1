"""Ranks that were not measured, as with one measured rank per node: they belong to their node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.topology.hierarchy.clustering import Groups
from rankwise.topology.hierarchy.distances import Matrix
from rankwise.topology.machine.slots import numbered


def measured(distances: Matrix) -> NDArray[np.int64]:
    """Return the ranks with any known distance to another: shape (M,)."""
    known = np.isfinite(distances)
    np.fill_diagonal(known, False)
    return np.flatnonzero(known.any(axis=1))


def spread(
    cuts: Sequence[Groups], known: NDArray[np.int64], nodes: Groups | None, count: int
) -> list[Groups]:
    """Put ranks that were not measured into the groups of the measured ones.

    Args:
        cuts: nested partitions of the M measured ranks.
        known: the measured ranks, shape (M,).
        nodes: partition of all ranks by node, if it is known; shape (N,).
        count: N.

    Returns:
        partitions of all ranks. A rank whose node was not measured stays alone. Nodes come first as a
        separate level where they join measured and other ranks.
    """
    if len(known) == count:
        return list(cuts)
    # From here on, ranks beyond the measured ones have numbers that no group has.
    like = np.arange(count) + len(known)
    like[known] = np.arange(len(known))
    if nodes is not None:
        of_node = {int(node): place for place, node in reversed(list(enumerate(nodes[known])))}
        for rank in np.flatnonzero(like >= len(known)).tolist():
            like[rank] = of_node.get(int(nodes[rank]), like[rank])
    partitions_of_all = [like] if len(np.unique(like)) < count else []
    for cut in cuts:
        groups = like.copy()
        groups[like < len(known)] = cut[like[like < len(known)]]
        partitions_of_all.append(groups)
    partitions = [numbered(groups.tolist()) for groups in partitions_of_all]
    return [groups for place, groups in enumerate(partitions) if not _known(groups, partitions[:place])]


def _known(groups: Groups, others: Sequence[Groups]) -> bool:
    return any(np.array_equal(groups, other) for other in others)
