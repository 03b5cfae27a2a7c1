"""What profiles say that nodes sent each other, beside what their network interfaces counted.

The nodes are those of tests/cluster, and so is the measurement: the tests make it, too.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import nodes
from launching import JobError, over_each_transport
from libraries import Mpi
from traffic import phases, series

from common.errors import BenchError
from common.options import positive
from wire.figure import Curves, draw
from wire.table import table

_NODES = 3
_JOBS = {"messages": "MPI_Send, MPI_Recv", "collectives": "MPI_Bcast and MPI_Allreduce in turn"}


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench wire", description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", metavar="NAME", help="only the one with this name (default: all)")
    parser.add_argument("--operations", type=positive, default=60, help="of a curve (default: %(default)s)")
    parser.add_argument(
        "--figure", type=Path, metavar="FILE.svg", help="draw the first curves: needs matplotlib"
    )
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Print a table for each library, and how far the curves are apart."""
    options = parse(arguments)
    known = over_each_transport()
    mpis = [mpi for mpi in known if options.mpi in (None, mpi.name)]
    if not mpis:
        raise BenchError(f"--mpi {options.mpi}: give one of {', '.join(mpi.name for mpi in known)}")
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        try:
            with nodes.cluster(_NODES, Path(name)) as cluster:
                measured = [mpi for mpi in mpis if _print_table(mpi, cluster)]
                curves = [_compare_curves(mpi, cluster, options.operations) for mpi in measured]
            if options.figure and curves:
                draw(curves[0], options.figure)
        except nodes.UnavailableError as reason:
            print(f"left out: {reason}")
        except (JobError, subprocess.TimeoutExpired) as error:
            raise BenchError(str(error)) from error


def _place(cluster: nodes.Cluster) -> Path:
    return Path(tempfile.mkdtemp(dir=cluster.directory))


def _print_table(mpi: Mpi, cluster: nodes.Cluster) -> bool:
    """Return whether its messages inside collectives are seen."""
    traffic_rows, hooks = phases.measure(mpi, cluster, _place(cluster))
    hook_text = ", ".join(sorted(f"{hook} {state}" if hook else state for state, hook in hooks))
    print(f"{mpi.name}: hook in the transport: {hook_text}")
    if all(state != "active" for state, _ in hooks):
        return False
    print(table(traffic_rows), flush=True)
    return True


def _compare_curves(mpi: Mpi, cluster: nodes.Cluster, operations: int) -> list[Curves]:
    curves: list[Curves] = []
    for what, title in _JOBS.items():
        samples = series.measure(mpi, cluster, _place(cluster), what, operations)
        interval = samples[-1].seconds / (len(samples) - 1)
        apart = [max(s.carried[0] - s.claimed, s.claimed - s.carried[1], 0) for s in samples]
        print(
            f"{mpi.name}, {what}: {len(samples)} samples, one every {interval * 1e3:.1f} ms;"
            f" in all {samples[-1].claimed / 1e6:.2f} MB by the profile,"
            f" {samples[-1].carried[1] / 1e6:.2f} MB by the interface;"
            f" apart at most {max(apart) / 1e6:.2f} MB (largest message {series.LARGEST / 1e6:.2f} MB)"
        )
        curves.append(
            Curves(
                title,
                [s.seconds for s in samples],
                [s.carried[0] for s in samples],
                [s.claimed for s in samples],
            )
        )
    return curves
