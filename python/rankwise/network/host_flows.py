"""Traffic between pairs of hosts, and the slowest link on the path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.network.bottleneck import seconds_of
from rankwise.network.causes import Cause
from rankwise.network.hot_links import LinkLoad, link_loads_of
from rankwise.network.loads import JobLoads
from rankwise.network.routes.classes import between_switches
from rankwise.network.routes.walk import crossings, hops


@dataclass(frozen=True, kw_only=True)
class HostPair:
    """Traffic from one host to another over one rail.

    Attributes:
        rail: index of the subnet.
        rail_name: '' if there is only one.
        source: name of the host.
        destination: name of the host.
        bytes: that it sends.
        messages: that it sends.
        rank_pairs: number of pairs of ranks in it.
        cause: of most of the bytes.
        switches: that they pass; the mean of the ways of a split; None: there is no way.
        worst: the link between switches on the path that needs the most time for its whole load;
            None: both hosts are at the same switch.
    """

    rail: int
    rail_name: str
    source: str
    destination: str
    bytes: float
    messages: float
    rank_pairs: int
    cause: Cause
    switches: float | None
    worst: LinkLoad | None


def host_flows(loads: JobLoads, top: int) -> list[HostPair]:
    """Return the pairs of hosts, most bytes first; of equal ones, those with the slowest links first.

    Args:
        loads: of the job.
        top: how many; 0 = all.
    """
    pairs = [pair for rail in range(len(loads.rails)) for pair in _of_rail(loads, rail, top)]
    return sorted(pairs, key=lambda pair: (-pair.bytes, -(pair.worst.bytes if pair.worst else 0.0)))[
        : top or None
    ]


def _of_rail(loads: JobLoads, rail: int, top: int) -> list[HostPair]:
    taking, subnet, flows = loads.journeys.rails[rail], loads.rails[rail].subnet, loads.flows
    host = loads.places.host
    source, destination = host[flows.source[taking.flow]], host[flows.destination[taking.flow]]
    keys = source.astype(np.int64) << 32 | destination
    pairs, place = np.unique(keys, return_inverse=True)
    sizes = np.bincount(place, flows.bytes[taking.flow] * taking.share, len(pairs))
    messages = np.bincount(place, flows.messages[taking.flow] * taking.share, len(pairs))
    order = np.argsort(place, kind="stable")
    begins = np.searchsorted(place[order], np.arange(len(pairs) + 1))
    between = between_switches(subnet)
    ends = taking.source, taking.destination
    journey, over, _ = crossings(subnet, *ends, between, lid_offset=loads.lid_offset)
    known = bool(np.isfinite(subnet.links.rates[between]).all())
    takes = seconds_of(subnet, loads.rails[rail].bytes, rates=known)
    worst = np.full(len(pairs), -1, np.int64)
    ascending = np.argsort(takes[over], kind="stable")
    worst[place[journey[ascending]]] = over[ascending]
    chosen = np.lexsort((-np.where(worst < 0, 0.0, takes[worst]), -sizes))[: top or None]
    names = [each.name for each in loads.places.hosts]
    passed = hops(subnet, *ends, lid_offset=loads.lid_offset)
    some = np.unique(worst[chosen[worst[chosen] >= 0]])
    links = {load.link: load for load in link_loads_of(loads, rail, some.tolist())}
    host_pairs = []
    for number in chosen.tolist():
        of_pair = order[begins[number] : begins[number + 1]]
        flow = taking.flow[of_pair]
        cause = loads.of_group[flows.group[flow]]
        by_cause = np.bincount(cause, flows.bytes[flow])
        switches = float(passed[of_pair].mean())
        host_pairs.append(
            HostPair(
                rail=rail,
                rail_name=subnet.name,
                source=names[int(pairs[number] >> 32)],
                destination=names[int(pairs[number] & 0xFFFFFFFF)],
                bytes=float(sizes[number]),
                messages=float(messages[number]),
                rank_pairs=len(
                    np.unique(flows.source[flow].astype(np.int64) << 32 | flows.destination[flow])
                ),
                cause=loads.causes[int(by_cause.argmax())],
                switches=switches if np.isfinite(switches) else None,
                worst=links.get(int(worst[number])),
            )
        )
    return host_pairs
