"""Synthetic all-to-all traffic: each rank sends to each other rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.messages.kinds import IN_COLLECTIVE
from rankwise.errors import RankwiseError
from rankwise.network.causes import Cause
from rankwise.network.fabric.model import HOST_DOWN, HOST_UP, Fabric, Subnet
from rankwise.network.job.flows import Flows, Group
from rankwise.network.job.journeys import Journeys, RailJourneys
from rankwise.network.job.rank_ports import Places, Rail
from rankwise.network.loads import JobLoads, RailLoads, Undelivered, job_loads
from rankwise.network.routes.all_to_all import AllToAll, all_to_all
from rankwise.network.routes.classes import by_class, class_bounds
from rankwise.network.routes.destinations import Destinations, Exits, lengths
from rankwise.network.routes.ideal import EvenSplit
from rankwise.network.what_if import SPLIT, Scenario, placed, scenario

EACH_PAIR = 1024
"""Up to this many ranks, each pair is a separate flow."""

_ALL = "all ranks"
_GROUP = Group(_ALL, _ALL, "", "MPI_Alltoall", IN_COLLECTIVE)


def everyone(fabric: Fabric, places: Places, size: int, *, lid_offset: int | None = 0) -> JobLoads:
    """Return the loads if each rank sends to each other rank once.

    With more than EACH_PAIR ranks, the returned object has no flows.

    Args:
        fabric: where the ranks run.
        places: of the ranks.
        size: bytes for each ordered pair of ranks.
        lid_offset: as of `job_loads`.

    Raises:
        RankwiseError: there are more ranks, and not exactly one on each host with a port on each rail.
    """
    ranks = places.ranks
    if ranks <= EACH_PAIR:
        return job_loads(fabric, _flows(ranks, size), places, lid_offset=lid_offset)
    flows = _flows(0, size)
    rails = tuple(
        _rail(subnet, rail, size, lid_offset)
        for subnet, rail in zip(fabric.subnets, _rails_of_single_ranks(places), strict=True)
    )
    none = np.empty(0, np.int64)
    unknown = RailJourneys(none, none.astype(np.int32), none.astype(np.int32), np.empty(0))
    count = ranks * (ranks - 1)
    cause = Cause(_ALL, "", 1, _GROUP.procedure, _GROUP.kind, count * size, count)
    travelling = Journeys((unknown,) * len(rails), none, none)
    return JobLoads(fabric, flows, places, travelling, (cause,), np.zeros(1, np.int64), rails, lid_offset)


def everyone_split(loads: JobLoads, size: int) -> Scenario:
    """Return the scenario with ideal routes.

    Args:
        loads: as `everyone` returns them.
        size: as given to `everyone`.
    """
    if len(loads.flows):
        return placed(SPLIT, loads.fabric, loads.flows, loads.places, split=True, lid_offset=loads.lid_offset)
    link_loads, bounds = [], []
    for subnet, rail in zip(loads.fabric.subnets, loads.places.rails, strict=True):
        amount = size * float(rail.shares.max(initial=0.0))
        ports = rail.ports[:, 0].astype(np.int64)
        ends, counts = np.unique(subnet.links.destination[subnet.up[ports]], return_counts=True)
        everywhere = np.unique(subnet.links.destination[subnet.up])
        first, second = (each.ravel() for each in np.meshgrid(np.arange(len(ends)), np.arange(len(ends))))
        place = np.searchsorted(everywhere, ends)
        sizes = amount * counts[first] * counts[second]
        split = EvenSplit(subnet).of_switches(place[first], place[second], sizes)
        split[subnet.up[ports]] = split[subnet.up[ports] ^ 1] = amount * (len(ports) - 1)
        link_loads.append(split)
        bounds.append(_bounds(subnet, ports, amount))
    return scenario(SPLIT, loads.fabric.subnets, link_loads, bounds)


def _flows(ranks: int, size: int) -> Flows:
    source, destination = np.divmod(np.arange(ranks * ranks, dtype=np.int32), max(1, ranks))
    different = source != destination
    count = int(different.sum())
    return Flows(
        ranks=ranks,
        source=source[different],
        destination=destination[different],
        group=np.zeros(count, np.int32),
        bytes=np.full(count, size, np.int64),
        messages=np.ones(count, np.int64),
        groups=(_GROUP,),
        only=(),
        kinds=(IN_COLLECTIVE,),
        unplaced_messages=0,
        unplaced_bytes=0,
        hidden=(),
    )


def _rails_of_single_ranks(places: Places) -> tuple[Rail, ...]:
    for rail in places.rails:
        wide = rail.ports.shape[1] == 1
        if len(places.hosts) < places.ranks or not wide or rail.ports.min() < 0 or np.ptp(rail.shares):
            raise RankwiseError(
                f"more than {EACH_PAIR} ranks must be one on each host, with one port on each rail;"
                f" there are {places.ranks} on {len(places.hosts)} hosts"
            )
    return places.rails


def _rail(subnet: Subnet, rail: Rail, size: int, lid_offset: int | None) -> RailLoads:
    share = float(rail.shares.max(initial=0.0))
    amount, ports = size * share, rail.ports[:, 0].astype(np.int64)
    routes = all_to_all(subnet, ports, lid_offset=lid_offset)
    loads = amount * routes.loads
    return RailLoads(
        subnet,
        loads,
        share * routes.loads,
        loads[np.newaxis],
        tuple(by_class(subnet, loads, _bounds(subnet, ports, amount))),
        _by_hops(subnet, routes, ports, amount, lid_offset),
        Undelivered(routes.missing, 0, amount * routes.missing),
    )


def _bounds(subnet: Subnet, ports: NDArray[np.int64], amount: float) -> NDArray[np.float64]:
    """Return `class_bounds`: one host of each switch stands for all its hosts."""
    _, first, counts = np.unique(
        subnet.links.destination[subnet.up[ports]], return_index=True, return_counts=True
    )
    start, end = (each.ravel() for each in np.meshgrid(np.arange(len(first)), np.arange(len(first))))
    bounds = class_bounds(
        subnet, ports[first[start]], ports[first[end]], amount * counts[start] * counts[end]
    )
    bounds[[HOST_UP, HOST_DOWN]] = amount * (len(ports) - 1)
    return bounds


def _by_hops(
    subnet: Subnet, routes: AllToAll, ports: NDArray[np.int64], amount: float, lid_offset: int | None
) -> dict[int, float]:
    one_way = lid_offset is not None or (subnet.ports.lid_counts[ports] == 1).all()
    if one_way and subnet.forward.shape[2] == 1:
        return {
            passed: amount * float(routes.by_hops[passed])
            for passed in np.flatnonzero(routes.by_hops).tolist()
        }
    exits = Exits(subnet)
    switch, counts = np.unique(exits.first[ports], return_counts=True)
    sums: dict[int, float] = {}
    for first in range(0, len(ports), EACH_PAIR):
        chosen = ports[first : first + EACH_PAIR]
        passed = lengths(exits, Destinations(chosen, subnet.ports.lids[chosen].astype(np.int64)))[switch]
        weights = np.repeat(counts[:, np.newaxis], len(chosen), axis=1)
        weights[np.searchsorted(switch, exits.first[chosen]), np.arange(len(chosen))] -= 1
        there = np.isfinite(passed)
        summed = np.bincount(np.rint(passed[there]).astype(np.int64), weights[there])
        for number in np.flatnonzero(summed).tolist():
            sums[number] = sums.get(number, 0.0) + amount * float(summed[number])
    return sums
