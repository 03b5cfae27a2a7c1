"""The data of the Network page, as web/src/network/contract.ts declares it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.network.fabric.model import CLASSES, NO_PORT
from rankwise.network.fabric.slow_cables import slow_cables
from rankwise.network.job.rank_ports import Rail
from rankwise.network.routes.classes import ANY, between_switches, cuts, least_hops
from rankwise.render.network.groups import PageGroups
from rankwise.render.network.layout import layout
from rankwise.render.network.part import Part, part_of
from rankwise.render.network.sentences import about, captions, finding, lead, shortened, warnings
from rankwise.render.network.traffic import RailTraffic, Traffic
from rankwise.render.page.blocks import blocks
from rankwise.render.page.container import Container
from rankwise.text.safe import safe

_NARROW_NONE = 0xFF


def network_data(traffic: Traffic, container: Container) -> dict[str, Any]:
    """Return the data of the page; its numbers go into the container."""
    groups = traffic.groups
    rails = [
        _rail(traffic, rail, places, container)
        for rail, places in zip(traffic.rails, traffic.places.rails, strict=True)
    ]
    return {
        "finding": _safe(finding(traffic)),
        "lead": _safe(lead(traffic)),
        "about": [_safe(phrase) for phrase in about(traffic)],
        "warnings": [_safe(phrase) for phrase in shortened(warnings(traffic))],
        "captions": [_safe(phrase) for phrase in captions(traffic)],
        "ranks": traffic.flows.ranks,
        "hosts": [_safe(host.name) for host in traffic.places.hosts],
        "hostOf": container.column(traffic.places.host),
        "communicators": {
            "name": [_safe(name) for name in groups.names],
            "label": [_safe(name) for name in groups.communicators],
        },
        "families": [_safe(name) for name in groups.families],
        "familyOf": container.column(groups.family_of),
        "causes": [_safe(name) for name in groups.causes],
        "procedures": [_safe(name) for name in groups.procedures],
        "kinds": groups.kinds,
        "groups": {
            "communicator": container.column(groups.communicator),
            "procedure": container.column(groups.procedure),
            "kind": container.column(groups.kind),
            "cause": container.column(groups.cause),
        },
        "classes": list(CLASSES),
        "rails": rails,
        "flows": _flows(traffic, groups, container),
    }


def _rail(traffic: Traffic, rail: RailTraffic, places: Rail, container: Container) -> dict[str, Any]:
    column = container.column
    subnet = rail.subnet
    part = part_of(subnet, places, rail.loads)
    drawn = [np.zeros(len(names), bool) for names in (subnet.switches.names, subnet.ports.hosts)]
    drawn[0][part.switches] = drawn[1][part.ports] = True
    where = layout(subnet, drawn[0], drawn[1])
    links, topology = subnet.links, subnet.topology
    slow = [each.link // 2 for each in slow_cables(subnet)]
    return {
        "name": _safe(subnet.name),
        "topology": topology.name if topology else "",
        "switches": {
            "name": [_safe(subnet.switches.names[switch]) for switch in part.switches],
            "level": column(subnet.switches.levels[part.switches]),
            "place": [topology.place_text(switch) for switch in part.switches] if topology else [],
            "x": column(where.switches[part.switches]),
        },
        "ports": {
            "name": _port_names(part),
            "host": [_safe(subnet.ports.hosts[port]) for port in part.ports],
            "device": [_safe(subnet.ports.devices[port]) for port in part.ports],
            "x": column(where.ports[part.ports]),
        },
        "places": _places(part, places, container),
        "links": {
            "source": column(part.ends(links.source[part.links])),
            "sourcePort": column(links.source_port[part.links]),
            "destination": column(part.ends(links.destination[part.links])),
            "destinationPort": column(links.destination_port[part.links]),
            "rate": column(links.rates[part.links]),
            "width": column(links.widths[part.links]),
            "slow": column(np.isin(part.links // 2, slow).astype(np.uint8)),
            "class": column(subnet.classes[part.links]),
        },
        "forward": _forward(part, traffic.lid_offset, container),
        "loads": _loads(rail.loads[:, :, part.links], container),
        "cuts": _cuts(traffic, rail, container),
    }


def _places(part: Part, rail: Rail, container: Container) -> dict[str, Any]:
    """Return the ports of the ranks, and how their traffic is distributed over them, as in `journeys`."""
    width = rail.ports.shape[1]
    wanted = rail.shares.sum(axis=1)
    within = np.where(wanted[:, np.newaxis] > 0, rail.shares, rail.ports >= 0)
    total = within.sum(axis=1, keepdims=True)
    return {
        "width": width,
        "port": container.column(part.of_ports(rail.ports)),
        "part": container.column(within / np.where(total > 0, total, 1)),
        "wanted": container.column(wanted),
    }


def _port_names(part: Part) -> list[str]:
    """Name host ports by their hosts, and by adapter and number if a host has several."""
    ports = part.subnet.ports
    several: dict[str, int] = {}
    for port in part.ports.tolist():
        several[ports.hosts[port]] = several.get(ports.hosts[port], 0) + 1
    names = []
    for port in part.ports.tolist():
        name = ports.hosts[port]
        if several[name] > 1:
            name += f" {ports.devices[port]}:{ports.numbers[port]}"
        names.append(_safe(name))
    return names


def _forward(part: Part, lid_offset: int | None, container: Container) -> dict[str, Any] | None:
    tables = part.forward(lid_offset)
    if tables is None:
        return None
    table, start = tables
    narrow = int(np.where(table == NO_PORT, 0, table).max(initial=0)) < _NARROW_NONE
    none = _NARROW_NONE if narrow else NO_PORT
    ports = np.where(table == NO_PORT, none, table)
    return {
        "width": table.shape[2],
        "none": none,
        "ports": container.column(ports),
        "start": container.column(start, ascending=True),
    }


def _loads(loads: NDArray[np.float64], container: Container) -> dict[str, Any]:
    """Return loads, shape (2, H, n), without zeros."""
    used = loads.any(axis=0)
    group, at = np.nonzero(used)
    return {
        "start": container.column(np.searchsorted(group, np.arange(loads.shape[1] + 1)), ascending=True),
        "at": container.column(at, ascending=True),
        "bytes": container.column(loads[0][used]),
        "messages": container.column(loads[1][used]),
    }


def _cuts(traffic: Traffic, rail: RailTraffic, container: Container) -> dict[str, Any]:
    """Return the bytes that must leave, or enter, the parts of the subnet on any routes."""
    flows, groups, trips = traffic.flows, traffic.groups, rail.journeys
    going = np.flatnonzero(rail.arrives)
    flow = trips.flow[going]
    source, destination = (ends[going].astype(np.int64) for ends in (trips.source, trips.destination))
    of = groups.of[flows.group[flow]]
    weights = np.stack([flows.bytes[flow], flows.messages[flow]]) * trips.share[going]
    classes: list[int] = []
    sizes: list[int] = []
    sums: list[NDArray[np.float64]] = []
    for cut in (cut for cut in cuts(rail.subnet) if cut.link_class != ANY):
        crossed = cut.crossed(source, destination)
        out = np.flatnonzero(crossed >= 0)
        used = np.bincount(crossed[out], minlength=len(cut.links)) > 0
        parts = np.flatnonzero(used & (cut.links > 0))
        place = np.full(len(cut.links), len(parts))
        place[parts] = np.arange(len(parts))
        at = of[out] * (len(parts) + 1) + place[crossed[out]]
        size = len(groups) * (len(parts) + 1)
        both = np.stack([np.bincount(at, weight[out], size) for weight in weights]).astype(np.float64)
        sums.append(both.reshape(2, len(groups), len(parts) + 1)[:, :, :-1])
        classes += [cut.link_class] * len(parts)
        sizes += cut.links[parts].tolist()
    least = least_hops(rail.subnet, source, destination)
    between = between_switches(rail.subnet)
    single = np.unique(rail.subnet.classes[between])
    if least is not None and len(single) == 1:  # each link of a shortest path is a part of the mean of all
        whole = np.stack([np.bincount(of, weight * least, len(groups)) for weight in weights])
        sums.append(whole.astype(np.float64)[:, :, np.newaxis])
        classes.append(int(single[0]))
        sizes.append(len(between))
    together = np.concatenate(sums, axis=2) if sums else np.zeros((2, len(groups), 0))
    return {
        "class": container.column(classes),
        "links": container.column(sizes),
        "loads": _loads(together, container),
    }


def _flows(traffic: Traffic, groups: PageGroups, container: Container) -> dict[str, Any]:
    """Return the flows between ranks over the network, without flows within hosts or without a place."""
    flows = traffic.flows
    outside = np.ones(len(flows), bool)
    outside[traffic.within_hosts] = outside[traffic.lost] = False
    merged = blocks(
        flows.source[outside].astype(np.int64),
        flows.destination[outside].astype(np.int64),
        groups.of[flows.group[outside]],
        np.stack([flows.bytes[outside], flows.messages[outside]]).astype(np.float64),
    )

    def column(numbers: ArrayLike, *, ascending: bool = False) -> dict[str, Any]:
        return container.column(numbers, ascending=ascending)

    return {
        "together": merged.together,
        "source": column(merged.source, ascending=True),
        "destination": column(merged.destination, ascending=True),
        "group": column(merged.group),
        "bytes": column(merged.bytes),
        "messages": column(merged.messages),
    }


def _safe(text: str) -> str:
    return safe(text, "utf-8")
