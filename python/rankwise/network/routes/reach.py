"""Whether the forwarding tables lead from each host to each other host."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise.network.fabric.model import Subnet
from rankwise.network.routes.destinations import (
    ARRIVES,
    IN_CIRCLES,
    NO_WAY,
    Destinations,
    Exits,
    all_arrive,
    outcomes,
)

_AT_ONCE = 1 << 22
"""Pairs of host ports that are looked at one by one at a time."""


class Reach(NamedTuple):
    """Counts of ordered pairs of host ports of different hosts.

    Attributes:
        lost: pairs without a route: a table has no port, or a port without a cable or with the wrong host.
        looping: how many go round in circles.
        pairs: how many there are.
        lost_example: host ports of a pair without a route; None: there is no such pair.
        looping_example: host ports of a pair whose route loops; None: there is no such pair.
    """

    lost: int
    looping: int
    pairs: int
    lost_example: tuple[int, int] | None
    looping_example: tuple[int, int] | None


def reach_of(subnet: Subnet) -> Reach:
    """Return which host ports don't reach others at their lowest LIDs, by all ways of an even split."""
    exits, count = Exits(subnet), len(subnet.ports.hosts)
    numbers = {host: number for number, host in enumerate(dict.fromkeys(subnet.ports.hosts))}
    host = np.array([numbers[name] for name in subnet.ports.hosts], np.int64)
    pairs = count**2 - int((np.bincount(host) ** 2).sum())
    counts = {NO_WAY: 0, IN_CIRCLES: 0}
    examples: dict[int, tuple[int, int]] = {}
    begin = np.unique(exits.first)
    lids = subnet.ports.lids.astype(np.int64)
    step = max(_AT_ONCE // max(count, 1), 1)
    for first in range(0, count, step):
        to = np.arange(first, min(first + step, count))
        destinations = Destinations(to, lids[to])
        if all_arrive(exits, destinations, begin):
            continue
        fate = outcomes(exits, destinations)[exits.first]
        fate[host[:, None] == host[to]] = ARRIVES
        for outcome in counts:
            wrong = np.argwhere(fate == outcome)
            counts[outcome] += len(wrong)
            if len(wrong):
                examples.setdefault(outcome, (int(wrong[0, 0]), int(to[wrong[0, 1]])))
    return Reach(counts[NO_WAY], counts[IN_CIRCLES], pairs, examples.get(NO_WAY), examples.get(IN_CIRCLES))
