"""Costs of messages between each two nodes, from a measurement of pairs of ranks."""

from __future__ import annotations

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy.costs import cost
from rankwise.topology.machine.model import Cost, Machine
from rankwise.topology.machine.network import Matrix
from rankwise.topology.sources.ranks import nodes_of_hosts

_DIGITS = 6  # more would be noise


def node_matrix(machine: Machine, measurement: Measurement) -> Matrix:
    """Return the medians over all pairs of ranks on each two nodes; of both directions together.

    Two nodes between which nothing was measured cost as much as the median pair of nodes.

    Raises:
        RankwiseError: a host that the machine has not, or no latency and bandwidth between any two nodes.
    """
    place = np.array(nodes_of_hosts(machine, measurement))
    node = place[[rank.host for rank in measurement.ranks]]
    ends = np.sort(np.stack([node[measurement.pairs.first], node[measurement.pairs.second]]), axis=0)
    size = len(machine.nodes)
    byte, latency = np.full((size, size), np.nan), np.full((size, size), np.nan)
    number = ends[0] * size + ends[1]
    for pair in np.unique(number[ends[0] != ends[1]]).tolist():
        pair_cost = cost(measurement, number == pair)
        first_node, second_node = divmod(pair, size)
        byte[first_node, second_node] = byte[second_node, first_node] = _per_byte(pair_cost)
        latency[first_node, second_node] = latency[second_node, first_node] = (
            np.nan if pair_cost.latency_us is None else pair_cost.latency_us
        )
    if np.isnan(byte).all() or np.isnan(latency).all():
        raise RankwiseError(
            "the measurement has no latency and bandwidth between nodes, so there is no matrix of them:"
            " measure two nodes or more, with several --sizes"
        )
    return Matrix(_table(byte), _table(latency))


def _per_byte(pair_cost: Cost) -> float:
    if pair_cost.bandwidth_mb_s:
        return 1 / pair_cost.bandwidth_mb_s  # 1 MB/s is 1 byte/us
    return np.nan if pair_cost.us_per_byte is None else pair_cost.us_per_byte


def _table(values: np.ndarray) -> tuple[tuple[float, ...], ...]:
    filled = np.where(np.isnan(values), np.nanmedian(values), values)
    np.fill_diagonal(filled, 0)
    return tuple(tuple(float(f"{value:.{_DIGITS}g}") for value in row) for row in filled.tolist())
