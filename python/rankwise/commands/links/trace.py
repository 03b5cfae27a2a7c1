"""`rankwise links --route FROM TO`: the ways between two hosts or ranks, in both directions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.analysis.opened import opened_messages
from rankwise.commands.fabric_options import lid_offset_of
from rankwise.commands.links.gather import Request
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Fabric, Subnet
from rankwise.network.job.flows import Flows
from rankwise.network.job.given_hosts import GivenHost, given_hosts
from rankwise.network.job.hosts import HostsByName
from rankwise.network.job.journeys import journeys
from rankwise.network.job.rank_ports import Places, given_places, places_of_run, places_on
from rankwise.network.routes.destinations import lids_of
from rankwise.network.routes.trace import Trace, trace
from rankwise.render.terminal.page import Page
from rankwise.views.links.traces import trace_data, trace_lines


@dataclass(frozen=True)
class _Ends:
    """The two ends: names for people, and ranks of places in the fabric."""

    names: tuple[str, str]
    ranks: tuple[int, int]
    places: Places


def show_traces(fabric: Fabric, ends: tuple[str, str], asked: Request) -> None:
    """Print the ways of messages between two hosts, or two ranks, and back.

    Args:
        fabric: as it was read or made.
        ends: names of hosts; or ranks, if the job or --place gives their hosts.
        asked: by the command line.

    Raises:
        RankwiseError: the fabric lacks a host, there is no such rank, or no message takes a link.
    """
    found = _ends(fabric, ends, asked)
    lid_offset = lid_offset_of(asked.lid, fabric)
    traced = [
        (f"{found.names[way]} to {found.names[1 - way]}", subnet, each)
        for way in (0, 1)
        for subnet, each in _traces(fabric, found, way, lid_offset)
    ]
    if not traced:
        raise RankwiseError(f"{found.names[0]} and {found.names[1]} have no rail in common")
    if asked.json:
        shown = [{"way": way, **trace_data(subnet, each)} for way, subnet, each in traced]
        sys.stdout.write(f"{json.dumps({'traces': shown}, indent=2)}\n")
        return
    page = Page(sys.stdout)
    for number, (way, subnet, each) in enumerate(traced):
        rail = f", {subnet.name}" if subnet.name else ""
        page.write(*([page.text("")] * bool(number)), page.text(f"{way}{rail}:", "bold"))
        page.write(*(page.text(line) for line in trace_lines(subnet, each)))


def _ends(fabric: Fabric, ends: tuple[str, str], asked: Request) -> _Ends:
    if not all(end.isdecimal() for end in ends):
        places = places_on(fabric, [GivenHost(end) for end in ends], asked.rail)
        if places.host[0] == places.host[1]:
            raise RankwiseError(f"--route: {ends[0]} and {ends[1]} are one host: its messages take no link")
        return _Ends(ends, (0, 1), places)
    first, second = int(ends[0]), int(ends[1])
    places = _places(fabric, asked)
    if max(first, second) >= places.ranks:
        raise RankwiseError(f"--route: there is no rank {max(first, second)}: there are {places.ranks} ranks")
    if first == second:
        raise RankwiseError("--route: give two different ranks")
    names = []
    for rank in (first, second):
        host = places.hosts[places.host[rank]] if places.host[rank] >= 0 else None
        if host is None or not host.how:
            raise RankwiseError(
                f"--route: rank {rank} has no place in the fabric" + (f": {host.why}" if host else "")
            )
        names.append(f"rank {rank} on {host.on_fabric}")
    if places.host[first] == places.host[second]:
        raise RankwiseError(
            f"--route: ranks {first} and {second} are on one host: their messages take no link"
        )
    return _Ends((names[0], names[1]), (first, second), places)


def _places(fabric: Fabric, asked: Request) -> Places:
    if not asked.profile and asked.place is None:
        raise RankwiseError("--route: ranks need a profile, or --place with their hosts; or name two hosts")
    if not asked.profile:
        return places_on(fabric, given_hosts(asked.place or "", None, HostsByName(fabric)), asked.rail)
    with opened_messages(Path(asked.profile)) as opened:
        if asked.place is not None:
            return given_places(opened.connection, fabric, asked.place, asked.rail)
        return places_of_run(opened.connection, fabric, asked.rail)


def _traces(fabric: Fabric, ends: _Ends, way: int, lid_offset: int | None) -> Iterator[tuple[Subnet, Trace]]:
    """Yield the ways of messages in a direction: of each rail, pair of ports, and LID that they take."""
    source, destination = ends.ranks[way], ends.ranks[1 - way]
    taken = journeys(_message(ends.places.ranks, source, destination), ends.places)
    for subnet, rail in zip(fabric.subnets, taken.rails, strict=True):
        place, lids, _ = lids_of(subnet, rail.destination.astype(np.int64), lid_offset)
        for at, lid in zip(place.tolist(), lids.tolist(), strict=True):
            yield subnet, trace(subnet, int(rail.source[at]), int(rail.destination[at]), lid)


def _message(ranks: int, source: int, destination: int) -> Flows:
    """Return a message from one rank to another."""
    one = np.ones(1, np.int64)
    return Flows(
        ranks=ranks,
        source=np.array([source], np.int32),
        destination=np.array([destination], np.int32),
        group=np.zeros(1, np.int32),
        bytes=one,
        messages=one,
        groups=(),
        only=(),
        kinds=(),
        unplaced_messages=0,
        unplaced_bytes=0,
        hidden=(),
    )
