"""Cables of a job's hosts whose ports counted errors, or were blocked, while the job ran."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

import numpy as np

from rankwise.analysis.nodes.network import PortUse, network_use
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.found import HostMatch
from rankwise.text.network import blocked_text, error_text

_MOST = 3  # that are named


def cable_warnings(
    connection: sqlite3.Connection, fabric: Fabric, hosts: Mapping[str, HostMatch]
) -> Iterator[str]:
    """Yield a warning about errors, and one about blocked ports, if there are any.

    Args:
        connection: the profile.
        fabric: that the job ran on.
        hosts: of the job, by name.
    """
    ports = [
        (port, cable) for port in network_use(connection).ports if (cable := _cable(port, fabric, hosts))
    ]
    faulty = [f"{cable} had {error_text(port.faults)}" for port, cable in ports if port.faults]
    blocked = [f"{cable} {blocked_text(port)}" for port, cable in ports if port.is_blocked]
    for what, named in (("had errors", faulty), ("were blocked", blocked)):
        if named:
            more = f"; {len(named) - _MOST} more" if len(named) > _MOST else ""
            yield f"cables of the job's hosts {what} during the run: {'; '.join(named[:_MOST])}{more}"


def _cable(port: PortUse, fabric: Fabric, hosts: Mapping[str, HostMatch]) -> str:
    """Return the cable at a port of a host: `node1 mlx5_0 [1] - leaf1 [5]`; '' if the fabric has none."""
    match = hosts.get(port.host)
    for place in match.ports if match else ():
        if (place.device or port.device, place.number) != (port.device, port.port):
            continue
        subnet = fabric.subnets[place.subnet]
        links = subnet.links
        leaving = np.flatnonzero(links.source == len(subnet.switches.names) + place.port)
        for link in leaving.tolist():
            switch = subnet.name_of(int(links.destination[link]))
            return f"{port.host} {port.device} [{port.port}] - {switch} [{links.destination_port[link]}]"
    return ""
