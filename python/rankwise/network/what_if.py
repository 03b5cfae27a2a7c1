"""The same messages on other hosts, or by other routes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.network.bottleneck import Bottleneck, bottleneck
from rankwise.network.fabric.model import Fabric, Subnet
from rankwise.network.job.flows import Flows
from rankwise.network.job.journeys import Journeys, journeys
from rankwise.network.job.rank_ports import Places, Rail
from rankwise.network.loads import JobLoads
from rankwise.network.routes.classes import ClassLoads, by_class, class_bounds
from rankwise.network.routes.destinations import ARRIVES
from rankwise.network.routes.ideal import EvenSplit
from rankwise.network.routes.steps import distinct
from rankwise.network.routes.walk import routed

SEED = 1
AS_IT_IS, AS_IT_RAN = "as it is", "as it ran"
IN_ORDER, AT_RANDOM, SPLIT = "ranks in order", "ranks at random", "even split"


@dataclass(frozen=True)
class Scenario:
    """The limits of the traffic with some placement and routes.

    Attributes:
        name: of it: AS_IT_IS, IN_ORDER, AT_RANDOM, SPLIT, or one given.
        hottest: the class of the link between switches that takes longest; None: no such link has a load.
        bottleneck: of fabric and hosts.
    """

    name: str
    hottest: ClassLoads | None
    bottleneck: Bottleneck

    @property
    def excess(self) -> float | None:
        """How many times its bound the load of the slowest link between switches is; None: there is no bound.

        That is the bound of its class, or else of all links between switches.
        """
        if self.hottest is None:
            return None
        if self.hottest.bound:
            return self.hottest.excess
        bound = self.hottest.bound_of_any
        return self.hottest.max / bound if 0 < bound <= self.hottest.max else None


def as_it_is(loads: JobLoads) -> Scenario:
    """Return the scenario of the recorded placement and routes."""
    limit = bottleneck([rail.subnet for rail in loads.rails], [rail.bytes for rail in loads.rails])
    return _scenario(AS_IT_IS, loads.fabric.subnets, [rail.classes for rail in loads.rails], limit)


def scenario(
    name: str,
    subnets: Sequence[Subnet],
    loads: Sequence[NDArray[np.float64]],
    bounds: Sequence[NDArray[np.float64]],
) -> Scenario:
    """Sum up a scenario.

    Args:
        name: of it.
        subnets: of the fabric.
        loads: bytes on the links of each.
        bounds: as of `class_bounds`.
    """
    classes = [by_class(*each) for each in zip(subnets, loads, bounds, strict=True)]
    return _scenario(name, subnets, classes, bottleneck(subnets, loads))


def _scenario(
    name: str, subnets: Sequence[Subnet], classes: Sequence[Sequence[ClassLoads]], limit: Bottleneck
) -> Scenario:
    hottest = None
    if limit.fabric:
        link_class = subnets[limit.fabric.rail].classes[limit.fabric.link]
        hottest = next(each for each in classes[limit.fabric.rail] if each.link_class == link_class)
    return Scenario(name, hottest, limit)


def placed(
    name: str,
    fabric: Fabric,
    flows: Flows,
    places: Places,
    *,
    split: bool = False,
    lid_offset: int | None = 0,
) -> Scenario:
    """Send flows from other places, or by ideal routes.

    Args:
        name: of it.
        fabric: S subnets.
        flows: between ranks.
        places: of the ranks.
        split: evenly over all shortest paths, instead of by the forwarding tables.
        lid_offset: as of `job_loads`.
    """
    loads, bounds = [], []
    for subnet, (source, destination, sizes) in zip(
        fabric.subnets, _messages(flows, journeys(flows, places)), strict=True
    ):
        routes = routed(subnet, source, destination, sizes, lid_offset=lid_offset)
        there = routes.fate == ARRIVES
        arriving = source[there], destination[there], sizes[there]
        loads.append(EvenSplit(subnet).loads(*arriving) if split else routes.loads)
        bounds.append(class_bounds(subnet, *arriving))
    return scenario(name, fabric.subnets, loads, bounds)


def alternatives(
    fabric: Fabric, flows: Flows, places: Places, *, lid_offset: int | None = 0
) -> list[Scenario]:
    """Return scenarios with the ranks on the same hosts in other orders, and with ideal routes.

    Ranks in order: along the fabric, switch by switch. At random: one random order.

    Args:
        fabric: S subnets.
        flows: between ranks.
        places: of the ranks.
        lid_offset: as of `job_loads`.
    """
    ordered, drawn = in_order(fabric, places), at_random(places, SEED)
    return [
        placed(IN_ORDER, fabric, flows, ordered, lid_offset=lid_offset),
        placed(AT_RANDOM, fabric, flows, drawn, lid_offset=lid_offset),
        placed(SPLIT, fabric, flows, places, split=True, lid_offset=lid_offset),
    ]


def in_order(fabric: Fabric, places: Places) -> Places:
    """Return places with the ranks in the order of switches and ports."""
    positions = np.full(places.ranks, np.inf)
    for subnet, rail in zip(reversed(fabric.subnets), reversed(places.rails), strict=True):
        if not rail.ports.shape[1]:
            continue
        up = subnet.up[rail.ports[:, 0]]
        at = subnet.links.destination[up].astype(np.float64) * (1 << 16) + subnet.links.destination_port[up]
        positions = np.where(rail.ports[:, 0] >= 0, at, positions)
    return _permuted(places, np.argsort(positions, kind="stable"))


def at_random(places: Places, seed: int) -> Places:
    """Return places with the ranks in random order."""
    return _permuted(places, np.random.default_rng(seed).permutation(places.ranks))


def _permuted(places: Places, order: NDArray[np.int64]) -> Places:
    """Return places in which the ranks that have a place are permuted by an order of all ranks."""
    has = np.sum([rail.shares.sum(axis=1) for rail in places.rails], axis=0) > 0
    slots = np.arange(places.ranks)
    slots[has] = order[has[order]]
    rails = tuple(Rail(rail.ports[slots], rail.shares[slots]) for rail in places.rails)
    return replace(places, host=places.host[slots], rails=rails)


def _messages(
    flows: Flows, travelling: Journeys
) -> list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]]:
    """Return sources, destinations and bytes of the traffic on each rail, one entry for a pair of ports."""
    messages = []
    for taking in travelling.rails:
        (sources, source_index), (destinations, destination_index) = (
            distinct(ends.astype(np.int64), int(ends.max(initial=0)) + 1)
            for ends in (taking.source, taking.destination)
        )
        keys = source_index * len(destinations) + destination_index
        pairs, place = distinct(keys, len(sources) * len(destinations))
        sizes = np.bincount(place, flows.bytes[taking.flow] * taking.share, len(pairs)).astype(np.float64)
        source, destination = np.divmod(pairs, max(len(destinations), 1))
        messages.append((sources[source].astype(np.int32), destinations[destination].astype(np.int32), sizes))
    return messages
