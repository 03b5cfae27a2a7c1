"""Whether forwarding tables lead from each host to each other one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import NO_PORT, Subnet

_AT_ONCE = 1 << 18
"""Entries of tables looked at together: they and what they lead to fit in a cache."""
_OPEN, _ARRIVES, _LOST = 0, 1, 2


class Reach(NamedTuple):
    """Pairs of host ports of different hosts, from one to the other.

    Attributes:
        lost: how many have no way: a table has no port, or one without a cable or with another host.
        looping: how many go round in circles.
        pairs: how many there are.
        example: host ports of one that is lost or loops; None: each reaches each.
    """

    lost: int
    looping: int
    pairs: int
    example: tuple[int, int] | None


def reach_of(subnet: Subnet) -> Reach:
    """Return which host ports don't reach others at their lowest LIDs, by all ways of an even split."""
    switches, count = len(subnet.switches.names), len(subnet.ports.hosts)
    up = subnet.links.destination[subnet.up]
    numbers = {host: number for number, host in enumerate(dict.fromkeys(subnet.ports.hosts))}
    host = np.array([numbers[name] for name in subnet.ports.hosts], np.int64)
    lost = looping = pairs = 0
    example: tuple[int, int] | None = None
    step = max(_AT_ONCE // max(switches * subnet.forward.shape[2], 1), 1)
    for first in range(0, count, step):
        to = np.arange(first, min(first + step, count))
        state = _states(subnet, to)[up]
        same = host[:, None] == host[to]
        state[same] = _ARRIVES
        pairs += int((~same).sum())
        lost += int((state == _LOST).sum())
        looping += int((state == _OPEN).sum())
        wrong = np.argwhere(state != _ARRIVES)
        if example is None and len(wrong):
            example = int(wrong[0, 0]), int(to[wrong[0, 1]])
    return Reach(lost, looping, pairs, example)


def _states(subnet: Subnet, to: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return what becomes of a message in each switch for each of the host ports, shape (S, len(to))."""
    switches = len(subnet.switches.names)
    ways = subnet.forward[:, subnet.ports.lids[to]].astype(np.int64)
    taken = ways != NO_PORT
    known = taken & (ways < subnet.out.shape[1])
    link = np.where(known, subnet.out[np.arange(switches)[:, None, None], np.where(known, ways, 0)], -1)
    end = np.where(link >= 0, subnet.links.destination[link], -1)
    arrives = (end == (switches + to)[:, None]) | ~taken
    leads_on = (end >= 0) & (end < switches)
    lost = (~arrives & ~leads_on).any(axis=2) | ~taken.any(axis=2)
    state = np.where(lost, _LOST, np.where(arrives.all(axis=2), _ARRIVES, _OPEN)).astype(np.int8, order="C")
    flat = state.reshape(-1)
    column = np.arange(len(to))
    following = np.where(leads_on, end, 0) * len(to) + column[:, None]
    open_at = np.flatnonzero(flat == _OPEN)
    while len(open_at):
        row, place = np.divmod(open_at, len(to))
        beyond = flat[following[row, place]]
        arrived = arrives[row, place] | (beyond == _ARRIVES)
        now = np.where(arrived.all(axis=1), _ARRIVES, _OPEN)
        now[((beyond == _LOST) & ~arrives[row, place]).any(axis=1)] = _LOST
        flat[open_at] = now
        left = open_at[now == _OPEN]
        if len(left) == len(open_at):
            break
        open_at = left
    return state
