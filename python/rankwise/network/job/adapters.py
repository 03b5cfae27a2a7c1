"""The adapters that the nodes of a run had, found in a fabric by their port GUIDs."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.network.fabric.model import Fabric
from rankwise.network.job.hosts import PortOfHost


@dataclass(frozen=True)
class AdapterPort:
    """A port of an adapter, as reported by the kernel of its node.

    Attributes:
        host: name of the node.
        device: adapter, such as mlx5_0.
        number: of the port, from 1.
        guid: port GUID.
        lid: the lowest LID; 0 = none.
        is_in_use: whether it was active, and no Ethernet.
    """

    host: str
    device: str
    number: int
    guid: int
    lid: int
    is_in_use: bool

    def __str__(self) -> str:
        return f"{self.host} {self.device}:{self.number}"


@dataclass(frozen=True)
class Matched:
    """Ports of a host's adapters in a fabric.

    Attributes:
        on_fabric: name that the fabric has for the host.
        ports: by rail and number; none: no port GUID is there.
        moved: ports whose LID was different when the fabric was recorded, with that LID.
        missing: ports in use whose GUIDs are not in the fabric.
    """

    on_fabric: str
    ports: tuple[PortOfHost, ...]
    moved: tuple[tuple[AdapterPort, int], ...]
    missing: tuple[AdapterPort, ...]


def adapters_of_run(connection: sqlite3.Connection) -> dict[str, list[AdapterPort]]:
    """Return the ports that were recorded, by host."""
    adapters: dict[str, list[AdapterPort]] = {}
    for host, device, number, guid, lid, state, layer in connection.execute(
        "SELECT host, device, port, port_guid, COALESCE(lid, 0), state, link_layer FROM adapters"
        " ORDER BY host, device, port"
    ):
        in_use = state == "active" and layer != "Ethernet"
        adapters.setdefault(host, []).append(AdapterPort(host, device, number, int(guid, 16), lid, in_use))
    return adapters


class PortsByGuid:
    """The host ports of a fabric by their port GUIDs."""

    def __init__(self, fabric: Fabric) -> None:
        """Index them; those without a GUID are left out."""
        self._fabric = fabric
        self._ports: dict[int, list[tuple[int, int]]] = {}
        for number, subnet in enumerate(fabric.subnets):
            for port, guid in enumerate(subnet.ports.guids.tolist()):
                if guid:
                    self._ports.setdefault(guid, []).append((number, port))

    def find(self, adapters: Sequence[AdapterPort]) -> Matched:
        """Find the ports of one host."""
        ports, moved, names = [], [], []
        for own in adapters:
            for number, port in self._ports.get(own.guid, ()):
                there = self._fabric.subnets[number].ports
                ports.append(PortOfHost(number, port, own.device, own.number))
                names.append(there.hosts[port])
                lid = int(there.lids[port])
                if own.lid and lid and own.lid != lid:
                    moved.append((own, lid))
        missing = tuple(own for own in adapters if own.is_in_use and own.guid not in self._ports)
        ports.sort(key=lambda port: (port.subnet, port.port))
        return Matched(names[0] if names else "", tuple(ports), tuple(moved), missing)
