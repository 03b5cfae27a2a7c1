"""Generated tori and dragonflies as machine.json has them: by their sizes, and where each node is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.network.fabric.model import Fabric
from rankwise.network.sources.generators.dragonfly import dragonfly_sizes
from rankwise.network.sources.generators.torus import torus_sizes
from rankwise.topology.machine.network import Dragonfly, Torus

GENERATOR = "generator"


def regular_network(fabric: Fabric, hosts: Sequence[str]) -> Torus | Dragonfly | None:
    """Return the network of a fabric that was made by a rule which machine.json has, too; else None.

    Args:
        fabric: any.
        hosts: some of its hosts.
    """
    if len(fabric.subnets) != 1 or [source.kind for source in fabric.sources] != [GENERATOR]:
        return None
    subnet, words = fabric.subnets[0], fabric.sources[0].what
    lid_of = dict(zip(subnet.ports.hosts, subnet.ports.lids.tolist(), strict=True))
    place = np.array([lid_of[host] - 1 for host in hosts])
    if subnet.routing.by == "dimension-order":
        sides, each, is_ring = torus_sizes(words)
        axes = np.unravel_index(place // each, sides)
        return Torus(
            sides, (is_ring,) * len(sides), tuple(zip(*(axis.tolist() for axis in axes), strict=True))
        )
    sizes = dragonfly_sizes(words) if subnet.routing.by == "minimal" else None
    if sizes is None:
        return None
    groups, routers, each = sizes
    router = place // each
    rows = tuple(zip((router // routers).tolist(), (router % routers).tolist(), strict=True))
    return Dragonfly(groups, routers, each, rows)
