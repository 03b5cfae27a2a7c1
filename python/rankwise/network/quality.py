"""What the routes between a job's hosts are worth, whatever it sends."""

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
        forwarding_index: the most routes over one link between switches, of those between all pairs.
        bisection: effective bisection bandwidth, all links taken as equally fast; None: less than two ports,
            or some have no way to others.
    """

    ports: int
    forwarding_index: float
    bisection: Bisection | None


def quality(fabric: Fabric, places: Places, *, lid_offset: int | None = 0) -> list[RailQuality]:
    """Return what the routes of each subnet are worth."""
    found = []
    for subnet, rail in zip(fabric.subnets, places.rails, strict=True):
        ports = np.unique(rail.ports[rail.shares > 0])
        routes = all_to_all(subnet, ports, lid_offset=lid_offset)
        found.append(
            RailQuality(
                len(ports),
                forwarding_index(subnet, routes),
                bisection_bandwidth(subnet, ports, lid_offset=lid_offset),
            )
        )
    return found
