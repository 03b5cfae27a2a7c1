"""Rules that choose one of the shortest paths on any cabling: min-hop and d-mod-k."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import NO_PORT
from rankwise.network.sources.generators.even import both_ways, shortest_ways
from rankwise.network.sources.generators.plan import Numbers, Plan, check_tables

_NEVER = np.iinfo(np.int32).max


def min_hop_tables(plan: Plan) -> NDArray[np.uint16]:
    """Return shape (S, P, 1): host by host, the port on a shortest way that has the fewest hosts yet.

    OpenSM's engine of this name does the same, except for the order of the hosts.
    """
    ways, leaf_of = shortest_ways(plan)
    switches, hosts = len(plan.switches), len(plan.hosts)
    check_tables(switches, hosts)
    none = int(ways[ways != NO_PORT].max(initial=0)) + 1
    taken = np.zeros((switches, none + 1), np.int32)
    every = np.arange(switches)
    tables = np.empty((switches, hosts, 1), np.uint16)
    for host in _by_place(plan).tolist():
        ports = ways[:, leaf_of[host]]
        slots = np.minimum(ports, none)
        taken[:, none] = _NEVER
        best = taken[every[:, None], slots].argmin(axis=1)
        tables[:, host, 0] = ports[every, best]
        taken[every, slots[every, best]] += slots[every, best] != none
    tables[plan.at, np.arange(hosts), 0] = plan.port
    return tables


def d_mod_k_tables(plan: Plan, levels: NDArray[np.int32]) -> NDArray[np.uint16]:
    """Return shape (S, P, 1): Zahavi's rule (fat_tree.py), with the cables that each switch has.

    Args:
        plan: of the fabric.
        levels: shape (S,): of each switch, 1 of those with hosts.

    Raises:
        RankwiseError: switches of one level are linked, so it is not a tree.
    """
    both = both_ways(plan)
    across = np.flatnonzero(levels[both[:, 0]] == levels[both[:, 2]])
    if len(across):
        first, second = (plan.switches[end] for end in both[across[0], [0, 2]])
        raise RankwiseError(
            f"d-mod-k is a rule for trees, and {first} and {second} are linked on one level: ask for"
            " minhop or even"
        )
    ways, leaf_of = shortest_ways(plan)
    check_tables(len(plan.switches), len(plan.hosts))
    keys = np.full((len(plan.switches), int(both[:, 1].max(initial=0)) + 2), _NEVER, np.int64)
    keys[both[:, 0], both[:, 1]] = _copies(both) * len(plan.switches) + both[:, 2]
    slots = np.minimum(ways, keys.shape[1] - 1)
    order = np.argsort(keys[np.arange(len(ways))[:, None, None], slots], axis=2, kind="stable")
    ways = np.take_along_axis(ways, order, axis=2)
    count = np.maximum((ways != NO_PORT).sum(axis=2), 1)
    number = np.empty(len(plan.hosts), np.int64)
    number[_by_place(plan)] = np.arange(len(plan.hosts))
    place = number // _divisors(both, levels)[levels][:, None] % count[:, leaf_of]
    tables: NDArray[np.uint16] = ways[np.arange(len(ways))[:, None], leaf_of, place][:, :, None]
    tables[plan.at, np.arange(len(plan.hosts)), 0] = plan.port
    return tables


def _by_place(plan: Plan) -> Numbers:
    """Return the hosts by switch and port."""
    return np.lexsort((plan.port, plan.at))


def _copies(both: Numbers) -> Numbers:
    """Return the index of each cable among the parallel cables between its switches, from 0."""
    order = np.lexsort((both[:, 1], both[:, 2], both[:, 0]))
    ends = both[order][:, [0, 2]]
    starts = np.r_[True, (ends[1:] != ends[:-1]).any(axis=1)] if len(ends) else np.empty(0, np.bool_)
    place = np.arange(len(ends))
    copies = np.empty(len(ends), np.int64)
    copies[order] = place - np.maximum.accumulate(np.where(starts, place, 0))
    return copies


def _divisors(both: Numbers, levels: NDArray[np.int32]) -> Numbers:
    """Return w_1 ... w_(l-1) for each level l: the product of the median numbers of switches above one."""
    up = both[levels[both[:, 2]] > levels[both[:, 0]]]
    pairs = np.unique(up[:, [0, 2]], axis=0)
    above = np.bincount(pairs[:, 0], minlength=len(levels))
    divisors = [1, 1]
    for level in range(1, int(levels.max(initial=1))):
        here = above[(levels == level) & (above > 0)]
        divisors.append(divisors[-1] * max(1, int(np.median(here))) if len(here) else divisors[-1])
    return np.array(divisors, np.int64)
