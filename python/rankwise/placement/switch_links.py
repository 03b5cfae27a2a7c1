"""The most loaded link between two switches, of a machine whose nodes have links, too.

The search makes the most loaded of all links small. Where the links of nodes limit, that says nothing about
the links between switches.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.placement_cost import LinkLoad
from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.network import Routes


class SwitchLinks:
    """The links between the switches of a machine with forwarding tables."""

    def __init__(self, machine: Machine) -> None:
        """Read the tables; without any, or if nodes have no links, no link is looked at."""
        self._machine = machine
        self._tables: list[NDArray[np.int64]] = []
        routes = machine.network
        if not isinstance(routes, Routes):
            return
        self._ends = np.array(routes.links, np.int64).reshape(-1, 2)
        self._between = ~np.isin(self._ends, routes.at).any(axis=1)
        if self._between.all():  # the most loaded of all links is one of these
            return
        self._names, self._at, self._shares = routes.routers, np.array(routes.at, np.int64), routes.shares
        self._tables = [np.array(rows, np.int64) for rows in routes.next]
        self._unit = "us" if routes.mb_s else "bytes"
        # A byte at 1 MB/s takes 1 us.
        self._costs = 1.0 / np.array(routes.mb_s) if routes.mb_s else np.ones(len(self._ends))

    def most_loaded(self, traffic: Traffic, slot: NDArray[np.int64]) -> LinkLoad | None:
        """Return the most loaded link.

        Args:
            traffic: between the ranks.
            slot: shape (ranks,): index of the slot of each rank in Machine.slots.

        Returns:
            None if there is no link to look at, or no message takes any.
        """
        if not self._tables:
            return None
        loads = self._loads(*_between_nodes(traffic, self._machine, slot))
        takes = np.where(self._between, loads * self._costs, 0.0)
        way, link = np.unravel_index(int(takes.argmax()), takes.shape)
        if not takes[way, link]:
            return None
        first, second = self._ends[link][:: -1 if way else 1]
        return LinkLoad(f"{self._names[first]} to {self._names[second]}", float(takes[way, link]), self._unit)

    def _loads(
        self, source: NDArray[np.int64], destination: NDArray[np.int64], sizes: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return bytes on links, shape (2, links): from their first to their second router, and back.

        Args:
            source: shape (N,): nodes.
            destination: shape (N,): other nodes.
            sizes: shape (N,): bytes.
        """
        count = len(self._ends)
        loads = np.zeros(2 * count)
        for share, table in zip(self._shares, self._tables, strict=True):
            here, to, size = self._at[source], destination, share * sizes
            while len(here):
                link = table[here, to]
                back = self._ends[link, 0] != here
                loads += np.bincount(back * count + link, size, len(loads))
                here = np.where(back, self._ends[link, 0], self._ends[link, 1])
                going = here != self._at[to]
                here, to, size = here[going], to[going], size[going]
        return loads.reshape(2, count)


def _between_nodes(
    traffic: Traffic, machine: Machine, slot: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return sources and destinations, nodes of the machine, and bytes of each pair with any."""
    node = machine.slots.host[slot].astype(np.int64)
    keys = node[np.asarray(traffic.source)] * len(machine.nodes) + node[np.asarray(traffic.destination)]
    pairs, place = np.unique(keys, return_inverse=True)
    sizes = np.bincount(place, np.asarray(traffic.bytes, np.float64), len(pairs))
    source, destination = np.divmod(pairs, len(machine.nodes))
    apart = source != destination
    return source[apart], destination[apart], sizes[apart]
