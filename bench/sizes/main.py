"""What Rankwise adds to messages and collectives of each size, in pairs of runs without and with it."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common.jobs import Job, Runner, build
from common.mpis import Mpi
from common.options import library, mpis, parser_of_pairs, positive
from rankwise.text.units import byte_text
from sizes.figure import Curve, draw

_RANKS = 2
_SIZES = tuple(8 * 4**step for step in range(10))  # bytes, as in ../programs/pingpong.c
_WHAT = {"pingpong": "Send + Recv", "allreduce": "Allreduce"}
_LINE = "{:12} {:>8} {:>11} {:>11} {:>11} {:>9} {:>18}"


def main(arguments: list[str]) -> None:
    """Print a table for each MPI, and draw the first one."""
    options = _parse(arguments)
    drawn: list[Curve] = []
    for mpi in mpis(options.mpi):
        print(f"{mpi.name}: {options.pairs} pairs of runs on {_RANKS} ranks", file=sys.stderr)
        jobs = _measured(mpi, options)
        curves = [_curve(what, jobs, options.statistic) for what in _WHAT]
        print(f"{mpi.name} ({mpi.version}), {_RANKS} ranks, medians over {options.pairs} pairs")
        print(
            _LINE.format("call", "size", "without, ns", "with, ns", "added, ns", "added, %", "%, all pairs")
        )
        for curve in curves:
            for line in _lines(curve):
                print(line)
        print(flush=True)
        drawn = drawn or [curve._replace(title=f"{curve.title}, {mpi.version}") for curve in curves]
    if options.figure:
        draw(drawn, options.figure)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = parser_of_pairs("What Rankwise adds to messages and collectives of each size.")
    parser.add_argument("--rounds", type=positive, default=100, help="batches a row (default: %(default)s)")
    parser.add_argument(
        "--statistic",
        choices=("median", "min"),
        default="median",
        help="of a run's batches; the smallest takes in less of other load (default: %(default)s)",
    )
    parser.add_argument("--timeout", type=float, default=120, help="of one run, s (default: %(default)s)")
    parser.add_argument("--figure", type=Path, metavar="FILE.svg", help="draw it: needs matplotlib")
    options = parser.parse_args(arguments)
    options.pairs = options.pairs or 7
    return options


def _measured(mpi: Mpi, options: argparse.Namespace) -> list[tuple[Job, Job]]:
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        program = build(mpi, "pingpong", Path(name))
        runner = Runner(
            mpi, program, _RANKS, library(options.library), options.timeout, (str(options.rounds),)
        )
        return list(runner.pairs(options.pairs))


def _curve(what: str, jobs: Sequence[tuple[Job, Job]], statistic: str) -> Curve:
    def nanoseconds(run: int) -> list[list[float]]:
        return [
            [pair[run].worst("row", f"{what} {size}", f"{statistic}_ns") for pair in jobs] for size in _SIZES
        ]

    return Curve(_WHAT[what], _SIZES, nanoseconds(0), nanoseconds(1))


def _lines(curve: Curve) -> list[str]:
    lines = []
    for place, size in enumerate(curve.sizes):
        percent, added = curve.percent(place), curve.added(place)
        lines.append(
            _LINE.format(
                curve.title,
                byte_text(size),
                f"{statistics.median(curve.without[place]):.0f}",
                f"{statistics.median(curve.with_[place]):.0f}",
                f"{statistics.median(added):.0f}",
                f"{statistics.median(percent):.1f}",
                f"{min(percent):.1f} to {max(percent):.1f}",
            )
        )
    return lines
