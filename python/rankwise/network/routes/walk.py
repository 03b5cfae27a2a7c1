"""Walks messages through the forwarding tables of a subnet: loads, distances, and the users of a link.

All messages take their first hop at once, then all their second hop. The next hop depends only on the
switch and the destination, so messages at the same switch with the same destination are merged.

Messages that do not arrive are reported and load nothing: a subnet manager offers no way to where its tables
do not lead. Messages between ports and themselves load nothing either: they do not leave their host.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.network.fabric.model import Subnet
from rankwise.network.routes.destinations import (
    ARRIVES,
    Destinations,
    Exits,
    LostError,
    lengths,
    lids_of,
    outcomes,
)
from rankwise.network.routes.steps import Floats, Indices, distinct, gathered, onward, walked


@dataclass(frozen=True)
class Routed:
    """The loads of messages.

    Attributes:
        loads: shape (..., L): weights on each directed link.
        fate: shape (N,): the outcome of each pair: ARRIVES, NO_WAY, IN_CIRCLES of
            `destinations`. Pairs that do not arrive are not in `loads`.
    """

    loads: Floats
    fate: NDArray[np.int8]


def link_loads(
    subnet: Subnet,
    source: ArrayLike,
    destination: ArrayLike,
    weight: ArrayLike,
    *,
    group: ArrayLike | None = None,
    groups: int = 1,
    lid_offset: int | None = 0,
) -> Floats:
    """Return the loads of `routed`, also if pairs do not arrive."""
    routes = routed(subnet, source, destination, weight, group=group, groups=groups, lid_offset=lid_offset)
    return routes.loads


def routed(
    subnet: Subnet,
    source: ArrayLike,
    destination: ArrayLike,
    weight: ArrayLike,
    *,
    group: ArrayLike | None = None,
    groups: int = 1,
    lid_offset: int | None = 0,
) -> Routed:
    """Send messages through the subnet.

    Args:
        subnet: with P host ports and L links.
        source: shape (N,): host ports, 0 to P - 1.
        destination: shape (N,): host ports, 0 to P - 1.
        weight: shape (N,), or (K, N) of K kinds, such as bytes and messages; not negative.
        group: shape (N,): which group, 0 to G - 1, each belongs to; None: no groups.
        groups: G of them.
        lid_offset: which of the LIDs of the destination to take (LMC); None: all, evenly.

    Returns:
        Loads of shape (L,), (K, L), (G, L) or (K, G, L).
    """
    sources, destinations = np.asarray(source, np.int64), np.asarray(destination, np.int64)
    weights = np.asarray(weight, np.float64)
    kinds = np.atleast_2d(weights)
    of_group = np.zeros(len(sources), np.int64) if group is None else np.asarray(group, np.int64)
    exits, fate = Exits(subnet), np.full(len(sources), ARRIVES, np.int8)
    sent = _parts(subnet, exits, sources, destinations, of_group, lid_offset)
    amounts = kinds[:, sent.pair] * sent.share

    def walk(kept: slice | NDArray[np.bool_], *, guarded: bool) -> Floats:
        where, parts = sent.begin[kept] * len(sent.to) + sent.column[kept], amounts[:, kept]
        return walked(exits, sent.to, sent.group, groups, len(subnet.links), where, parts, guarded=guarded)

    try:
        loads = walk(slice(None), guarded=True)
    except LostError:
        np.maximum.at(fate, sent.pair, outcomes(exits, sent.to)[sent.begin, sent.column])
        loads = walk(fate[sent.pair] == ARRIVES, guarded=False)
    leaving = np.flatnonzero((sources != destinations) & (fate == ARRIVES))
    up = of_group[leaving] * len(subnet.links) + subnet.up[sources[leaving]]
    for kind, load in enumerate(loads):
        load += np.bincount(up, kinds[kind, leaving], len(load))
    shape = (*weights.shape[:-1], *(() if group is None else (groups,)), len(subnet.links))
    return Routed(loads.reshape(shape), fate)


def hops(subnet: Subnet, source: ArrayLike, destination: ArrayLike, *, lid_offset: int | None = 0) -> Floats:
    """Return how many switches messages pass.

    Args:
        subnet: of the ports.
        source: shape (N,): host ports.
        destination: shape (N,): host ports.
        lid_offset: as of `routed`.

    Returns:
        Shape (N,): the mean over the ways of a split; 0 from a port to itself; nan if not all ways arrive.
    """
    sources, destinations = np.asarray(source, np.int64), np.asarray(destination, np.int64)
    exits = Exits(subnet)
    if exits.forward.shape[2] == 1:
        place, lids, share = lids_of(subnet, destinations, lid_offset)
        passed = _passed(exits, exits.first[sources[place]], Destinations(destinations[place], lids))
        if passed is not None:
            mean = np.bincount(place, passed * share, len(sources))
            return np.where(sources == destinations, 0.0, mean)
    ports, column = distinct(destinations, len(subnet.ports.hosts))
    place, lids, share = lids_of(subnet, ports, lid_offset)
    parts = lengths(exits, Destinations(ports[place], lids)).T
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    mean = np.add.reduceat(parts * share[:, None], starts, axis=0) if len(parts) > len(ports) else parts
    return np.where(sources == destinations, 0.0, mean[column, exits.first[sources]])


def _passed(exits: Exits, first: NDArray[np.integer], to: Destinations) -> Floats | None:
    """Return how many switches messages pass, one by one; None: not all are known to arrive.

    Args:
        exits: of a subnet with one way to each destination.
        first: shape (N,): the first switch of each.
        to: N destinations.
    """
    passed, going = np.empty(len(to)), np.arange(len(to))
    switch = np.asarray(first)
    try:
        for hop in count():
            links = exits.links(switch, exits.forward[switch, to.lids[going], 0])
            on = exits.going(links, to.ports[going], hop, guarded=True)
            passed[going[~on]] = hop + 1.0
            switch, going = exits.ends(links[on]), going[on]
            if not len(going):
                break
    except LostError:
        return None
    return passed


def crossings(
    subnet: Subnet,
    source: ArrayLike,
    destination: ArrayLike,
    links: ArrayLike,
    *,
    lid_offset: int | None = 0,
) -> tuple[Indices, Indices, Floats]:
    """Find the pairs whose messages cross given links.

    Args:
        subnet: of the ports.
        source: shape (N,): host ports.
        destination: shape (N,): host ports.
        links: the links in question.
        lid_offset: as of `routed`.

    Returns:
        Shapes (M,), by pair: the pair, the link, and the share of the pair's messages on it. Pairs whose
        messages do not arrive are not there.
    """
    sources, destinations = np.asarray(source, np.int64), np.asarray(destination, np.int64)
    asked = np.zeros(len(subnet.links) + 1, bool)
    asked[np.asarray(links, np.int64)] = True
    exits, none = Exits(subnet), np.zeros(len(sources), np.int64)
    sent = _parts(subnet, exits, sources, destinations, none, lid_offset)
    fate = np.full(len(sources), ARRIVES, np.int8)
    # Pairs that share the first switch and the destination take the same paths, and walk as one origin.
    begin, origin = distinct(sent.begin * len(sent.to) + sent.column, exits.switches * len(sent.to))
    switch, column = np.divmod(begin, len(sent.to))
    walking = np.arange(len(begin))
    try:
        taken = list(_taken(exits, sent.to[column], walking, switch, asked, guarded=True))
    except LostError:
        np.maximum.at(fate, sent.pair, outcomes(exits, sent.to)[sent.begin, sent.column])
        walking = np.unique(origin[fate[sent.pair] == ARRIVES])
        taken = list(_taken(exits, sent.to[column], walking, switch[walking], asked, guarded=False))
    at, over, part = (np.concatenate(each) for each in zip(*taken, strict=True))
    entry, members = _members(origin, len(begin), at)
    up = subnet.up[sources].astype(np.int64)
    first = np.flatnonzero(asked[up] & (sources != destinations))
    pair = np.concatenate([first, sent.pair[members]])
    link = np.concatenate([up[first], over[entry]])
    share = np.concatenate([np.ones(len(first)), part[entry] * sent.share[members]])
    arriving = fate[pair] == ARRIVES
    key, share = pair[arriving] * len(asked) + link[arriving], share[arriving]
    if (share == 1).all():  # a message that is not split takes no link twice
        key.sort()
    else:
        key, inverse = np.unique(key, return_inverse=True)
        share = np.bincount(inverse, share, len(key)).astype(np.float64)
    return *np.divmod(key, len(asked)), share


@dataclass(frozen=True)
class _Parts:
    """Messages between different ports, a part for each LID of the destination that they take.

    Attributes:
        pair: shape (M,): that each is a part of.
        share: shape (M,): of the pair's messages.
        begin: shape (M,): the first switch.
        column: shape (M,): into `to`.
        to: C destinations, each once for every group.
        group: shape (C,): of each.
    """

    pair: Indices
    share: Floats
    begin: Indices
    column: Indices
    to: Destinations
    group: Indices


def _parts(
    subnet: Subnet,
    exits: Exits,
    sources: Indices,
    destinations: Indices,
    group: Indices,
    lid_offset: int | None,
) -> _Parts:
    walking = np.flatnonzero(sources != destinations)
    place, lids, share = lids_of(subnet, destinations[walking], lid_offset)
    pair = walking[place]
    groups = int(group.max(initial=0)) + 1
    columns, column = distinct(lids * groups + group[pair], exits.forward.shape[1] * groups)
    ports = np.empty(len(columns), np.int64)
    ports[column] = destinations[pair]
    to = Destinations(ports, columns // groups)
    begin = exits.first[sources[pair]].astype(np.int64)
    return _Parts(pair, share, begin, column, to, columns % groups)


def _members(origin: Indices, origins: int, at: Indices) -> tuple[Indices, Indices]:
    """List the members of origins: for each the place in `at` that it is listed for, and the member.

    Args:
        origin: shape (M,): the origin of each member.
        origins: how many there are.
        at: origins, the same possibly several times.
    """
    by_origin = np.argsort(origin, kind="stable")
    many = np.bincount(origin, minlength=origins)
    entry = np.repeat(np.arange(len(at)), many[at])
    nth = np.arange(len(entry)) - (np.cumsum(many[at]) - many[at])[entry]
    return entry, by_origin[(np.cumsum(many) - many)[at][entry] + nth]


def _taken(
    exits: Exits,
    to: Destinations,
    origin: Indices,
    switch: Indices,
    asked: NDArray[np.bool_],
    *,
    guarded: bool,
) -> Iterator[tuple[Indices, Indices, Floats]]:
    """Yield, hop by hop, which origins take which links that are asked about, and with which share.

    Args:
        exits: of the subnet.
        to: the destination of each origin.
        origin: shape (N,): the walking ones.
        switch: shape (N,): the first switch of each of them.
        asked: shape (L + 1,): links.
        guarded: not all are known to arrive.

    Raises:
        LostError: if guarded, not all arrive.
    """
    part = np.ones(len(origin))
    for hop in count():
        index, link, share = onward(exits, switch, to.lids[origin])
        origin, part = origin[index], part[index] * share
        going = exits.going(link, to.ports[origin], hop, guarded=guarded)
        chosen = asked[link]
        yield origin[chosen], link[chosen].astype(np.int64), part[chosen]
        if not going.any():
            return
        states, sums = gathered(
            exits.ends(link[going]).astype(np.int64) * len(to) + origin[going],
            part[None, going],
            exits.switches * len(to),
        )
        origin, switch, part = states % len(to), states // len(to), sums[0]
