"""The traffic through each switch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.network.hot_links import LinkLoad, link_loads_of
from rankwise.network.loads import JobLoads


@dataclass(frozen=True, kw_only=True)
class SwitchLoad:
    """A switch.

    Attributes:
        rail: index of its subnet.
        rail_name: '' if there is only one.
        name: of the switch.
        level: 1 for switches with hosts, and so on.
        place: its group in a dragonfly, its place along each dimension in a HyperX network; '' elsewhere.
        links: number of links out of it.
        used: how many of these have a load.
        bytes: through it.
        from_hosts: bytes from hosts that are linked with it.
        to_hosts: bytes to hosts that are linked with it.
        hottest: the link out of it with the most bytes; None: no link has any.
    """

    rail: int
    rail_name: str
    name: str
    level: int
    place: str
    links: int
    used: int
    bytes: float
    from_hosts: float
    to_hosts: float
    hottest: LinkLoad | None


def switch_loads(loads: JobLoads) -> list[SwitchLoad]:
    """Return the switches with traffic, most bytes first."""
    loads_of_switches = []
    for place, rail in enumerate(loads.rails):
        subnet, links = rail.subnet, rail.subnet.links
        switches = len(subnet.switches.names)
        out = links.source < switches
        of_host = links.source >= switches
        to_host = links.destination >= switches
        sums = np.bincount(links.source[out], rail.bytes[out], switches)
        count = np.bincount(links.source[out], minlength=switches)
        used = np.bincount(links.source[out & (rail.bytes > 0)], minlength=switches)
        sent = np.bincount(links.destination[of_host], rail.bytes[of_host], switches)
        got = np.bincount(links.source[to_host], rail.bytes[to_host], switches)
        hottest = np.full(switches, -1, np.int64)
        order = np.argsort(rail.bytes, kind="stable")
        order = order[out[order] & (rail.bytes[order] > 0)]
        hottest[links.source[order]] = order
        busy = np.flatnonzero(sums)
        loads_of_switches += [
            SwitchLoad(
                rail=place,
                rail_name=subnet.name,
                name=subnet.switches.names[switch],
                level=int(subnet.switches.levels[switch]),
                place=subnet.topology.places[switch] if subnet.topology else "",
                links=int(count[switch]),
                used=int(used[switch]),
                bytes=float(sums[switch]),
                from_hosts=float(sent[switch]),
                to_hosts=float(got[switch]),
                hottest=load,
            )
            for switch, load in zip(
                busy.tolist(), link_loads_of(loads, place, hottest[busy].tolist()), strict=True
            )
        ]
    return sorted(loads_of_switches, key=lambda each: -each.bytes)
