"""Views in which no node is slow inside, to make a tree of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankwise.topology.hierarchy.clustering import Groups
from rankwise.topology.hierarchy.distances import View
from rankwise.topology.hierarchy.effects import LEAST, LEAST_INSIDE


def evened(views: Sequence[View], nodes: Groups) -> tuple[View, ...]:
    """Return views in which no node is slower inside than most nodes are; nothing if none is.

    The ranks of a node that is slow inside are as far from each other as from those of other nodes. A tree of
    the measured distances does not have this node.

    Args:
        views: of N ranks.
        nodes: the partition by host; shape (N,).
    """
    found, changed = [], False
    for view in views:
        cost = view.cost.copy()
        medians = {}
        for node in range(int(nodes.max()) + 1):
            members = np.flatnonzero(nodes == node)
            values = cost[np.ix_(members, members)]
            values = values[np.isfinite(values)]
            if len(values) >= 2 * LEAST_INSIDE:
                medians[node] = float(np.median(np.log(values)))
        usual = float(np.median(list(medians.values()))) if medians else 0.0
        for node, median in medians.items():
            if median > usual + LEAST:
                members = np.flatnonzero(nodes == node)
                cost[np.ix_(members, members)] /= np.float32(np.exp(median - usual))
                changed = True
        found.append(replace(view, cost=cost))
    return tuple(found) if changed else ()
