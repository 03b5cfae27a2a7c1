"""Whether two subnets are the same: a GUID belongs to only one subnet."""

from __future__ import annotations

import numpy as np

from rankwise.network.fabric.model import Subnet, Switches

_CABLES = ("source", "source_port", "destination", "destination_port")


def guids_of(subnet: Subnet) -> set[int]:
    """Return GUIDs that no other subnet can have: GUIDs of switches and of host ports."""
    switches = [] if is_numbered(subnet.switches) else subnet.switches.guids.tolist()
    return {*switches, *subnet.ports.guids.tolist()} - {0}


def is_numbered(switches: Switches) -> bool:
    """Return whether switches have numbers from 1 in place of GUIDs."""
    return np.array_equal(switches.guids, np.arange(1, len(switches.guids) + 1))


def difference(first: Subnet, second: Subnet) -> str:
    """Return which parts of two subnets differ, in the plural; '' if none. Names and rates do not count."""
    ports, others = first.ports, second.ports
    for what, same in (
        ("switches", np.array_equal(first.switches.guids, second.switches.guids)),
        ("ports of hosts", np.array_equal(ports.guids, others.guids)),
        ("LIDs", np.array_equal(first.switches.lids, second.switches.lids)),
        ("LIDs", np.array_equal(ports.lids, others.lids)),
        ("LIDs", np.array_equal(ports.lid_counts, others.lid_counts)),
        (
            "cables",
            all(np.array_equal(getattr(first.links, end), getattr(second.links, end)) for end in _CABLES),
        ),
        ("forwarding tables", np.array_equal(first.forward, second.forward)),
    ):
        if not same:
            return what
    return ""
