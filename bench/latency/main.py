"""How long measuring all pairs takes: in the tournament's steps, and pair by pair, which is mmpi's order."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from common.errors import BenchError
from common.mpis import Mpi, environment
from common.options import mpis, numbers, positive
from latency.measurement import Measured, measure
from latency.table import HEAD, line
from rankwise.probes.build import build

_MODES = ("serial", "loaded")


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--mpi", action="append", metavar="NAME=MPICC,MPIRUN", help="repeatable (default: all)"
    )
    parser.add_argument("--pairs", type=positive, default=3, help="of runs, at most (default: %(default)s)")
    parser.add_argument(
        "--ranks", type=numbers, default=[16, 32, 64], metavar="P,...", help="(default: 16,32,64)"
    )
    parser.add_argument(
        "--size", type=positive, default=64, help="of a message, bytes (default: %(default)s)"
    )
    parser.add_argument("--repeats", type=positive, default=20, help="of a pair (default: %(default)s)")
    parser.add_argument(
        "--limit",
        type=float,
        default=4,
        metavar="S",
        help="end a measurement then, and work out from its steps how long all take (default: %(default)s)",
    )
    parser.add_argument("--timeout", type=float, default=60, help="of one run, s (default: %(default)s)")
    parser.add_argument(
        "--budget",
        type=float,
        default=120,
        metavar="S",
        help="start no further pair that would make the whole longer (default: %(default)s)",
    )
    return parser.parse_args(arguments)


def _pairs(
    mpi: Mpi, program: Path, ranks: int, options: argparse.Namespace, end: float
) -> list[list[Measured]]:
    """Measure both ways in alternation, as often as the time allows; each of the pairs as `_MODES`."""
    pairs: list[list[Measured]] = []
    longest = 0.0
    while len(pairs) < options.pairs and time.monotonic() + longest < end:
        started = time.monotonic()
        order = _MODES[::-1] if len(pairs) % 2 else _MODES
        seed = len(pairs) + 1
        runs = {mode: measure(mpi, program, ranks, mode, seed, options) for mode in order}
        pairs.append([runs[mode] for mode in _MODES])
        longest = max(longest, time.monotonic() - started)
    return pairs


def _table(mpi: Mpi, options: argparse.Namespace, end: float) -> None:
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        program = build("latency", Path(mpi.compiler), environment(), Path(name))
        print(f"{mpi.name} ({mpi.version})\n\n{HEAD}")
        for place, ranks in enumerate(options.ranks):
            # Each has its part of the time that is left: what one does not need is there for the next ones.
            share = (end - time.monotonic()) / (len(options.ranks) - place)
            print(f"{mpi.name}: {ranks} ranks", file=sys.stderr)
            try:
                pairs = _pairs(mpi, program, ranks, options, time.monotonic() + share)
            except BenchError as error:
                print(f"{ranks:>5}  left out: {str(error).splitlines()[0]}")
                continue
            print(line(ranks, pairs) if pairs else f"{ranks:>5}  left out (--budget)", flush=True)


def main(arguments: list[str]) -> None:
    """Print a table for each MPI."""
    options = _parse(arguments)
    chosen = mpis(options.mpi)
    started = time.monotonic()
    for place, mpi in enumerate(chosen, 1):
        _table(mpi, options, started + options.budget * place / len(chosen))
        print()
    print("~ worked out from the steps of the first seconds (--limit)")
