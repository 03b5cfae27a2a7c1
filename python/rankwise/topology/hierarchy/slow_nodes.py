"""Whether a node whose messages to other nodes are slow is slow itself, or only its link.

What makes a node slow (its processors are taken, its clock or its memory is slow) slows messages inside of it
at least as much as those to other nodes: there, nothing but processors and memory takes part, and both ranks
are on the node. A link slows nothing inside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.topology.hierarchy.effects import Fit, Unit

SLOW_NODE = "slow node"
SLOW_LINK_OF_NODE = "slow link of a node"
SLOW_NODE_OR_LINK = "slow node or its link"


def kind_of_node(
    fits: Sequence[Fit], unit: Unit, outside: Mapping[int, float], hosts: NDArray[np.int64]
) -> str:
    """Return the slow part: the node, or only its link to others.

    Args:
        fits: of all views.
        unit: one node, whose messages to others are slow.
        outside: logarithm of their measured over their expected cost, by the place of the view that shows it.
        hosts: of each rank; shape (N,).

    Returns:
        SLOW_LINK_OF_NODE if the pairs inside are not even half as slow (in logarithms) as those outside;
        SLOW_NODE_OR_LINK if they are, or if nothing compares.
    """
    slowness = {place: _inside(fits[place], unit, hosts) for place in outside}
    if all(slowness[place] < slow / 2 for place, slow in outside.items()):
        return SLOW_LINK_OF_NODE
    return SLOW_NODE_OR_LINK


def _inside(fit: Fit, unit: Unit, hosts: NDArray[np.int64]) -> float:
    """Return how slow pairs inside a node are, compared to those of other nodes; NaN without others.

    Noise makes messages slower rather than faster: the faster of the other nodes are the reference.
    """
    inside = (hosts[fit.first] == hosts[fit.second]) & ~fit.touched
    own = inside & (hosts[fit.first] == hosts[unit.ends[0][0]])
    others = inside & ~own
    if not own.any() or not others.any():
        return float("nan")
    values = fit.logs.copy()
    for place in np.unique(fit.classes[inside]).tolist():
        same = fit.classes == place
        like = fit.logs[same & others]
        values[same] -= np.median(like if len(like) else fit.logs[others])
    nodes = hosts[fit.first[others]]
    medians = [float(np.median(values[others][nodes == node])) for node in np.unique(nodes)]
    return float(np.median(values[own])) - float(np.quantile(medians, 0.25))
