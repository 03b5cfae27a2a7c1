"""Links that stand out in drawings, as on the page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.network.loads import RailLoads
from rankwise.render.figures.heatmap.scale import BEYOND

HOT = BEYOND
EXCESS = 1.5
"""Links that carry more than this times both bound and mean of their class are HOT, as on the page.

A bound alone says little where it can't be reached, as in dragonflies.
"""


def too_much(rail: RailLoads) -> NDArray[np.int64]:
    """Return the links that carry much more than others of their class, and than they would have to."""
    limits = np.full(int(rail.subnet.classes.max(initial=0)) + 1, np.inf)
    for each in rail.classes:
        if each.bound:
            limits[each.link_class] = EXCESS * max(each.bound, each.mean_used)
    return np.flatnonzero(rail.bytes > limits[rail.subnet.classes])
