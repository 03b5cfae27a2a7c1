"""Jobs on fabrics whose traffic is known, their pages, and what is in them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.network.fabric.model import Fabric, Source, Subnet
from rankwise.network.job.flows import Flows, Group
from rankwise.network.job.given_hosts import GivenHost
from rankwise.network.job.rank_ports import places_on
from rankwise.render.network.page_data import network_data
from rankwise.render.network.traffic import Traffic, traffic
from rankwise.render.page.container import Container
from rankwise.render.page.html import report_page
from rankwise.text.names import call_name, quoted_name
from rankwise.text.safe import safe

_TYPES = {"u8": "u1", "u16": "<u2", "u32": "<u4", "i32": "<i4", "f32": "<f4"}
_CELLS = (
    *("procedure", "communicator", "region", "size", "site", "rank"),
    *("calls", "sent", "received", "seconds", "unfinished"),
)
Pairs = Mapping[tuple[int, int], tuple[int, int]]


def group(communicator: str, procedure: str, kind: str = "in-collective", family: str = "") -> Group:
    """A group; its communicator is the only one of its family, unless one is given."""
    return Group(communicator, family or communicator, "", procedure, kind)


def flows(ranks: int, parts: Sequence[tuple[Group, Pairs]]) -> Flows:
    """Make flows: of each group, by source and destination, bytes and messages."""
    parts = sorted(parts, key=lambda part: -sum(size for size, _ in part[1].values()))
    rows = sorted(
        (source, destination, number, size, messages)
        for number, (_, pairs) in enumerate(parts)
        for (source, destination), (size, messages) in pairs.items()
    )
    columns = np.array(rows, np.int64).reshape(-1, 5).T
    narrow = [column.astype(np.int32) for column in columns[:3]]
    return Flows(
        ranks=ranks,
        source=narrow[0],
        destination=narrow[1],
        group=narrow[2],
        bytes=columns[3],
        messages=columns[4],
        groups=tuple(group for group, _ in parts),
        only=(),
        kinds=(),
        unplaced_messages=0,
        unplaced_bytes=0,
        hidden=(),
    )


def everyone(ranks: Sequence[int], size: int, messages: int = 1) -> Pairs:
    """Each of some ranks sends to each other one; sizes differ, so that no two pairs are alike."""
    return {
        (rank, other): (size + 7 * rank + other, messages)
        for rank in ranks
        for other in ranks
        if rank != other
    }


def usual(ranks: int, width: int = 4) -> Flows:
    """An all-to-all, broadcasts on rows of `width` ranks, and a ring."""
    ring = {(rank, (rank + 1) % ranks): (50_000 + rank, 3) for rank in range(ranks)}
    rows = [
        (
            group(f"W.s{first // width}", "MPI_Bcast", family="W.s"),
            {(first, other): (9000 + other, 2) for other in range(first + 1, min(first + width, ranks))},
        )
        for first in range(0, ranks, width)
    ]
    return flows(
        ranks,
        [
            (group("W", "MPI_Alltoall"), everyone(range(ranks), 1 << 16)),
            (group("W", "MPI_Isend", "point-to-point"), ring),
            *rows,
        ],
    )


def placed(
    subnets: Subnet | Sequence[Subnet],
    of: Flows,
    hosts: Sequence[str],
    policy: str = "split",
    lid_offset: int | None = 0,
) -> Traffic:
    """Put ranks on hosts, one name each."""
    rails = (subnets,) if isinstance(subnets, Subnet) else tuple(subnets)
    fabric = Fabric(rails, tuple(Source("generator", rail.name) for rail in rails))
    places = places_on(fabric, [GivenHost(host) for host in hosts], policy)
    return traffic(fabric, of, places, lid_offset)


def hosts_of(subnet: Subnet, ranks: int, each: int = 1) -> list[str]:
    """The first hosts, each for some ranks."""
    names = list(dict.fromkeys(subnet.ports.hosts))
    return [names[rank // each] for rank in range(ranks)]


def page(of: Traffic) -> bytes:
    """The report of a job of which the traffic alone is known."""
    container = Container()
    run = {
        "name": "job",
        "lead": "",
        "about": [],
        "warnings": [],
        "axes": _axes(of, container),
        "cells": _cells(of, container),
        "network": network_data(of, container),
    }
    return report_page("./app", [run], container)


def _axes(of: Traffic, container: Container) -> dict[str, Any]:
    groups = of.flows.groups
    communicators = {group.communicator: group for group in groups}
    procedures = _procedures(of)
    return {
        "ranks": of.flows.ranks,
        "hosts": [_safe(host.name) for host in of.places.hosts],
        "hostOf": container.column(of.places.host),
        "communicators": {
            "each": True,
            "name": [_safe(name) for name in communicators],
            "label": [_safe(quoted_name(name, group.user_name)) for name, group in communicators.items()],
            "family": [_safe(group.family) for group in communicators.values()],
            "parent": container.column([-1] * len(communicators)),
        },
        "procedures": {
            "name": [_safe(name) for name in procedures],
            "class": ["collective"] * len(procedures),
            "apart": container.column([0] * len(procedures)),
        },
        "sizes": ["0 B"],
        "regions": {"name": ["outside of regions"], "parent": container.column([-1])},
        "sites": ["not known"],
    }


def _procedures(of: Traffic) -> list[str]:
    return list(dict.fromkeys(call_name(group.procedure) for group in of.flows.groups))


def _cells(of: Traffic, container: Container) -> dict[str, Any]:
    """A call of each procedure: nothing else is known of the calls."""
    calls = len(_procedures(of))
    columns = {name: [0] * calls for name in _CELLS}
    columns |= {"procedure": list(range(calls)), "calls": [1] * calls}
    return {"together": 1, **{name: container.column(numbers) for name, numbers in columns.items()}}


def _safe(text: str) -> str:
    return safe(text, "utf-8")


def data(content: bytes) -> dict[str, Any]:
    """What is in a page, with its columns as arrays."""
    [packed] = re.findall(rb'id="data">([^<]*)<', content)
    whole = gzip.decompress(base64.b64decode(packed))
    begin = 4 + int.from_bytes(whole[:4], "little")

    def unpacked(value: dict[str, Any]) -> Any:
        return _column(whole[begin:], *value["column"]) if "column" in value else value

    document: dict[str, Any] = json.loads(whole[4:begin].decode("utf-8"), object_hook=unpacked)
    return document


def _column(content: bytes, kind: str, start: int, length: int, delta: int) -> NDArray[Any]:
    of = np.dtype(_TYPES[kind])
    planes = np.frombuffer(content, np.uint8, length * of.itemsize, start).reshape(of.itemsize, length)
    numbers = np.ascontiguousarray(planes.T).reshape(-1).view(of)
    return np.cumsum(numbers, dtype=of) if delta else numbers


def dense(loads: Mapping[str, NDArray[Any]], what: str, size: int) -> NDArray[np.float64]:
    """Loads of a page, shape (groups, size)."""
    start, at = loads["start"].astype(int), loads["at"].astype(int)
    matrix = np.zeros((len(start) - 1, size))
    for number in range(len(matrix)):
        chosen = slice(start[number], start[number + 1])
        np.add.at(matrix[number], at[chosen], loads[what][chosen])
    return matrix
