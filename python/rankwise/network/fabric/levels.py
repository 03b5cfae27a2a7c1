"""The level of a switch: how far it is from the switches that are there for hosts.

A few hosts on an upper switch, such as a storage server on a spine, do not make it one of these.
"""

from __future__ import annotations

from collections import deque

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
    if topology_of(switches, source[between], destination[between]) is not None:
        return np.ones(switches, np.int32)
    next_to: list[list[int]] = [[] for _ in range(switches)]
    hosts = [0] * switches
    for here, there in zip(source.tolist(), destination.tolist(), strict=True):
        if here < switches and there < switches:
            next_to[here].append(there)
        elif here < switches:
            hosts[here] += 1
    levels = np.zeros(switches, np.int32)
    queue = deque(sorted({here for here in range(switches) if hosts[here]} - _above(next_to, hosts)))
    levels[list(queue)] = 1
    while queue:
        here = queue.popleft()
        for there in next_to[here]:
            if levels[there] == 0:
                levels[there] = levels[here] + 1
                queue.append(there)
    return levels


def _above(next_to: list[list[int]], hosts: list[int]) -> set[int]:
    """Return the switches that have hosts although they are above others with hosts.

    Switches with hosts that are linked form parts. If one end of each cable of a part is above the other one,
    it is a part of a tree, and these ends are returned. An end is above if it has no links to switches
    without hosts, and all its neighbours have; or else if it has few hosts. In a torus or a dragonfly, this
    does not hold for all cables.
    """
    with_hosts = [[there for there in each if hosts[there]] for each in next_to]
    is_top = [len(with_hosts[here]) == len(each) for here, each in enumerate(next_to)]

    def ends(here: int) -> bool:
        return is_top[here] and not any(is_top[there] for there in with_hosts[here])

    def has_few(here: int) -> bool:
        return _FEW * hosts[here] <= max(hosts[there] for there in with_hosts[here])

    above: set[int] = set()
    seen: set[int] = set()
    for first in range(len(next_to)):
        if not hosts[first] or not with_hosts[first] or first in seen:
            continue
        part = _part(first, with_hosts)
        seen |= part
        for is_above in (ends, has_few):
            upper = {here for here in part if is_above(here)}
            if all((here in upper) != (there in upper) for here in part for there in with_hosts[here]):
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
