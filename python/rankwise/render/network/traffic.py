"""A job's traffic on a fabric, for page and pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import Fabric, Subnet
from rankwise.network.job.flows import Flows
from rankwise.network.job.journeys import RailJourneys, journeys
from rankwise.network.job.rank_ports import Places
from rankwise.network.routes.classes import class_bounds
from rankwise.network.routes.destinations import ARRIVES
from rankwise.network.routes.walk import routed
from rankwise.network.what_if import AS_IT_IS, Scenario, scenario
from rankwise.render.network.groups import PageGroups, page_groups


@dataclass(frozen=True)
class RailTraffic:
    """The traffic of one subnet.

    Attributes:
        subnet: of the fabric, L links.
        journeys: parts of flows.
        arrives: shape (J,): whether each journey arrives; others put no load on links.
        loads: shape (2, H, L): bytes and messages of each group of the page on each link.
    """

    subnet: Subnet
    journeys: RailJourneys
    arrives: NDArray[np.bool_]
    loads: NDArray[np.float64]


@dataclass(frozen=True)
class Traffic:
    """The flows of a job on the rails of a fabric.

    Attributes:
        fabric: its subnets are the rails.
        flows: G groups.
        groups: H groups, as the page distinguishes them.
        places: of the ranks.
        rails: one for each subnet.
        within_hosts: flows that use no link.
        lost: flows of ranks without a place in the fabric.
        lid_offset: as `routed` takes it.
    """

    fabric: Fabric
    flows: Flows
    groups: PageGroups
    places: Places
    rails: tuple[RailTraffic, ...]
    within_hosts: NDArray[np.int64]
    lost: NDArray[np.int64]
    lid_offset: int | None

    @property
    def on_links(self) -> float:
        """Bytes that leave hosts and arrive."""
        return sum(float(rail.loads[0].sum(axis=0)[rail.subnet.up].sum()) for rail in self.rails)

    @property
    def between_hosts(self) -> int:
        """Bytes between hosts, including those on no link."""
        return int(self.flows.bytes.sum() - self.flows.bytes[self.within_hosts].sum())


def traffic(fabric: Fabric, flows: Flows, places: Places, lid_offset: int | None = 0) -> Traffic:
    """Send the flows of a job over a fabric."""
    all_journeys, groups = journeys(flows, places), page_groups(flows.groups)
    rails = tuple(
        _rail(subnet, flows, groups, of_rail, lid_offset)
        for subnet, of_rail in zip(fabric.subnets, all_journeys.rails, strict=True)
    )
    return Traffic(
        fabric, flows, groups, places, rails, all_journeys.within_hosts, all_journeys.lost, lid_offset
    )


def as_it_is(traffic: Traffic) -> Scenario:
    """Return the present limits of the traffic, as a scenario."""
    bounds = []
    for rail in traffic.rails:
        trips, there = rail.journeys, rail.arrives
        sizes = traffic.flows.bytes[trips.flow] * trips.share
        bounds.append(class_bounds(rail.subnet, trips.source[there], trips.destination[there], sizes[there]))
    loads = [rail.loads[0].sum(axis=0) for rail in traffic.rails]
    return scenario(AS_IT_IS, traffic.fabric.subnets, loads, bounds)


def _rail(
    subnet: Subnet, flows: Flows, groups: PageGroups, of_rail: RailJourneys, lid_offset: int | None
) -> RailTraffic:
    weight = np.stack([flows.bytes[of_rail.flow], flows.messages[of_rail.flow]]) * of_rail.share
    sent = routed(
        subnet,
        of_rail.source,
        of_rail.destination,
        weight,
        group=groups.of[flows.group[of_rail.flow]],
        groups=max(1, len(groups)),
        lid_offset=lid_offset,
    )
    return RailTraffic(subnet, of_rail, sent.fate == ARRIVES, sent.loads)
