"""The node that most bytes go into or out of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise.analysis.traffic import Traffic


@dataclass(frozen=True)
class NodeLoad:
    """What goes over the border of the most loaded node.

    Attributes:
        host: its name.
        bytes: into it and out of it.
        mean: of the same over all nodes with ranks.
        imbalance: bytes / mean; None if nothing leaves any node.
    """

    host: str
    bytes: int
    mean: float
    imbalance: float | None


def most_loaded(traffic: Traffic, hosts: ArrayLike) -> NodeLoad:
    """Return the most loaded node, of several the one that comes first.

    Args:
        traffic: with at least one rank.
        hosts: name of the node of each rank.
    """
    names, first, node = np.unique(np.asarray(hosts), return_index=True, return_inverse=True)
    source, destination = (node.ravel()[np.asarray(ends)] for ends in (traffic.source, traffic.destination))
    leaves = source != destination
    # Python's own numbers: their sums have no limit.
    sizes = np.asarray(traffic.bytes, dtype=np.int64)[leaves].astype(object)
    loads = np.zeros(len(names), dtype=object)
    for ends in (source, destination):
        np.add.at(loads, ends[leaves], sizes)
    worst = min(range(len(names)), key=lambda each: (-loads[each], first[each]))
    most, mean = int(loads[worst]), float(sum(loads.tolist()) / len(loads))
    return NodeLoad(str(names[worst]), most, mean, most / mean if most else None)
