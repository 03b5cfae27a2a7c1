"""Destinations of messages: columns of forwarding tables, and how far each switch is from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.native import Arguments
from rankwise.network.fabric.model import NO_PORT, Subnet

_CELLS = 1 << 18
"""Table entries that are processed at a time: they and the next hops fit in a cache."""

ARRIVES, NO_WAY, IN_CIRCLES = 0, 1, 2
"""Outcomes of messages from one host port to another."""


_TRUSTED_HOPS = 64
"""Who walks further may go in circles."""


class LostError(Exception):
    """Messages do not come to their destinations."""


@dataclass(frozen=True)
class Destinations:
    """C host ports, each with one of its LIDs. A port may occur several times.

    Attributes:
        ports: shape (C,): host ports.
        lids: shape (C,): LIDs that messages for them have.
    """

    ports: NDArray[np.int64]
    lids: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ports)

    def __getitem__(self, chosen: slice | NDArray[np.int64]) -> Destinations:
        return Destinations(self.ports[chosen], self.lids[chosen])


class Exits:
    """The links out of the switches of a subnet, as walks ask for them."""

    def __init__(self, subnet: Subnet) -> None:
        self.switches = len(subnet.switches.names)
        self.forward = subnet.forward
        self._last = subnet.out.shape[1]
        self._links = np.full((self.switches, self._last + 1), -1, np.int32)
        self._links[:, : self._last] = subnet.out
        self._links[:, 0] = -1  # messages for hosts do not end in a switch
        self._ends = np.append(subnet.links.destination, -1)
        self.first = subnet.links.destination[subnet.up]
        """Shape (P,): the switch that each host port is linked with."""

    @cached_property
    def far(self) -> NDArray[np.int32]:
        """Shape (S, ports + 1): the far end of the link out of each port of each switch; -1 without one."""
        return self.ends(self._links).astype(np.int32)

    def links(self, switch: NDArray[np.integer], ports: NDArray[np.uint16]) -> NDArray[np.int32]:
        """Return the link out of each port; -1 without one."""
        out_links: NDArray[np.int32] = self._links[switch, np.minimum(ports, self._last)]
        return out_links

    def going(
        self, links: NDArray[np.int32], ports: NDArray[np.int64], hop: int, *, guarded: bool
    ) -> NDArray[np.bool_]:
        """Return which messages go on after a hop; the others have arrived.

        Args:
            links: shape (N,): that each has taken.
            ports: shape (N,): the host port that each is for.
            hop: how many hops it has taken before.
            guarded: not all are known to arrive.

        Raises:
            LostError: if guarded, a message has no route, is at the wrong host, or may run in a loop.
        """
        ends = self._ends[links]
        going: NDArray[np.bool_] = ends < self.switches
        if guarded:
            astray = ends[~going] != self.switches + ports[~going]
            if hop > _TRUSTED_HOPS or astray.any() or (links < 0).any():
                raise LostError
        return going

    def ends(self, links: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the far end of each link; -1 of -1."""
        return self._ends[links]


def lids_of(
    subnet: Subnet, ports: NDArray[np.int64], lid_offset: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Choose the LIDs that messages for host ports have.

    Args:
        subnet: of the ports.
        ports: shape (N,): host ports.
        lid_offset: which of the LIDs of each port, from 0, modulo how many it has (LMC); None: every message
            is split evenly over all of them.

    Returns:
        Shapes (M,), in the order of `ports`: the place there of each part of a message, its LID, its share.
    """
    lids, counts = subnet.ports.lids[ports].astype(np.int64), subnet.ports.lid_counts[ports].astype(np.int64)
    if lid_offset is not None:
        return np.arange(len(ports)), lids + lid_offset % counts, np.ones(len(ports))
    place = np.repeat(np.arange(len(ports)), counts)
    offset = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return place, lids[place] + offset, 1.0 / counts[place]


def lengths(exits: Exits, to: Destinations) -> NDArray[np.float64]:
    """Return how many switches messages pass, from each switch on, itself included.

    Args:
        exits: of the subnet.
        to: C destinations.

    Returns:
        Shape (S, C): the mean over the ways of a split; nan if not all ways arrive.
    """
    lengths_to = np.empty((exits.switches, len(to)))
    for chunk in _chunks(exits, len(to)):
        lengths_to[:, chunk] = _settled(exits, to[chunk])[0]
    return lengths_to


def all_arrive(exits: Exits, to: Destinations, begin: NDArray[np.integer]) -> bool:
    """Return whether all messages from some switches arrive; if False, possibly they do so on very long ways.

    Args:
        exits: of the subnet.
        to: C destinations.
        begin: shape (B,): switches that messages for all destinations begin at.
    """
    given = Arguments()
    ways = given.new("struct rankwise_ways *")
    ways.switches, ways.lids, ways.ways = exits.forward.shape
    ways.forward = given.pointer(exits.forward, np.uint16, "uint16_t *")
    ways.ports = exits.far.shape[1]
    ways.far = given.pointer(exits.far, np.int32, "int32_t *")
    ways.destinations = len(to)
    ways.lid = given.pointer(to.lids, np.int64, "int64_t *")
    ways.host = given.pointer(to.ports, np.int64, "int64_t *")
    starts = given.pointer(begin, np.int32, "int32_t *")
    outcome = given.library.rankwise_all_arrive(ways, starts, len(begin), _TRUSTED_HOPS)
    if outcome == given.library.RANKWISE_NO_SPACE:
        raise MemoryError
    return bool(outcome == given.library.RANKWISE_ALL_ARRIVE)


def outcomes(exits: Exits, to: Destinations) -> NDArray[np.int8]:
    """Return the outcome of messages from each switch.

    Args:
        exits: of the subnet.
        to: C destinations.

    Returns:
        Shape (S, C): ARRIVES; NO_WAY if some way ends at a switch or at another host; else IN_CIRCLES.
    """
    outcomes_to = np.empty((exits.switches, len(to)), np.int8)
    for chunk in _chunks(exits, len(to)):
        outcomes_to[:, chunk] = _settled(exits, to[chunk])[1]
    return outcomes_to


def _chunks(exits: Exits, columns: int) -> list[slice]:
    width = max(1, _CELLS // max(1, exits.switches * exits.forward.shape[2]))
    return [slice(first, first + width) for first in range(0, columns, width)]


def _settled(exits: Exits, to: Destinations) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Return `lengths` and `outcomes`: from the destinations back, a hop a round."""
    columns = len(to)
    ports = exits.forward[:, to.lids]
    used = ports != NO_PORT
    ends = exits.ends(exits.links(np.arange(exits.switches)[:, None, None], ports)).astype(np.int64)
    arrived = ends == (exits.switches + to.ports)[None, :, None]
    dead = (used & ~arrived & ((ends < 0) | (ends >= exits.switches))).any(axis=2) | ~used.any(axis=2)
    state = ends * columns + np.arange(columns)[None, :, None]
    state, used, arrived = (each.reshape(-1, ports.shape[2]) for each in (state, used, arrived))
    length = np.full(exits.switches * columns, np.nan)
    fate = np.where(dead, NO_WAY, IN_CIRCLES).astype(np.int8).ravel()
    pending = np.flatnonzero(fate == IN_CIRCLES)
    while len(pending):
        there = np.where(used[pending] & ~arrived[pending], state[pending], 0)
        onward = np.where(used[pending] & ~arrived[pending], length[there], 0.0)
        mean = onward.sum(axis=1) / used[pending].sum(axis=1)
        lost = (used[pending] & ~arrived[pending] & (fate[there] == NO_WAY)).any(axis=1)
        known = np.isfinite(mean)
        length[pending[known]] = 1.0 + mean[known]
        fate[pending[known]] = ARRIVES
        fate[pending[lost]] = NO_WAY
        if not (known | lost).any():
            break
        pending = pending[~known & ~lost]
    shape = exits.switches, columns
    return length.reshape(shape), fate.reshape(shape)
