"""Even split: at each switch all ports on shortest ways, each taken equally often."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import NO_PORT
from rankwise.network.sources.generators.plan import Numbers, Plan, check_tables


def even_tables(plan: Plan) -> NDArray[np.uint16]:
    """Return shape (S, P, W): the ports on all shortest ways from each switch to each host.

    With many flows, multipath routing by hashes comes close to this (equal-cost multipath, RFC 2992).
    """
    ways, leaf_of = shortest_ways(plan)
    check_tables(len(plan.switches), len(plan.hosts), ways.shape[2])
    tables = ways[:, leaf_of]
    tables[plan.at, np.arange(len(plan.hosts)), 0] = plan.port
    return tables


def shortest_ways(plan: Plan) -> tuple[NDArray[np.uint16], Numbers]:
    """Return the ports on all shortest ways from each switch to each switch with hosts.

    Returns:
        Shape (S, T, W), to T leaves, ports rising, filled with NO_PORT; shape (P,): the leaf of each host.
    """
    switches = len(plan.switches)
    both = both_ways(plan)
    source, port, destination = both[:, 0], both[:, 1], both[:, 2]
    leaves, leaf_of = np.unique(plan.at, return_inverse=True)
    far = _distances(switches, source, destination, leaves)
    shorter = far[destination] + 1 == far[source]  # [link][leaf]
    first = np.searchsorted(source, np.arange(switches))
    before = np.concatenate(
        [np.zeros((1, len(leaves)), np.int32), np.cumsum(shorter, axis=0, dtype=np.int32)]
    )
    place = before[:-1] - before[first[source]]  # of each link within its switch
    ways = int((place + 1)[shorter].max(initial=1))
    check_tables(switches, len(leaves), ways)
    by_leaf = np.full((switches, len(leaves), ways), NO_PORT, np.uint16)
    link, leaf = np.nonzero(shorter)
    by_leaf[source[link], leaf, place[link, leaf]] = port[link]
    return by_leaf, leaf_of


def both_ways(plan: Plan) -> Numbers:
    """Return shape (2 C, 4): each cable in both directions, by switch and port."""
    both = np.concatenate([plan.cables, plan.cables[:, [2, 3, 0, 1]]])
    return both[np.lexsort((both[:, 1], both[:, 0]))]


def _distances(switches: int, source: Numbers, destination: Numbers, leaves: Numbers) -> NDArray[np.int32]:
    """Return shape (S, T): links from each switch to each of T leaves; links are in the order of `source`."""
    unknown = np.iinfo(np.int32).max - 1
    far = np.full((switches, len(leaves)), unknown, np.int32)
    far[leaves, np.arange(len(leaves))] = 0
    starts = np.flatnonzero(np.r_[True, source[1:] != source[:-1]]) if len(source) else source
    while len(starts):
        nearest = np.minimum.reduceat(far[destination], starts, axis=0) + 1
        here = source[starts]
        nearer = nearest < far[here]
        if not nearer.any():
            break
        far[here] = np.where(nearer, nearest, far[here])
    return far
