"""What placement is worth: programs that were started in a bad order, on nodes with slow links between them.

The nodes are those of tests/cluster: namespaces of this machine, joined by shaped links.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import nodes
from fabric import Fabric
from launching import JobError, across_nodes
from libraries import Mpi
from nodes import Cluster

from common.errors import BenchError
from common.options import positive
from reorder import heat_map, inside, relaunched, tables, two_ways
from reorder.programs import MAPPED, NODES

_REPETITIONS = 3
_LIBRARIES = ("openmpi-debian", "mpich-pypi")
_UNBOUND = {"OMPI_MCA_hwloc_base_binding_policy": "none"}


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench reorder", description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", metavar="NAME", help=f"only this one (default: {' and '.join(_LIBRARIES)})")
    parser.add_argument("--pairs", type=positive, default=6, help="of runs (default: %(default)s)")
    parser.add_argument("--rate", default="200mbit", help="of each node's link (default: %(default)s)")
    parser.add_argument(
        "--delay", type=float, default=100, metavar="US", help="of each link, one way (default: %(default)s)"
    )
    parser.add_argument(
        "--heat-map",
        type=Path,
        metavar="FILE",
        help="draw the gains of reordering in groups, FILE.svg or .png; the library's name is added",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Print tables for each library."""
    options = _parse(arguments)
    if os.geteuid() != 0:
        print("skipped: needs root, for nodes on this machine")
        return
    known = across_nodes()
    mpis = [mpi for mpi in known if mpi.name in ((options.mpi,) if options.mpi else _LIBRARIES)]
    if not mpis:
        raise BenchError(f"--mpi {options.mpi}: give one of {', '.join(mpi.name for mpi in known)}")
    fabric = Fabric(NODES, rate=options.rate, uplink_rate=options.rate, delay_us=options.delay)
    print(f"{NODES} nodes x 2 ranks on {os.cpu_count()} processors; between nodes {options.rate}/s,")
    print(f"{2 * options.delay:g} us; ranks that wait yield their processor where the library can do so\n")
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        try:
            with nodes.cluster(NODES, Path(name), fabric) as cluster:
                for mpi in mpis:
                    _measure(
                        replace(mpi, environment=mpi.environment | _UNBOUND),
                        cluster,
                        options.pairs,
                        options.heat_map,
                    )
        except nodes.UnavailableError as reason:
            print(f"left out: {reason}")
        except (JobError, subprocess.TimeoutExpired) as error:
            raise BenchError(str(error)) from error


def _measure(mpi: Mpi, cluster: Cluster, pairs: int, picture: Path | None) -> None:
    print(f"{mpi.name}; load of the machine {os.getloadavg()[0]:.1f}")
    results = [relaunched.measure(mpi, cluster, program, pairs) for program in MAPPED if program.runs_on(mpi)]
    print(f"medians of {pairs} pairs of runs; intervals of {results[0].ratio.confidence:.1%}\n")
    print("Started in a bad order, mapped, started again:")
    print(tables.times(results), end="\n\n")
    print(tables.off_node(results), end="\n\n", flush=True)
    print("By a file for the launcher, and by the order of MPI_COMM_WORLD (run --place, recorded):")
    print(tables.orders(results), end="\n\n", flush=True)
    print("The same launch without and with reordering, its cost included; all are profiled:")
    print(tables.ways(two_ways.measure(mpi, cluster, pairs)), end="\n\n", flush=True)
    # Inside MPICH messages within nodes are not seen, so MPI_M_reorder goes by what collectives are by
    # definition; and for the star of a broadcast no order is better.
    if mpi.family == "openmpi":
        print("Collectives before and after MPI_M_reorder, in one job:")
        print(tables.trees(inside.trees(mpi, cluster, pairs)), end="\n\n", flush=True)
    print("Allgather in groups of two, reordered after the first of n iterations; gain, its cost included:")
    gains = inside.gains(mpi, cluster, _REPETITIONS)
    print(tables.gains(gains), end="\n\n", flush=True)
    if picture:
        path = picture.with_stem(f"{picture.stem}-{mpi.name}")
        heat_map.draw(gains, path, f"What reordering gains: MPI_Allgather in groups of two, {mpi.name}")
        print(f"drawn: {path}", flush=True)
