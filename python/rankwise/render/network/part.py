"""The part of a subnet that a job uses: its host ports, the switches on its paths, the links between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import NO_PORT, Subnet
from rankwise.network.job.rank_ports import Rail
from rankwise.network.routes.destinations import lids_of

_MOST_CELLS = 40_000_000


@dataclass(frozen=True)
class Part:
    """A part of a subnet.

    Attributes:
        subnet: the whole one.
        switches, ports, links: shapes (s,), (p,), (l,): their indices in the subnet, ascending.
    """

    subnet: Subnet
    switches: NDArray[np.int64]
    ports: NDArray[np.int64]
    links: NDArray[np.int64]

    def ends(self, ends: NDArray[np.int32]) -> NDArray[np.int64]:
        """Number ends of links as the part does: switches first, then host ports."""
        number = np.full(len(self.subnet.switches.names) + len(self.subnet.ports.hosts), -1, np.int64)
        number[self.switches] = np.arange(len(self.switches))
        number[len(self.subnet.switches.names) + self.ports] = len(self.switches) + np.arange(len(self.ports))
        return number[ends]

    def of_ports(self, ports: NDArray[np.int32]) -> NDArray[np.int64]:
        """Number host ports as the part does; -1 stays."""
        number = np.full(len(self.subnet.ports.hosts) + 1, -1, np.int64)
        number[self.ports] = np.arange(len(self.ports))
        return number[ports]

    def forward(self, lid_offset: int | None) -> tuple[NDArray[np.uint16], NDArray[np.int64]] | None:
        """Return the forwarding tables, destination by destination.

        Args:
            lid_offset: the LIDs of the ports that messages use, as in `lids_of`.

        Returns:
            Shape (s, C, W): ports, NO_PORT for none; and shape (p + 1,): port i has the columns from the i-th
            number to the next. None if there are too many to show.
        """
        place, lids, _ = lids_of(self.subnet, self.ports, lid_offset)
        if len(self.switches) * len(lids) * self.subnet.forward.shape[2] > _MOST_CELLS:
            return None
        table = self.subnet.forward[np.ix_(self.switches, lids)]
        start = np.searchsorted(place, np.arange(len(self.ports) + 1))
        return np.where(table == 0, NO_PORT, table), start


def part_of(subnet: Subnet, rail: Rail, loads: NDArray[np.float64]) -> Part:
    """Return the part that a job uses; it includes unused links between two of its ends.

    Args:
        subnet: with L links.
        rail: the ports of the ranks there.
        loads: shape (..., L).
    """
    switches = len(subnet.switches.names)
    used = loads.reshape(-1, len(subnet.links)).any(axis=0)
    kept = np.zeros(switches + len(subnet.ports.hosts), bool)
    takes = rail.ports[rail.ports >= 0]
    kept[switches + takes] = True
    kept[subnet.links.destination[subnet.up[takes]]] = True
    kept[subnet.links.source[used]] = kept[subnet.links.destination[used]] = True
    both = kept[subnet.links.source] & kept[subnet.links.destination]
    return Part(
        subnet,
        np.flatnonzero(kept[:switches]),
        np.flatnonzero(kept[switches:]),
        np.flatnonzero(both),
    )
