"""How long exchanges over a fat tree take, predicted from the loads of its links, and measured.

The nodes are namespaces of this machine, as in tests/cluster, joined by shaped links and by switches that
forward by tables.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ParamSpec, TypeVar

import nodes
from fabric import Fabric
from launching import ConnectionFails, JobError, across_nodes
from libraries import Mpi
from neighbour import stream
from nodes import Cluster
from traffic.exchanges import exchanges

from common.errors import BenchError
from common.options import positive
from predicted.table import Row, head, line

_NODES = 8
_LIBRARIES = ("openmpi-debian", "mpich-pypi")
_TRIES = 3
_PAIR = (0, 4)  # nodes whose messages share a link with those from _NEIGHBOUR's first node to its second
_NEIGHBOUR = (1, 6)
_DEGRADED = (1, 0)  # leaf switch and spine
_TIMES_SLOWER = 5

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench predicted", description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", metavar="NAME", help=f"only this one (default: {' and '.join(_LIBRARIES)})")
    parser.add_argument(
        "--rate", type=positive, default=50, metavar="MBIT", help="of each link (default: %(default)s)"
    )
    parser.add_argument(
        "--size",
        type=positive,
        default=1_000_000,
        metavar="BYTES",
        help="of a message; of all-to-all and incast a fifth (default: %(default)s)",
    )
    parser.add_argument("--repetitions", type=positive, default=11, help="default: %(default)s")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Print a table for each library."""
    options = _parse(arguments)
    known = across_nodes()
    mpis = [mpi for mpi in known if mpi.name in ((options.mpi,) if options.mpi else _LIBRARIES)]
    if not mpis:
        raise BenchError(f"--mpi {options.mpi}: give one of {', '.join(mpi.name for mpi in known)}")
    if options.repetitions < 2:
        raise BenchError("--repetitions: give 2 or more: the first one is not timed")
    rate = f"{options.rate}mbit"
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        try:
            with nodes.cluster(_NODES, Path(name), Fabric(2, rate, rate, spines=2)) as cluster:
                print(f"{_NODES} nodes on 4 leaf switches, 2 spines, {rate}/s; {os.cpu_count()} processors")
                for mpi in mpis:
                    print(f"\n{mpi.name}; load of the machine {os.getloadavg()[0]:.1f}\n{head()}")
                    for row in _rows(mpi, cluster, options):
                        print(line(row), flush=True)
        except nodes.UnavailableError as reason:
            print(f"left out: {reason}")
        except (JobError, subprocess.TimeoutExpired) as error:
            raise BenchError(str(error)) from error


def _rows(mpi: Mpi, cluster: Cluster, options: argparse.Namespace) -> Iterator[Row]:
    size, repetitions = options.size, options.repetitions
    links = cluster.links
    assert links
    everywhere = _connected(exchanges, mpi, cluster, cluster.names)
    for pattern in ("shift=1", "shift=2", "shuffle"):
        yield Row(pattern, _connected(everywhere.run, pattern, size, repetitions))
    for pattern in ("all-to-all", "incast"):
        yield Row(pattern, _connected(everywhere.run, pattern, size // 5, repetitions))
    with links.slow_uplink(*_DEGRADED, f"{options.rate // _TIMES_SLOWER}mbit") as cables:
        for known, described in (("unknown", links.cables), ("known", cables)):
            done = _connected(everywhere.run, "shift=2", size, repetitions, described)
            yield Row(f"shift=2, slow cable {known}", done)
    pair = _connected(exchanges, mpi, cluster, [cluster.names[number] for number in _PAIR])
    yield Row("2 nodes", _connected(pair.run, "shift=1", size, repetitions))
    with stream(cluster, *_NEIGHBOUR):
        yield Row("2 nodes, neighbour", _connected(pair.run, "shift=1", size, repetitions))


def _connected(work: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T:
    """Do what starts a job, again if Open MPI could not connect its processes."""
    for _ in range(_TRIES):
        with contextlib.suppress(ConnectionFails):
            return work(*arguments, **options)
    raise BenchError("Open MPI could not connect its processes, again and again")
