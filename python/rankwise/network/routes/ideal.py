"""Ideal routing on the same cables: messages split evenly over all shortest ways."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.network.fabric.model import (
    EVEN_SPLIT,
    NO_PORT,
    HostPorts,
    Links,
    Routing,
    Subnet,
)
from rankwise.network.routes.classes import between_switches
from rankwise.network.routes.distances import FAR, distances
from rankwise.network.routes.steps import Floats, Indices
from rankwise.network.routes.walk import link_loads

_CELLS = 1 << 22
"""Number of (link, destination) cells that are processed at a time."""


class EvenSplit:
    """A subnet in which every switch takes all its ports that lead nearer to the destination equally often.

    Hosts at the same switch are one destination here: the last hop is known.
    """

    def __init__(self, subnet: Subnet) -> None:
        self._subnet = subnet
        self._between = between_switches(subnet)
        self._first = subnet.links.destination[subnet.up]
        self._ends, self._end = np.unique(self._first, return_inverse=True)
        self._ways = _ways(subnet, self._between, self._ends)

    def loads(self, source: ArrayLike, destination: ArrayLike, weight: ArrayLike) -> Floats:
        """Return the loads of the links.

        Args:
            source: shape (N,): host ports.
            destination: shape (N,): host ports.
            weight: shape (N,): not negative.

        Returns:
            Shape (L,).
        """
        sources, destinations = np.asarray(source, np.int64), np.asarray(destination, np.int64)
        weights = np.where(sources == destinations, 0.0, np.asarray(weight, np.float64))
        loads = self.of_switches(self._end[sources], self._end[destinations], weights)
        ports = len(self._first)
        loads[self._subnet.up] += np.bincount(sources, weights, ports)
        loads[self._subnet.up ^ 1] += np.bincount(destinations, weights, ports)
        return loads

    def of_switches(self, source: ArrayLike, destination: ArrayLike, weight: ArrayLike) -> Floats:
        """Return the loads of messages between switches with hosts; the links of hosts have none.

        Args:
            source: shape (N,): places in the ascending list of switches with hosts.
            destination: shape (N,): places in the same list.
            weight: shape (N,): not negative.

        Returns:
            Shape (L,).
        """
        loads = np.zeros(len(self._subnet.links))
        way_loads = link_loads(self._ways, source, destination, weight)
        loads[self._between] = way_loads[: len(self._between)]
        return loads


def _ways(subnet: Subnet, between: Indices, ends: NDArray[np.int32]) -> Subnet:
    """Return the subnet with one host per switch, and tables with all shortest paths."""
    switches, links = len(subnet.switches.names), subnet.links
    source, destination = links.source[between], links.destination[between]
    source_port, destination_port = links.source_port[between], links.destination_port[between]
    order = np.argsort(source, kind="stable")
    width = max(1, _CELLS // max(1, len(between)))
    tables = [
        _nearer(switches, source[order], destination[order], source_port[order], ends[first : first + width])
        for first in range(0, len(ends), width)
    ]
    widest = max(table.shape[2] for table in tables)
    forward = np.full((switches, len(ends) + 1, widest), NO_PORT, np.uint16)
    column = 1
    for table in tables:
        forward[:, column : column + table.shape[1], : table.shape[2]] = table
        column += table.shape[1]
    free = int(links.source_port.max(initial=0)) + 1
    forward[ends, np.arange(1, len(ends) + 1)] = NO_PORT
    forward[ends, np.arange(1, len(ends) + 1), 0] = free
    hosts = switches + np.arange(len(ends), dtype=np.int32)
    port, free_port = np.ones(len(ends), np.int32), np.full(len(ends), free, np.int32)
    ports = HostPorts(
        tuple(subnet.switches.names[end] for end in ends),
        ("",) * len(ends),
        port,
        np.zeros(len(ends), np.uint64),
        np.zeros(len(ends), np.uint64),
        np.arange(1, len(ends) + 1, dtype=np.int32),
        port,
    )
    all_links = Links(
        np.concatenate([source, np.stack([hosts, ends], axis=1).ravel()]),
        np.concatenate([source_port, np.stack([port, free_port], axis=1).ravel()]),
        np.concatenate([destination, np.stack([ends, hosts], axis=1).ravel()]),
        np.concatenate([destination_port, np.stack([free_port, port], axis=1).ravel()]),
        np.full(len(between) + 2 * len(ends), np.nan),
        np.zeros(len(between) + 2 * len(ends), np.int8),
    )
    return Subnet(subnet.name, subnet.switches, ports, all_links, forward, Routing(EVEN_SPLIT))


def _nearer(
    switches: int,
    source: NDArray[np.int32],
    destination: NDArray[np.int32],
    port: NDArray[np.int32],
    ends: NDArray[np.int32],
) -> NDArray[np.uint16]:
    """Return the ports that lead nearer to switches.

    Args:
        switches: S.
        source: shape (L,): of each link, ascending.
        destination: shape (L,): of each.
        port: shape (L,): of the source.
        ends: shape (C,): switches to come to.

    Returns:
        Shape (S, C, W).
    """
    far = distances(switches, source, destination, ends)
    leads = (far[destination] < far[source]) & (far[source] < FAR)
    before = np.cumsum(leads, axis=0, dtype=np.int32)
    begin = np.flatnonzero(np.diff(source, prepend=-1))
    many = np.diff(begin, append=len(source))
    # the number of each way within its switch, from 0
    offset = np.repeat((before - leads)[begin], many, axis=0) if len(source) else before
    nth = before - leads - offset
    exits = np.full((switches, len(ends), int(nth.max(initial=0)) + 1), NO_PORT, np.uint16)
    link, end = np.nonzero(leads)
    exits[source[link], end, nth[link, end]] = port[link]
    return exits
