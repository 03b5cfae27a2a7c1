"""A hop of all messages at once, and the whole walk: where a message goes on depends on nothing before."""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import NO_PORT
from rankwise.network.routes.destinations import Destinations, Exits

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
_SPARSE = 4
"""If there are more than this many places per value, sorting is faster than visiting all places."""


def onward(exits: Exits, switch: Indices, lids: Indices) -> tuple[Indices, NDArray[np.int32], Floats]:
    """Return the links on which messages leave switches: the message's index, the link, and its share."""
    ports = exits.forward[switch, lids]
    if ports.shape[1] == 1:
        return np.arange(len(switch)), exits.links(switch, ports[:, 0]), np.ones(len(switch))
    used = ports != NO_PORT
    used[:, 0] |= ~used.any(axis=1)  # no route at all: use a link that leads nowhere
    index, way = np.nonzero(used)
    return index, exits.links(switch[index], ports[index, way]), (1.0 / used.sum(axis=1))[index]


def walked(
    exits: Exits,
    to: Destinations,
    group: Indices,
    groups: int,
    links: int,
    where: Indices,
    parts: Floats,
    *,
    guarded: bool = True,
    arrived: list[Floats] | None = None,
) -> Floats:
    """Walk from the first switches to the destinations.

    Args:
        exits: of the subnet.
        to: C destinations.
        group: shape (C,): of each.
        groups: how many there are.
        links: L.
        where: shape (N,): switch * C + destination.
        parts: shape (K, N): the weights that begin there.
        guarded: not all is known to arrive.
        arrived: gets the weights that arrive after each hop, shapes (K,).

    Returns:
        Shape (K, groups * L): the loads, without the links from hosts.

    Raises:
        LostError: if guarded, not all arrives.
    """
    columns = len(to)
    loads = np.zeros((len(parts), groups * links))
    states, parts = gathered(where, parts, exits.switches * columns)
    for hop in count():
        switch, column = np.divmod(states, columns)
        index, link, share = onward(exits, switch, to.lids[column])
        if exits.forward.shape[2] > 1:
            column, parts = column[index], parts[:, index] * share
        going = exits.going(link, to.ports[column], hop, guarded=guarded)
        at = link if groups == 1 else group[column] * links + link
        for load, part in zip(loads, parts, strict=True):
            load += np.bincount(at, part, len(load))
        if arrived is not None:
            arrived.append(parts[:, ~going].sum(axis=1))
        if not going.any():
            return loads
        states, parts = gathered(
            exits.ends(link[going]).astype(np.int64) * columns + column[going],
            parts[:, going],
            exits.switches * columns,
        )
    raise AssertionError


def distinct(values: Indices, size: int) -> tuple[Indices, Indices]:
    """Return the different values, ascending, and the place there of each: as np.unique, without sorting.

    Args:
        values: shape (N,): 0 to size - 1.
        size: of what may be there.
    """
    if size > _SPARSE * len(values):
        distinct_values, inverse = np.unique(values, return_inverse=True)
        return distinct_values, inverse
    there = np.zeros(size, bool)
    there[values] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[values]


def gathered(states: Indices, parts: Floats, size: int) -> tuple[Indices, Floats]:
    """Add up the weights in each state: return the states, shape (M,), and the sums, shape (K, M)."""
    if size > _SPARSE * len(states):
        distinct_states, inverse = np.unique(states, return_inverse=True)
        return distinct_states, np.array([np.bincount(inverse, part, len(distinct_states)) for part in parts])
    sums = np.array([np.bincount(states, part, size) for part in parts])
    distinct_states = np.flatnonzero(sums.any(axis=0))
    return distinct_states, sums[:, distinct_states]
