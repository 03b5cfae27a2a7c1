"""The largest fabrics: how long it takes to read one, and to send messages through it in one thread."""

from __future__ import annotations

import resource
import tempfile
from pathlib import Path

import numpy as np
from network_jobs import page

from links.files import written
from links.rows import row
from rankwise.network.everyone import everyone
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.flows import Flows, Group
from rankwise.network.job.given_hosts import GivenHost
from rankwise.network.job.hosts import HostsByName
from rankwise.network.job.rank_ports import places_on
from rankwise.network.loads import job_loads
from rankwise.network.sources.generators.generate import generated
from rankwise.network.sources.open import open_fabric
from rankwise.render.network.traffic import traffic

_RULE = "fattree:k=64,pods=42,gbit=400"
_RAILS = 2
_GRID = (64, 56, 48)
_READ_S, _ALL_S, _HALO_S, _GIB, _MB = 10.0, 20.0, 2.0, 4.0, 5.0


def measure(directory: str | None) -> None:
    """Print a line for each step.

    Args:
        directory: where files of 4.3 GB are written, and removed; None: a temporary one.
    """
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        files = _files(Path(folder))
        read: list[Fabric] = []
        row("read the files of the large fabric", 1, lambda: read.append(open_fabric(files)), _READ_S)
    [fabric] = read
    switches = sum(len(subnet.switches.names) for subnet in fabric.subnets)
    endpoints = sum(len(subnet.ports.hosts) for subnet in fabric.subnets)
    names = list(HostsByName(fabric).ports)
    alone = places_on(fabric, [GivenHost(name) for name in names])
    row(
        f"{endpoints} endpoints, {switches} switches, all to all",
        1,
        lambda: everyone(fabric, alone, 1),
        _ALL_S,
    )
    flows = _halo()
    each = flows.ranks // len(names)
    many = places_on(fabric, [GivenHost(name) for name in names for _ in range(each)])
    row(f"{len(flows):,} pairs of a halo on these", 3, lambda: job_loads(fabric, flows, many), _HALO_S)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    _figure("memory until here, GiB", most, _GIB)
    _figure(
        "a report of this halo with its page Network, MB", len(page(traffic(fabric, flows, many))) / 1e6, _MB
    )


def _figure(name: str, value: float, aim: float) -> None:
    print(
        f"{name:<58} {value:>9.2f} {'':>9} {'':>9} {aim:>6.2f}  {'over' * (value > aim)}".rstrip(), flush=True
    )


def _files(folder: Path) -> list[str]:
    """Write the files of all subnets; what generating them takes is given back before they are read."""
    subnet = generated(_RULE)
    return [str(file) for rail in range(_RAILS) for file in written(subnet, folder, rail)]


def _halo() -> Flows:
    """Return the messages of each rank on a grid to its neighbours, around the edges, too."""
    ranks = np.arange(np.prod(_GRID)).reshape(_GRID)
    sources, destinations = [], []
    for axis in range(len(_GRID)):
        for step in (1, -1):
            sources.append(ranks.ravel())
            destinations.append(np.roll(ranks, step, axis).ravel())
    source, destination = np.concatenate(sources), np.concatenate(destinations)
    order, count = np.lexsort((destination, source)), len(source)
    return Flows(
        ranks=ranks.size,
        source=source[order].astype(np.int32),
        destination=destination[order].astype(np.int32),
        group=np.zeros(count, np.int32),
        bytes=np.full(count, 1 << 20, np.int64),
        messages=np.ones(count, np.int64),
        groups=(Group("world", "world", "", "MPI_Isend", "point-to-point"),),
        only=(),
        kinds=("point-to-point",),
        unplaced_messages=0,
        unplaced_bytes=0,
        hidden=(),
    )
