"""The part of a fabric that messages between some hosts use, as forwarding tables of a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Subnet
from rankwise.network.machine.ends import Ends
from rankwise.network.machine.lanes import Numbers
from rankwise.network.machine.turns import Turn, turns
from rankwise.topology.machine.network import Routes

_MOST_ENTRIES = 1 << 26
_BYTES_OF_MB = 1e6
_NONE = -1


@dataclass(frozen=True)
class Tables:
    """A machine's routes.

    Attributes:
        routes: with tables.
        is_exact: the tables route as the fabric does; False if an even split would need too many tables.
    """

    routes: Routes
    is_exact: bool


@dataclass(frozen=True)
class _Part:
    """A table, for N nodes; cables are numbered over all subnets.

    Attributes:
        share: of all messages.
        cables: of each subnet with S switches, shape (S, N): the cable on which each switch sends messages
        for each node; _NONE without one.
        up: shape (N, N): the cable on which a node sends messages for each other node.
    """

    share: float
    cables: tuple[Numbers, ...]
    up: Numbers


def routes_between(subnets: Sequence[Subnet], ends: Ends, lid_offset: int | None) -> Tables:
    """Return the switches and cables that messages between hosts come by, and who forwards them where.

    The hosts are routers, too: so their own cables are links like all others, and hosts with several ports
    have several.

    Args:
        subnets: all of the fabric.
        ends: the hosts, and their ports there.
        lid_offset: which LID of a port to take, from 0; None: all evenly.

    Raises:
        RankwiseError: there is no way between two hosts, or there would be too many entries.
    """
    nodes = len(ends.hosts)
    routers = sum(len(subnet.switches.names) for subnet in subnets) + nodes
    _check_size(1, routers, nodes)
    first_cable = np.cumsum([0, *(len(subnet.links) // 2 for subnet in subnets)])
    parts: list[_Part] = []
    is_exact = True
    for turn in turns(subnets, ends, lid_offset):
        _check_size(len(parts) + turn.count, routers, nodes)
        is_exact &= all(
            lanes.are_even(turn.starts(subnets[number], number)) for number, lanes in turn.lanes.items()
        )
        parts += _parts(subnets, ends, turn, first_cable)
    switches = [
        np.flatnonzero(np.any([(part.cables[number] != _NONE).any(axis=1) for part in parts], axis=0))
        for number in range(len(subnets))
    ]
    taken = [cables[cables != _NONE] for part in parts for cables in (*part.cables, part.up)]
    used = np.unique(np.concatenate(taken))
    names = _names(subnets, switches, ends.hosts)
    links, rates = _links(subnets, switches, used, first_cable, ends.hosts)
    tables = []
    for part in parts:
        rows = [cables[own] for cables, own in zip(part.cables, switches, strict=True)]
        table = np.concatenate([*rows, part.up])
        table = np.where(table == _NONE, _NONE, np.searchsorted(used, table))
        tables.append(tuple(map(tuple, table.tolist())))
    at = tuple(range(len(names) - nodes, len(names)))
    shares = tuple(part.share for part in parts)
    return Tables(Routes(names, at, links, rates, shares, tuple(tables)), is_exact)


def _check_size(tables: int, routers: int, nodes: int) -> None:
    if tables * routers * nodes > _MOST_ENTRIES:
        raise RankwiseError(
            f"{tables} table{'s' * (tables > 1)} of {routers} routers x {nodes} nodes are too large for a "
            "machine.json: choose nodes with --node, such as those of the job"
        )


def _parts(subnets: Sequence[Subnet], ends: Ends, turn: Turn, first_cable: Numbers) -> Iterator[_Part]:
    """Yield the tables of a turn."""
    up = np.full(turn.rail.shape, _NONE)
    for number, subnet in enumerate(subnets):
        here = turn.rail == number
        up[here] = first_cable[number] + subnet.up[turn.port[here]] // 2
    for lane in range(turn.count):
        cables = []
        for number, subnet in enumerate(subnets):
            shape = len(subnet.switches.names), len(ends.hosts)
            cable = np.full(shape, _NONE)
            if number in turn.lanes:
                exits = turn.lanes[number].exits(lane % turn.lanes[number].count)
                cable = _taken(subnet, exits, turn, number, ends.hosts)
                cable[cable != _NONE] += first_cable[number]
            cables.append(cable)
        yield _Part(turn.share / turn.count, tuple(cables), up)


def _taken(
    subnet: Subnet, exits: NDArray[np.uint16], turn: Turn, number: int, hosts: Sequence[str]
) -> Numbers:
    """Return shape (S, N): the cables that messages between the hosts are sent by in a subnet.

    Raises:
        RankwiseError: two hosts are not linked, or messages go in circles.
    """
    switches, nodes = exits.shape
    out = subnet.out
    ports = np.where(exits < out.shape[1], exits, 0).astype(np.int64)
    link = out[np.arange(switches)[:, None], ports].astype(np.int64)
    to = np.where(link < 0, -1, subnet.links.destination[link])
    arrived = to == switches + turn.arrives[number]
    to[(to >= switches) & ~arrived] = -1  # (to a host that it is not for)
    start, end = np.nonzero(turn.starts(subnet, number))
    at, active = start.copy(), np.arange(len(start))
    comes_by = np.zeros((switches, nodes), bool)
    for _ in range(switches + 1):
        comes_by[at[active], end[active]] = True
        at[active] = to[at[active], end[active]]
        active = active[(at[active] < switches) & (at[active] >= 0)]
        if not len(active):
            break
    lost = np.flatnonzero(at < switches)
    if len(lost):
        never = np.zeros((switches, nodes), bool)
        never[start[lost], end[lost]] = True
        source, destination = np.argwhere(turn.begins(subnet, number, never))[0]
        where = f" in rail {subnet.name!r}" if subnet.name else ""
        raise RankwiseError(
            f"the tables do not lead from {hosts[source]} to {hosts[destination]}{where}:"
            " leave nodes out with --node"
        )
    return np.where(comes_by, link // 2, _NONE)


def _names(subnets: Sequence[Subnet], switches: Sequence[Numbers], hosts: Sequence[str]) -> tuple[str, ...]:
    """Return names for switches and hosts, each once and without blanks."""
    taken = set(hosts)
    names = []
    for rail, (subnet, used) in enumerate(zip(subnets, switches, strict=True), 1):
        for switch in used.tolist():
            name = re.sub(r"\s", "_", subnet.switches.names[switch]) or "switch"
            longer = (name, f"{name}@{int(subnet.switches.guids[switch]):x}", f"{name}@{switch}@{rail}")
            names.append(next(name for name in longer if name not in taken))
            taken.add(names[-1])
    return (*names, *hosts)


def _links(
    subnets: Sequence[Subnet],
    switches: Sequence[Numbers],
    used: Numbers,
    first_cable: Numbers,
    hosts: Sequence[str],
) -> tuple[tuple[tuple[int, int], ...], tuple[float, ...]]:
    """Return the ends of each used cable, and the bandwidths, MB/s; no bandwidths if any is unknown."""
    first_host = sum(map(len, switches))
    host_number = {host: first_host + number for number, host in enumerate(hosts)}
    links, rates, begin = [], [], 0
    for number, (subnet, own) in enumerate(zip(subnets, switches, strict=True)):
        cables = used[(used >= first_cable[number]) & (used < first_cable[number + 1])] - first_cable[number]
        count = len(subnet.switches.names)
        place = np.zeros(count, np.int64)
        place[own] = begin + np.arange(len(own))
        for ends in zip(subnet.links.source[2 * cables], subnet.links.destination[2 * cables], strict=True):
            start, other = (
                int(place[end]) if end < count else host_number[subnet.ports.hosts[end - count]]
                for end in ends
            )
            links.append((start, other))
        rates.append(subnet.links.rates[2 * cables])
        begin += len(own)
    mb_s = np.concatenate(rates) / _BYTES_OF_MB
    return tuple(links), () if np.isnan(mb_s).any() else tuple(mb_s.tolist())
