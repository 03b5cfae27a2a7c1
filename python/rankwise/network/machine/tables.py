"""What of a fabric messages between some of its hosts come by, as forwarding tables of a machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Subnet
from rankwise.network.machine.lanes import Lane, Numbers, lanes
from rankwise.topology.machine.network import Routes

_MOST_ENTRIES = 1 << 26
_BYTES_OF_MB = 1e6
_NONE = -1


@dataclass(frozen=True)
class _Part:
    """A lane's table, for the S switches of its subnet and N nodes; cables are numbered over all subnets.

    Attributes:
        subnet: which one.
        cable: shape (S, N): that each switch sends messages for each node by; _NONE: there are none.
        up: shape (N,): the cable of each node.
    """

    subnet: int
    cable: NDArray[np.int64]
    up: Numbers


def routes_between(subnets: Sequence[Subnet], hosts: Sequence[str]) -> Routes:
    """Return the switches and cables that messages between hosts come by, and who forwards them where.

    The hosts are routers, too: so their own cables are links like all others, and hosts with several ports
    have several. Rails take equal shares of all messages, and lanes of a rail equal shares of those.

    Args:
        subnets: the rails.
        hosts: with a port in each of them.

    Raises:
        RankwiseError: there is no way between two hosts, or there would be too many entries.
    """
    first_cable = np.cumsum([0, *(len(subnet.links) // 2 for subnet in subnets)])
    parts: list[_Part] = []
    shares: list[float] = []
    for number, subnet in enumerate(subnets):
        before = len(parts)
        routers = sum(len(one.switches.names) for one in subnets) + len(hosts)
        _check_size(before + 1, routers, len(hosts))
        for lane in lanes(subnet, hosts):
            _check_size(len(parts) + 1, routers, len(hosts))
            cable, up = _taken(subnet, lane, hosts), subnet.up[lane.port] // 2
            cable[cable != _NONE] += first_cable[number]
            parts.append(_Part(number, cable, up + first_cable[number]))
        shares += [1 / (len(subnets) * (len(parts) - before))] * (len(parts) - before)
    switches = [
        np.flatnonzero(
            np.any([(part.cable != _NONE).any(axis=1) for part in parts if part.subnet == number], axis=0)
        )
        for number in range(len(subnets))
    ]
    used = np.unique(np.concatenate([np.r_[part.up, part.cable[part.cable != _NONE]] for part in parts]))
    names = _names(subnets, switches, hosts)
    links, rates = _links(subnets, switches, used, first_cable, hosts)
    first_switch = np.cumsum([0, *map(len, switches)])
    tables = []
    for part in parts:
        table = np.full((len(names), len(hosts)), _NONE)
        rows = part.cable[switches[part.subnet]]
        begin = first_switch[part.subnet]
        table[begin : begin + len(rows)] = np.where(rows == _NONE, _NONE, np.searchsorted(used, rows))
        table[first_switch[-1] :] = np.searchsorted(used, part.up)[:, None]
        np.fill_diagonal(table[first_switch[-1] :], _NONE)
        tables.append(tuple(map(tuple, table.tolist())))
    at = tuple(range(len(names) - len(hosts), len(names)))
    return Routes(names, at, links, rates, tuple(shares), tuple(tables))


def _check_size(tables: int, routers: int, nodes: int) -> None:
    if tables * routers * nodes > _MOST_ENTRIES:
        raise RankwiseError(
            f"{tables} table{'s' * (tables > 1)} of {routers} routers x {nodes} nodes are too much for a"
            " machine.json: choose nodes with --nodes, such as those of the job"
        )


def _taken(subnet: Subnet, lane: Lane, hosts: Sequence[str]) -> NDArray[np.int64]:
    """Return shape (S, N): the cables that messages between the hosts are sent by.

    Raises:
        RankwiseError: two hosts are not linked, or messages go in circles.
    """
    switches, nodes = lane.exits.shape
    out = subnet.out
    ports = np.where(lane.exits < out.shape[1], lane.exits, 0).astype(np.int64)
    link = out[np.arange(switches)[:, None], ports].astype(np.int64)
    to = np.where(link < 0, -1, subnet.links.destination[link])
    arrived = to == switches + lane.port
    to[(to >= switches) & ~arrived] = -1  # (to a host that it is not for)
    first, sources = np.unique(subnet.links.destination[subnet.up[lane.port]], return_inverse=True)
    node = np.arange(nodes)
    starting = np.bincount(sources)[:, None] - (sources == np.arange(len(first))[:, None])
    at = np.repeat(first[:, None], nodes, axis=1)  # [first switch][node]
    active = starting > 0
    comes_by = np.zeros((switches, nodes), bool)
    for _ in range(switches + 1):
        start, end = np.nonzero(active)
        here = at[start, end]
        comes_by[here, end] = True
        at[start, end] = there = to[here, end]
        active[start, end] = there < switches
        if (there < 0).any():
            active &= at < 0
            break
        if not active.any():
            break
    if active.any():
        raise _no_way(subnet, hosts, active[sources] & (node[:, None] != node))
    return np.where(comes_by, link // 2, _NONE)


def _no_way(subnet: Subnet, hosts: Sequence[str], lost: NDArray[np.bool_]) -> RankwiseError:
    """Return the error that names the first of some pairs of nodes."""
    one, other = np.argwhere(lost)[0]
    where = f" in rail {subnet.name!r}" if subnet.name else ""
    return RankwiseError(
        f"the tables do not lead from {hosts[one]} to {hosts[other]}{where}: leave nodes out with --nodes"
    )


def _names(subnets: Sequence[Subnet], switches: Sequence[Numbers], hosts: Sequence[str]) -> tuple[str, ...]:
    """Return names for switches and hosts, each once and without blanks."""
    taken = set(hosts)
    names = []
    for rail, (subnet, used) in enumerate(zip(subnets, switches, strict=True), 1):
        for switch in used.tolist():
            name = re.sub(r"\s", "_", subnet.switches.names[switch]) or "switch"
            longer = (name, f"{name}@{int(subnet.switches.guids[switch]):x}", f"{name}@{switch}@{rail}")
            names.append(next(one for one in longer if one not in taken))
            taken.add(names[-1])
    return (*names, *hosts)


def _links(
    subnets: Sequence[Subnet],
    switches: Sequence[Numbers],
    used: Numbers,
    first_cable: Numbers,
    hosts: Sequence[str],
) -> tuple[tuple[tuple[int, int], ...], tuple[float, ...]]:
    """Return the ends of each cable that is used, and its bandwidth, MB/s; none if one is not known."""
    first_host = sum(map(len, switches))
    host_number = {host: first_host + number for number, host in enumerate(hosts)}
    found, rates, begin = [], [], 0
    for number, (subnet, own) in enumerate(zip(subnets, switches, strict=True)):
        cables = used[(used >= first_cable[number]) & (used < first_cable[number + 1])] - first_cable[number]
        count = len(subnet.switches.names)
        place = np.zeros(count, np.int64)
        place[own] = begin + np.arange(len(own))
        for ends in zip(subnet.links.source[2 * cables], subnet.links.destination[2 * cables], strict=True):
            one, other = (
                int(place[end]) if end < count else host_number[subnet.ports.hosts[end - count]]
                for end in ends
            )
            found.append((one, other))
        rates.append(subnet.links.rates[2 * cables])
        begin += len(own)
    mb_s = np.concatenate(rates) / _BYTES_OF_MB
    return tuple(found), () if np.isnan(mb_s).any() else tuple(mb_s.tolist())
