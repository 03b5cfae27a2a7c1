"""Routes by a rule, for subnets that have cables and no forwarding tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import EVEN_SPLIT, MODELLED, NO_PORT, Routing, Subnet
from rankwise.network.sources.generators.even import even_tables
from rankwise.network.sources.generators.plan import Plan
from rankwise.network.sources.generators.rules import d_mod_k_tables, min_hop_tables

_NONE_KNOWN = "forwarding tables are unknown"
_RULES: dict[str, tuple[Routing, Callable[[Plan, Subnet], NDArray[np.uint16]]]] = {
    "even": (Routing(EVEN_SPLIT, f"modelled, as {_NONE_KNOWN}"), lambda plan, _: even_tables(plan)),
    "minhop": (Routing(MODELLED, f"min-hop, as {_NONE_KNOWN}"), lambda plan, _: min_hop_tables(plan)),
    "dmodk": (
        Routing(MODELLED, f"d-mod-k, as {_NONE_KNOWN}"),
        lambda plan, subnet: d_mod_k_tables(plan, subnet.switches.levels),
    ),
}
RULES = tuple(_RULES)
"""The first is the default."""


def routed_by(rule: str, subnet: Subnet) -> Subnet:
    """Return the subnet with routes by one of RULES, and with LIDs for ports that lack them.

    Raises:
        RankwiseError: the rule is for other cables.
    """
    routing, tables = _RULES[rule]
    subnet = replace(_with_lids(subnet), routing=routing)
    return replace(subnet, forward=_by_lid(subnet, tables(_plan(subnet), subnet)))


def evenly_split(subnet: Subnet) -> Subnet:
    """Return the subnet with all shortest ways from each switch to each host port as its tables."""
    return replace(subnet, forward=_by_lid(subnet, even_tables(_plan(subnet))))


def _plan(subnet: Subnet) -> Plan:
    links, switches = subnet.links, len(subnet.switches.names)
    ends = (links.source, links.source_port, links.destination, links.destination_port)
    cables = np.stack([end[::2].astype(np.int64) for end in ends], axis=1)
    between = cables[(cables[:, 0] < switches) & (cables[:, 2] < switches)]
    up = subnet.up
    at, port = links.destination[up].astype(np.int64), links.destination_port[up].astype(np.int64)
    return Plan(subnet.switches.names, subnet.ports.hosts, at, port, between, np.nan)


def _by_lid(subnet: Subnet, tables: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return tables by LID, of shape (S, highest LID + 1, W), out of those by host port."""
    lids, counts = subnet.ports.lids, subnet.ports.lid_counts
    shape = len(subnet.switches.names), int((lids + counts - 1).max()) + 1, tables.shape[2]
    forward = np.full(shape, NO_PORT, np.uint16)
    for more in range(int(counts.max())):
        having = np.flatnonzero(counts > more)
        forward[:, lids[having] + more] = tables[:, having]
    return forward


def _with_lids(subnet: Subnet) -> Subnet:
    """Return the subnet; with LIDs from 1 on, for host ports alone, unless all of them have some."""
    if (subnet.ports.lids > 0).all():
        return subnet
    count = len(subnet.ports.hosts)
    lids, counts = np.arange(1, count + 1, dtype=np.int32), np.ones(count, np.int32)
    ports = replace(subnet.ports, lids=lids, lid_counts=counts)
    switches = replace(subnet.switches, lids=np.zeros_like(subnet.switches.lids))
    return replace(subnet, ports=ports, switches=switches)
