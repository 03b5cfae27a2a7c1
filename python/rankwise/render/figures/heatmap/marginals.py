"""Each node's values with all others: a slow node stands out, a slow link shows at both its ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.render.figures.heatmap.hostnames import short_names
from rankwise.render.figures.heatmap.view import View
from rankwise.topology.machine.slots import numbered


@dataclass(frozen=True)
class Marginals:
    """One value for each node, or for each rank if there is only one node.

    Attributes:
        kind: `node` or `rank`.
        labels: in the order of the picture, shape (K,).
        median, worst: of the pairs with one end there, shape (K,), us or MB/s; NaN without a pair.
    """

    kind: str
    labels: tuple[str, ...]
    median: NDArray[np.float64]
    worst: NDArray[np.float64]


def marginals(view: View) -> Marginals:
    """Sum up the pairs with one end in a node."""
    hosts = [view.measurement.ranks[rank].host for rank in view.ordering.ranks]
    several = len(set(hosts)) > 1
    ends = numbered(hosts) if several else np.arange(len(hosts))
    short = short_names(host.name for host in view.measurement.hosts)
    names = (
        [short[view.measurement.hosts[host].name] for host in dict.fromkeys(hosts)]
        if several
        else [str(rank) for rank in view.ordering.ranks]
    )
    matrix = view.matrix
    medians, worsts = np.full(len(names), np.nan), np.full(len(names), np.nan)
    for place in range(len(names)):
        inside = ends == place
        both = (
            [matrix[inside][:, ~inside], matrix[~inside][:, inside]]
            if view.smallest
            else [matrix[inside][:, ~inside]]
        )
        values = np.concatenate([part.ravel() for part in both])
        values = values[np.isfinite(values) & (values > 0)]
        if len(values):
            medians[place] = np.median(values)
            worsts[place] = values.min() if view.smallest else values.max()
    return Marginals("node" if several else "rank", tuple(names), medians, worsts)
