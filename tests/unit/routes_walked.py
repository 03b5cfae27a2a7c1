"""Routes of a subnet, followed one by one: slow, and plain enough to be believed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import NO_PORT, Subnet


def walked(subnet: Subnet, source: int, destination: int) -> dict[int, float]:
    """The links from one host port to another one, and the share of the messages that take each."""
    switches = len(subnet.switches.names)
    ends = {
        (int(s), int(p)): number
        for number, (s, p) in enumerate(zip(subnet.links.source, subnet.links.source_port, strict=True))
    }
    shares: dict[int, float] = {}
    first = int(subnet.up[source])
    waiting = {first: 1.0}
    for _ in range(switches + 2):
        following: dict[int, float] = {}
        for link, share in waiting.items():
            shares[link] = shares.get(link, 0.0) + share
            here = int(subnet.links.destination[link])
            if here >= switches:
                assert here == switches + destination, "delivered to another host"
                continue
            ways = [
                int(port) for port in subnet.forward[here, subnet.ports.lids[destination]] if port != NO_PORT
            ]
            assert ways, f"switch {here} has no way to {destination}"
            for port in ways:
                out = ends[here, port]
                following[out] = following.get(out, 0.0) + share / len(ways)
        if not following:
            return shares
        waiting = following
    raise AssertionError("goes in a circle")


def loads(subnet: Subnet, pairs: Iterable[tuple[int, int]]) -> NDArray[np.float64]:
    """How many of the messages take each link, if each pair has one."""
    messages = np.zeros(len(subnet.links))
    for source, destination in pairs:
        for link, share in walked(subnet, source, destination).items():
            messages[link] += share
    return messages


def all_pairs(count: int) -> list[tuple[int, int]]:
    """Each of some hosts and each other one."""
    return [(host, other) for host in range(count) for other in range(count) if host != other]
