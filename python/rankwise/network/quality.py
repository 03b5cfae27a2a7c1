"""The quality of the routes between a job's hosts, independent of its messages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.network.fabric.model import Fabric
from rankwise.network.job.rank_ports import Places
from rankwise.network.routes.all_to_all import all_to_all
from rankwise.network.routes.quality import Bisection, bisection_bandwidth, forwarding_index


@dataclass(frozen=True)
class RailQuality:
    """The routes of one subnet between the ports that a job has there.

    Attributes:
        ports: how many.
        forwarding_index: the largest number of routes, counted over all pairs, on a link between switches.
        bisection: effective bisection bandwidth, as if all links were equally fast; None: less than two
            ports, or some can't reach others.
    """

    ports: int
    forwarding_index: float
    bisection: Bisection | None


def quality(fabric: Fabric, places: Places, *, lid_offset: int | None = 0) -> list[RailQuality]:
    """Return the quality of the routes of each subnet."""
    qualities = []
    for subnet, rail in zip(fabric.subnets, places.rails, strict=True):
        ports = np.unique(rail.ports[rail.shares > 0])
        routes = all_to_all(subnet, ports, lid_offset=lid_offset)
        qualities.append(
            RailQuality(
                len(ports),
                forwarding_index(subnet, routes),
                bisection_bandwidth(subnet, ports, lid_offset=lid_offset, routes=routes),
            )
        )
    return qualities
