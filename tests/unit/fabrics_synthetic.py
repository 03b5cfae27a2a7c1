"""Small fabrics whose ports and links are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.network.fabric.draft import Draft, DraftPort, DraftSwitch, finished
from rankwise.network.fabric.model import MEASURED, Fabric, Routing, Source, Subnet

SWITCH = 0x9000


def port_guid(rail: int, host: int, device: int = 0, number: int = 1) -> int:
    """Of the port `number` of an adapter of a host, each counted from 0, but ports from 1."""
    return 0xA000_0000 + rail * 0x1_0000_0000 + host * 0x100 + device * 0x10 + number


def star(hosts: Sequence[str], rail: int = 0, name: str = "", devices: Sequence[str] = ("mlx5_0",)) -> Subnet:
    """Make a switch with an adapter of one port for each device of each host; LIDs from 2 in this order."""
    draft = Draft(name, Routing(MEASURED))
    draft.switches[SWITCH + rail] = DraftSwitch(f"switch{rail}", lid=1)
    lids, ports = [1], [0]
    for host, host_name in enumerate(hosts):
        for device, device_name in enumerate(devices):
            node, lid = port_guid(rail, host, device) - 1, len(lids) + 1
            draft.ports[node, 1] = DraftPort(host_name, device_name, node + 1, lid)
            draft.link((SWITCH + rail, lid - 1), (node, 1))
            lids.append(lid)
            ports.append(lid - 1)
    draft.tables[SWITCH + rail] = (np.array(lids), np.array(ports))
    return finished(draft)


def fabric(*subnets: Subnet) -> Fabric:
    """Make a fabric of rails."""
    return Fabric(subnets, tuple(Source("generator", subnet.name) for subnet in subnets))
