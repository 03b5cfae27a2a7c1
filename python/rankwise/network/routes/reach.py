"""Whether the forwarding tables lead from each host to each other host."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise.network.fabric.model import Subnet
from rankwise.network.routes.destinations import ARRIVES, IN_CIRCLES, NO_WAY, Destinations, Exits, outcomes

_AT_ONCE = 1 << 20
"""Pairs of host ports that are processed at a time."""


class Reach(NamedTuple):
    """Counts of ordered pairs of host ports of different hosts.

    Attributes:
        lost: pairs without a route: a table has no port, or a port without a cable or with the wrong host.
        looping: how many go round in circles.
        pairs: how many there are.
        example: host ports of a pair that is lost or loops; None: all pairs are connected.
    """

    lost: int
    looping: int
    pairs: int
    example: tuple[int, int] | None


def reach_of(subnet: Subnet) -> Reach:
    """Return which host ports don't reach others at their lowest LIDs, by all ways of an even split."""
    exits, count = Exits(subnet), len(subnet.ports.hosts)
    numbers = {host: number for number, host in enumerate(dict.fromkeys(subnet.ports.hosts))}
    host = np.array([numbers[name] for name in subnet.ports.hosts], np.int64)
    lost = looping = pairs = 0
    example: tuple[int, int] | None = None
    step = max(_AT_ONCE // max(count, 1), 1)
    for first in range(0, count, step):
        to = np.arange(first, min(first + step, count))
        fate = outcomes(exits, Destinations(to, subnet.ports.lids[to].astype(np.int64)))[exits.first]
        same = host[:, None] == host[to]
        fate[same] = ARRIVES
        pairs += int((~same).sum())
        lost += int((fate == NO_WAY).sum())
        looping += int((fate == IN_CIRCLES).sum())
        wrong = np.argwhere(fate != ARRIVES)
        if example is None and len(wrong):
            example = int(wrong[0, 0]), int(to[wrong[0, 1]])
    return Reach(lost, looping, pairs, example)
