"""A job's traffic on a fabric, for page and pictures."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import Fabric, Subnet
from rankwise.network.job.flows import Flows, flows
from rankwise.network.job.journeys import RailJourneys, journeys
from rankwise.network.job.rank_ports import Places
from rankwise.network.routes.classes import class_bounds
from rankwise.network.routes.destinations import ARRIVES
from rankwise.network.routes.walk import routed
from rankwise.network.share import NetworkShare, mean_mpi_seconds, network_share
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


@dataclass(frozen=True, kw_only=True)
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
        share: of the network in the run; None: unknown.
    """

    fabric: Fabric
    flows: Flows
    groups: PageGroups
    places: Places
    rails: tuple[RailTraffic, ...]
    within_hosts: NDArray[np.int64]
    lost: NDArray[np.int64]
    lid_offset: int | None
    share: NetworkShare | None = None

    @property
    def on_links(self) -> float:
        """Bytes that leave hosts and arrive."""
        return sum(float(rail.loads[0].sum(axis=0)[rail.subnet.up].sum()) for rail in self.rails)

    @property
    def between_hosts(self) -> int:
        """Bytes between hosts, including those on no link."""
        return int(self.flows.bytes.sum() - self.flows.bytes[self.within_hosts].sum())


def traffic(fabric: Fabric, sent: Flows, places: Places, lid_offset: int | None = 0) -> Traffic:
    """Send the flows of a job over a fabric."""
    all_journeys, groups = journeys(sent, places), page_groups(sent.groups)
    rails = tuple(
        _rail(subnet, sent, groups, of_rail, lid_offset)
        for subnet, of_rail in zip(fabric.subnets, all_journeys.rails, strict=True)
    )
    return Traffic(
        fabric=fabric,
        flows=sent,
        groups=groups,
        places=places,
        rails=rails,
        within_hosts=all_journeys.within_hosts,
        lost=all_journeys.lost,
        lid_offset=lid_offset,
    )


def traffic_of_run(
    connection: sqlite3.Connection, fabric: Fabric, places: Places, lid_offset: int | None = 0
) -> Traffic:
    """Send the messages of a run over a fabric.

    Args:
        connection: the profile.
        fabric: as it was read or made.
        places: of the ranks in it.
        lid_offset: as `routed` takes it.
    """
    of = traffic(fabric, flows(connection), places, lid_offset)
    share = network_share(
        connection,
        mean_mpi_seconds(connection),
        as_it_is(of).bottleneck,
        of.flows,
        [(rail.subnet, rail.journeys) for rail in of.rails],
        is_part=False,
        lid_offset=lid_offset,
    )
    return replace(of, share=share)


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
    subnet: Subnet, sent: Flows, groups: PageGroups, of_rail: RailJourneys, lid_offset: int | None
) -> RailTraffic:
    weight = np.stack([sent.bytes[of_rail.flow], sent.messages[of_rail.flow]]) * of_rail.share
    routes = routed(
        subnet,
        of_rail.source,
        of_rail.destination,
        weight,
        group=groups.of[sent.group[of_rail.flow]],
        groups=max(1, len(groups)),
        lid_offset=lid_offset,
    )
    return RailTraffic(subnet, of_rail, routes.fate == ARRIVES, routes.loads)
