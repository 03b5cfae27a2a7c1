"""Separates levels from partitions that only reflect a slow place among neighbours.

If node 3 has a slow link, `node0 node1 | node2 | node3` is a cheaper partition than the switches are,
`node0 node1 | node2 node3`. But it takes the place of the switches on one side, and of the nodes on the
other: no branch of the tree gets deeper by it. It is no level: something is slow at one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.topology.hierarchy.clustering import Groups


def indices_of_levels(partitions: Sequence[Groups], known: Sequence[Groups] = ()) -> list[int]:
    """Return the places of the partitions that make the tree deeper.

    Args:
        partitions: nested, from the innermost; without single ranks and the set of all ranks; shape (N,)
            each, numbered in the order of first ranks.
        known: levels for sure, such as the hosts; numbered in the same way.
    """
    if not partitions:
        return []
    count = len(partitions[0])
    everyone: Groups = np.zeros(count, dtype=np.int64)
    finer: Groups = np.arange(count)
    indices = []
    for place, (groups, coarser) in enumerate(zip(partitions, [*partitions[1:], everyone], strict=True)):
        if any(np.array_equal(groups, level) for level in known) or _deepens(finer, groups, coarser):
            indices.append(place)
            finer = groups
    return indices


def _deepens(finer: Groups, groups: Groups, coarser: Groups) -> bool:
    """Return whether groups lie between finer and coarser ones in more than a few places.

    That one group comes together while its neighbours stay apart, as where a single one is slow, counts only
    if most of the coarser groups show it. Of a single coarser group that says little, unless it is too small
    for more: of three nodes, one is rather on another switch than slow.
    """
    possible = once = 0
    small = len(np.unique(finer)) <= 3
    for group in range(int(coarser.max()) + 1):
        members = coarser == group
        sizes = _parts(groups[members], finer[members])
        parts, together = len(sizes), int((sizes > 1).sum())
        if parts > 1 and together > 1:
            return True
        possible += sizes.sum() > 2
        once += parts > 1 and together == 1
    return 2 * once > possible and (possible > 1 or small)


def _parts(groups: Groups, finer: Groups) -> Groups:
    """Return how many finer groups each group holds."""
    held = np.unique(np.stack([groups, finer]), axis=1)[0]
    return np.unique(held, return_counts=True)[1]
