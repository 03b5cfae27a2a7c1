"""The places of switches and host ports in a drawing: each level is a row."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import Subnet


@dataclass(frozen=True)
class Layout:
    """Places from left to right, 0 to 1.

    Attributes:
        switches: shape (S,); nan if not drawn.
        ports: shape (P,); nan if not drawn.
    """

    switches: NDArray[np.float64]
    ports: NDArray[np.float64]


def layout(subnet: Subnet, switches: NDArray[np.bool_], ports: NDArray[np.bool_]) -> Layout:
    """Order the switches of each level, and the host ports below theirs.

    Switches of level 1 are ordered by name, with room for their hosts; hosts of switches above come after
    these. Switches above are placed over the
    middle of their links below. If several have the same middle, chips of one director come together, and
    then names decide.

    Args:
        subnet: with S switches and P host ports.
        switches: shape (S,): whether each is drawn.
        ports: shape (P,): whether each is drawn.
    """
    count = len(subnet.switches.names)
    x = np.full(count, np.nan)
    port_x = np.full(len(subnet.ports.hosts), np.nan)
    levels = subnet.switches.levels
    names = [natural(name) for name in subnet.switches.names]
    below = subnet.links.destination[subnet.up]
    hosts = [natural(name) for name in subnet.ports.hosts]
    members: dict[int, list[int]] = {}
    for port in np.flatnonzero(ports).tolist():
        members.setdefault(int(below[port]), []).append(port)

    bottom = sorted(np.flatnonzero(switches & (levels == 1)).tolist(), key=lambda s: (names[s], s))
    bottom += sorted(members.keys() - set(bottom), key=lambda s: (names[s], s))
    room = [max(1, len(members.get(leaf, ()))) + 0.5 for leaf in bottom]
    edges = np.concatenate([[0.0], np.cumsum(room)]) / max(sum(room), 1)
    for place, leaf in enumerate(bottom):
        low, high = edges[place], edges[place + 1]
        if levels[leaf] == 1:
            x[leaf] = (low + high) / 2
        of_leaf = sorted(members.get(leaf, ()), key=lambda port: (hosts[port], port))
        for number, port in enumerate(of_leaf):
            port_x[port] = low + (high - low) * (number + 0.75) / (len(of_leaf) + 0.5)

    for level in range(2, int(levels.max(initial=1)) + 1):
        of_level = np.flatnonzero(switches & (levels == level)).tolist()
        middle = _middles(subnet, x, level)
        order = sorted(
            of_level, key=lambda s: (round(float(middle[s]), 3), int(subnet.switches.systems[s]), names[s], s)
        )
        for place, switch in enumerate(order):
            x[switch] = (place + 0.5) / len(order)
    return Layout(x, port_x)


def _middles(subnet: Subnet, x: NDArray[np.float64], level: int) -> NDArray[np.float64]:
    """Return the mean place of each switch's links on the level below; 0.5 without links."""
    count = len(subnet.switches.names)
    source, destination = subnet.links.source, subnet.links.destination
    inside = np.flatnonzero((source < count) & (destination < count))
    source, destination = source[inside], destination[inside]
    lower = (subnet.switches.levels[source] == level - 1) & np.isfinite(x[source])
    sums = np.bincount(destination[lower], x[source[lower]], count)
    numbers = np.bincount(destination[lower], minlength=count)
    middles: NDArray[np.float64] = np.where(numbers > 0, sums / np.maximum(numbers, 1), 0.5)
    return middles


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts node2 before node10."""
    return [
        (0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part)
        for part in re.split(r"([0-9]{1,18})", name)
        if part
    ]
