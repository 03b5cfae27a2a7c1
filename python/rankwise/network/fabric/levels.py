"""The level of a switch: how far it is from the switches that are there for hosts.

A few hosts on an upper switch, such as a storage server on a spine, do not make it one of these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.topology import topology_of

_FEW = 2
"""A switch has few hosts if a neighbour has this many times as many."""


def levels_of(switches: int, source: NDArray[np.int32], destination: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the level of each switch; 1 of all switches of a dragonfly and of a HyperX network.

    Args:
        switches: S.
        source: shape (L,): of directed links, both directions of each cable: a switch, or S + a host port.
        destination: shape (L,): in the same form.

    Returns:
        Shape (S,): 1 for switches that are there for hosts, 2 for switches next to them, and so on; 0 for
        switches without a way to them.
    """
    between = (source < switches) & (destination < switches)
    here, there = source[between], destination[between]
    if topology_of(switches, here, there) is not None:
        return np.ones(switches, np.int32)
    hosts = np.bincount(source[(source < switches) & (destination >= switches)], minlength=switches)
    levels = (hosts > 0).astype(np.int32)
    levels[[*_above(hosts, here, there)]] = 0
    level = 0
    while (levels > level).any():
        level += 1
        reached = there[levels[here] == level]
        levels[reached[levels[reached] == 0]] = level + 1
    return levels


def _above(hosts: NDArray[np.int64], here: NDArray[np.int32], there: NDArray[np.int32]) -> set[int]:
    """Return the switches that have hosts although they are above others with hosts.

    Switches with hosts that are linked form parts. If one end of each cable of a part is above the other one,
    it is a part of a tree, and these ends are returned. An end is above if it has no links to switches
    without hosts, and all its neighbours have; or else if it has few hosts. In a torus or a dragonfly, this
    does not hold for all cables.

    Args:
        hosts: of each switch, how many.
        here: of directed links between switches.
        there: their other ends.
    """
    linked = (hosts[here] > 0) & (hosts[there] > 0)
    if not linked.any():
        return set()
    with_hosts: list[list[int]] = [[] for _ in hosts]
    for one, other in zip(here[linked].tolist(), there[linked].tolist(), strict=True):
        with_hosts[one].append(other)
    is_top = np.bincount(here[~linked], minlength=len(hosts)) == 0

    def ends(one: int) -> bool:
        return bool(is_top[one]) and not any(is_top[other] for other in with_hosts[one])

    def has_few(one: int) -> bool:
        return bool(_FEW * hosts[one] <= max(hosts[other] for other in with_hosts[one]))

    above: set[int] = set()
    seen: set[int] = set()
    for first, neighbours in enumerate(with_hosts):
        if not neighbours or first in seen:
            continue
        part = _part(first, with_hosts)
        seen |= part
        for is_above in (ends, has_few):
            upper = {one for one in part if is_above(one)}
            if all((one in upper) != (other in upper) for one in part for other in with_hosts[one]):
                above |= upper
                break
    return above


def _part(first: int, next_to: list[list[int]]) -> set[int]:
    """Return the switches that hang together with the first one."""
    part, waiting = {first}, [first]
    while waiting:
        for there in next_to[waiting.pop()]:
            if there not in part:
                part.add(there)
                waiting.append(there)
    return part
