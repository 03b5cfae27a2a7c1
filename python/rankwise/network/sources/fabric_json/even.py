"""Tables of an even split, for fabrics that have cables and no tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise.network.fabric.model import NO_PORT, Subnet
from rankwise.network.sources.generators.even import even_tables
from rankwise.network.sources.generators.plan import Plan


def evenly_split(subnet: Subnet) -> Subnet:
    """Return the subnet with all shortest ways from each switch to each host port as its tables."""
    links, switches = subnet.links, len(subnet.switches.names)
    ends = (links.source, links.source_port, links.destination, links.destination_port)
    cables = np.stack([end[::2].astype(np.int64) for end in ends], axis=1)
    between = cables[(cables[:, 0] < switches) & (cables[:, 2] < switches)]
    up = subnet.up
    at, port = links.destination[up].astype(np.int64), links.destination_port[up].astype(np.int64)
    tables = even_tables(Plan(subnet.switches.names, subnet.ports.hosts, at, port, between, np.nan))
    lids, counts = subnet.ports.lids, subnet.ports.lid_counts
    forward = np.full((switches, int((lids + counts - 1).max()) + 1, tables.shape[2]), NO_PORT, np.uint16)
    for more in range(int(counts.max())):
        having = np.flatnonzero(counts > more)
        forward[:, lids[having] + more] = tables[:, having]
    return replace(subnet, forward=forward)
