"""The load that a job puts on each link of a fabric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.causes import Cause, causes_of
from rankwise.network.fabric.model import Fabric, Subnet
from rankwise.network.job.flows import Flows
from rankwise.network.job.journeys import Journeys, RailJourneys, journeys
from rankwise.network.job.rank_ports import Places
from rankwise.network.routes.classes import ClassLoads, by_class, class_bounds
from rankwise.network.routes.destinations import ARRIVES, IN_CIRCLES, NO_WAY
from rankwise.network.routes.walk import hops, routed


@dataclass(frozen=True)
class Undelivered:
    """Messages that the forwarding tables do not deliver.

    Attributes:
        no_way: pairs of host ports whose messages end at a switch without a route, or at the wrong host.
        in_circles: pairs whose messages run in a loop.
        bytes: of both.
        lost_example: host ports of a pair in `no_way`; None: none is known.
        looping_example: host ports of a pair in `in_circles`; None: none is known.
    """

    no_way: int
    in_circles: int
    bytes: float
    lost_example: tuple[int, int] | None = None
    looping_example: tuple[int, int] | None = None


@dataclass(frozen=True)
class RailLoads:
    """The load of the L directed links of one subnet.

    Attributes:
        subnet: of the fabric.
        bytes: shape (L,).
        messages: shape (L,); a message that is split over several rails or LIDs counts by its shares.
        by_cause: shape (C, L), bytes.
        classes: bytes, summed up.
        hops: bytes by the number of switches that they pass; the mean, rounded, where ways are split.
        undelivered: traffic without a route, which is on no link.
    """

    subnet: Subnet
    bytes: NDArray[np.float64]
    messages: NDArray[np.float64]
    by_cause: NDArray[np.float64]
    classes: tuple[ClassLoads, ...]
    hops: dict[int, float]
    undelivered: Undelivered


@dataclass(frozen=True)
class JobLoads:
    """The load that a job puts on the links of a fabric.

    Attributes:
        fabric: that it is placed on.
        flows: between its ranks; none if it is not known rank by rank (`everyone`).
        places: of its ranks.
        journeys: of the flows.
        causes: C of them, most bytes first.
        of_group: shape (G,): the cause of each group of flows.
        rails: one entry for each subnet.
        lid_offset: which LID of a port messages have (LMC); None = they are split over all.
    """

    fabric: Fabric
    flows: Flows
    places: Places
    journeys: Journeys
    causes: tuple[Cause, ...]
    of_group: NDArray[np.int64]
    rails: tuple[RailLoads, ...]
    lid_offset: int | None

    @property
    def within_hosts(self) -> int:
        """Bytes between ranks of one host, which take no link."""
        return int(self.flows.bytes[self.journeys.within_hosts].sum())

    @property
    def lost(self) -> int:
        """Bytes from or to ranks without a known host: the links carry these as well."""
        return int(self.flows.bytes[self.journeys.lost].sum())

    @property
    def on_links(self) -> float:
        """Bytes that leave hosts, and arrive."""
        return float(sum(rail.bytes[rail.subnet.up].sum() for rail in self.rails))

    @property
    def undelivered(self) -> float:
        """Bytes between hosts that the forwarding tables bring nowhere; they are on no link."""
        return sum(rail.undelivered.bytes for rail in self.rails)

    @property
    def between_hosts(self) -> float:
        """Bytes between hosts, including those on no link."""
        return self.on_links + self.undelivered + self.lost


def job_loads(fabric: Fabric, flows: Flows, places: Places, *, lid_offset: int | None = 0) -> JobLoads:
    """Send the flows of a job over the fabric.

    Args:
        fabric: S subnets.
        flows: between its ranks.
        places: of its ranks in the fabric.
        lid_offset: which LID of a port messages have (LMC); None: split them over all.
    """
    causes, of_group = causes_of(flows)
    travelling = journeys(flows, places)
    cause = of_group[flows.group]
    rails = tuple(
        _rail(subnet, flows, cause, len(causes), each, lid_offset)
        for subnet, each in zip(fabric.subnets, travelling.rails, strict=True)
    )
    return JobLoads(fabric, flows, places, travelling, causes, of_group, rails, lid_offset)


def _rail(
    subnet: Subnet,
    flows: Flows,
    cause: NDArray[np.int64],
    causes: int,
    taking: RailJourneys,
    lid_offset: int | None,
) -> RailLoads:
    source, destination = taking.source, taking.destination
    kinds = np.stack([flows.bytes[taking.flow], flows.messages[taking.flow]]) * taking.share
    routes = routed(
        subnet,
        source,
        destination,
        kinds,
        group=cause[taking.flow],
        groups=max(1, causes),
        lid_offset=lid_offset,
    )
    sizes, messages = routes.loads
    there = routes.fate == ARRIVES
    arriving = source[there], destination[there], kinds[0, there]
    loads = sizes.sum(axis=0)
    classes = by_class(subnet, loads, class_bounds(subnet, *arriving))
    passed = np.rint(hops(subnet, *arriving[:2], lid_offset=lid_offset)).astype(np.int64)
    by_hops = np.bincount(passed, arriving[2])
    return RailLoads(
        subnet,
        loads,
        messages.sum(axis=0),
        sizes,
        tuple(classes),
        {number: float(by_hops[number]) for number in np.flatnonzero(by_hops).tolist()},
        Undelivered(
            _pairs(taking, routes.fate == NO_WAY),
            _pairs(taking, routes.fate == IN_CIRCLES),
            float(kinds[0, ~there].sum()),
            _example(taking, routes.fate == NO_WAY),
            _example(taking, routes.fate == IN_CIRCLES),
        ),
    )


def _example(taking: RailJourneys, chosen: NDArray[np.bool_]) -> tuple[int, int] | None:
    first = np.flatnonzero(chosen)[:1]
    return (int(taking.source[first[0]]), int(taking.destination[first[0]])) if len(first) else None


def _pairs(taking: RailJourneys, chosen: NDArray[np.bool_]) -> int:
    ends = np.stack([taking.source[chosen], taking.destination[chosen]])
    return int(np.unique(ends, axis=1).shape[1])
