"""The most loaded links, and where their traffic comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.network.bottleneck import seconds_of
from rankwise.network.causes import Cause
from rankwise.network.fabric.model import CLASSES, HOST_DOWN, HOST_UP
from rankwise.network.loads import JobLoads
from rankwise.network.routes.walk import crossings

MOST_FLOWS = 5
"""The number of flows reported for each link."""


@dataclass(frozen=True, kw_only=True)
class LinkLoad:
    """A directed link and its traffic.

    Attributes:
        rail: index of its subnet.
        rail_name: '' if there is only one.
        link: index of the link in the subnet.
        link_class: name.
        source: name of the switch or host that it leads from.
        source_port: there.
        destination: name of the switch or host that it leads to.
        destination_port: there.
        bytes: that it carries.
        messages: that it carries.
        rate: bytes a second; None = not known.
        width: its lanes; None = not known.
        seconds: bytes by rate; None = the rate is not known.
        times_mean: bytes by the mean of the links of the class that are used; None: none is.
        excess: bytes divided by the lower bound that any routing has for this class; None: unknown.
    """

    rail: int
    rail_name: str
    link: int
    link_class: str
    source: str
    source_port: int
    destination: str
    destination_port: int
    bytes: float
    messages: float
    rate: float | None
    width: int | None
    seconds: float | None
    times_mean: float | None
    excess: float | None


@dataclass(frozen=True)
class CauseShare:
    """Bytes of a cause on a link."""

    cause: Cause
    bytes: float


@dataclass(frozen=True)
class HostFlow:
    """Bytes from one host to another over a link."""

    source: str
    destination: str
    bytes: float


@dataclass(frozen=True)
class RankFlow:
    """Bytes from one rank to another over a link."""

    source: int
    destination: int
    bytes: float


@dataclass(frozen=True)
class HotLink:
    """A link with much to carry.

    Attributes:
        load: of it.
        causes: that messages on it have, most bytes first.
        communicators: names of those whose messages cross the link, most bytes first, at most MOST_FLOWS.
        communicator_count: of all of them.
        hosts: pairs of hosts whose messages cross the link, at most MOST_FLOWS.
        host_count: of all pairs.
        ranks: pairs of ranks whose messages cross the link, at most MOST_FLOWS.
        rank_count: of all pairs.
    """

    load: LinkLoad
    causes: tuple[CauseShare, ...]
    communicators: tuple[str, ...]
    communicator_count: int
    hosts: tuple[HostFlow, ...]
    host_count: int
    ranks: tuple[RankFlow, ...]
    rank_count: int


def link_loads_of(loads: JobLoads, rail: int, links: Sequence[int]) -> list[LinkLoad]:
    """Describe links of a subnet.

    Args:
        loads: of the job.
        rail: index of the subnet.
        links: indices of links.
    """
    rail_loads, subnet = loads.rails[rail], loads.rails[rail].subnet
    classes = {each.link_class: each for each in rail_loads.classes}
    seconds = seconds_of(subnet, rail_loads.bytes)
    link_loads = []
    for link in links:
        summed, load = classes[int(subnet.classes[link])], float(rail_loads.bytes[link])
        link_loads.append(
            LinkLoad(
                rail=rail,
                rail_name=subnet.name,
                link=int(link),
                link_class=CLASSES[int(subnet.classes[link])],
                source=subnet.name_of(int(subnet.links.source[link])),
                source_port=int(subnet.links.source_port[link]),
                destination=subnet.name_of(int(subnet.links.destination[link])),
                destination_port=int(subnet.links.destination_port[link]),
                bytes=load,
                messages=float(rail_loads.messages[link]),
                rate=float(subnet.links.rates[link]) if np.isfinite(subnet.links.rates[link]) else None,
                width=int(subnet.links.widths[link]) or None,
                seconds=float(seconds[link]) if np.isfinite(seconds[link]) else None,
                times_mean=load / summed.mean_used if summed.mean_used else None,
                excess=load / summed.bound if summed.bound else None,
            )
        )
    return link_loads


def ranked(loads: JobLoads, *, with_hosts: bool) -> list[tuple[int, int]]:
    """Return rail and link of all links that have a load, the slowest first.

    Where rates are unknown, all links count as equally fast.

    Args:
        loads: of the job.
        with_hosts: whether the links of hosts are there, too.
    """
    known = all(np.isfinite(rail.subnet.links.rates[rail.bytes > 0]).all() for rail in loads.rails)
    takes, rails, links = [np.empty(0)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for number, rail in enumerate(loads.rails):
        classes = rail.subnet.classes
        of_host = (classes == HOST_UP) | (classes == HOST_DOWN)
        chosen = np.flatnonzero((rail.bytes > 0) & (with_hosts | ~of_host))
        takes.append(seconds_of(rail.subnet, rail.bytes, rates=known)[chosen])
        rails.append(np.full(len(chosen), number))
        links.append(chosen)
    order = np.argsort(-np.concatenate(takes), kind="stable")
    return list(
        zip(np.concatenate(rails)[order].tolist(), np.concatenate(links)[order].tolist(), strict=True)
    )


def hot_links(
    loads: JobLoads, top: int, *, with_hosts: bool = False, known: Sequence[HotLink] = ()
) -> list[HotLink]:
    """Return the most loaded links with the sources of their traffic.

    Args:
        loads: of the job.
        top: how many; 0 = all.
        with_hosts: the links of hosts, too; else those between switches alone.
        known: as of `described`.
    """
    return described(loads, ranked(loads, with_hosts=with_hosts)[: top or None], known)


def described(
    loads: JobLoads, chosen: Sequence[tuple[int, int]], known: Sequence[HotLink] = ()
) -> list[HotLink]:
    """Return the traffic of links with its sources.

    Args:
        loads: of the job.
        chosen: links, each by its rail and its index there.
        known: links that are described already.
    """
    hot_links = {(hot.load.rail, hot.load.link): hot for hot in known}
    new = [key for key in chosen if key not in hot_links]
    for rail in sorted({rail for rail, _ in new}):
        links = [link for link_rail, link in new if link_rail == rail]
        for hot in _of_rail(loads, rail, links):
            hot_links[rail, hot.load.link] = hot
    return [hot_links[key] for key in chosen]


def _of_rail(loads: JobLoads, rail: int, links: Sequence[int]) -> list[HotLink]:
    taking, subnet = loads.journeys.rails[rail], loads.rails[rail].subnet
    journey, over, part = crossings(
        subnet, taking.source, taking.destination, links, lid_offset=loads.lid_offset
    )
    # Of narrow numbers numpy's stable sort is several times as quick.
    order = np.argsort(over.astype(np.min_scalar_type(len(subnet.links))), kind="stable")
    journey, over, part = journey[order], over[order], part[order]
    flow = taking.flow[journey]
    sizes = loads.flows.bytes[flow] * taking.share[journey] * part
    names = [host.name for host in loads.places.hosts]
    hosts = loads.places.host
    hot_links = []
    for load in link_loads_of(loads, rail, links):
        at = slice(*np.searchsorted(over, [load.link, load.link + 1]))
        own, weight = flow[at], sizes[at]
        source, destination = loads.flows.source[own], loads.flows.destination[own]
        host_pairs, host_count = _largest(hosts[source], hosts[destination], weight)
        rank_pairs, rank_count = _largest(source, destination, weight)
        communicators = _communicators(loads, own, weight)
        hot_links.append(
            HotLink(
                load,
                _causes(loads, loads.rails[rail].by_cause[:, load.link]),
                tuple(communicators[:MOST_FLOWS]),
                len(communicators),
                tuple(
                    HostFlow(names[source], names[destination], size)
                    for source, destination, size in host_pairs
                ),
                host_count,
                tuple(RankFlow(*pair) for pair in rank_pairs),
                rank_count,
            )
        )
    return hot_links


def _causes(loads: JobLoads, sizes: NDArray[np.float64]) -> tuple[CauseShare, ...]:
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    return tuple(CauseShare(loads.causes[cause], float(sizes[cause])) for cause in order.tolist())


def _communicators(loads: JobLoads, flow: NDArray[np.int64], weight: NDArray[np.float64]) -> list[str]:
    sizes = np.bincount(loads.flows.group[flow], weight, len(loads.flows.groups))
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    return list(dict.fromkeys(loads.flows.groups[group].communicator for group in order.tolist()))


def _largest(
    source: NDArray[np.int32], destination: NDArray[np.int32], weight: NDArray[np.float64]
) -> tuple[list[tuple[int, int, float]], int]:
    """Sum up by pairs: return the largest sums and the number of pairs."""
    ends = source.astype(np.int64) << 32 | destination
    pairs, place = np.unique(ends, return_inverse=True)
    sums = np.bincount(place, weight, len(pairs))
    order = np.argsort(-sums, kind="stable")[:MOST_FLOWS]
    return [
        (int(pairs[index]) >> 32, int(pairs[index]) & 0xFFFFFFFF, float(sums[index])) for index in order
    ], len(pairs)
