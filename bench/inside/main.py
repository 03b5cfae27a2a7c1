"""What it costs to see the messages inside collectives."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from common.jobs import Runner, build
from common.mpis import Mpi, find_mpi
from common.options import library, mpis, parser_of_pairs, positive
from common.report import table
from common.results import Result, compare
from common.rows import Row, batches
from rankwise.trials.interval import ratio_interval

MESSAGE_ROWS: tuple[Row, ...] = (
    batches("Neighbor_alltoall, a message", 15.0),
    batches("Bcast, one message", 15.0),
)
"""Without the hook, and with it."""

EXCHANGE_ROWS: tuple[Row, ...] = tuple(
    batches(f"Alltoall, {size} B") for size in (0, 256, 4096, 32768, 131072, 524288)
)
"""Without the library, and with everything."""

LONG_CALL = 20.0
"""us; to exchanges that take longer, at most `MOST_ADDED` percent may be added."""
MOST_ADDED = 1.0


_ENVIRONMENTS = Path(__file__).parents[2] / "build" / "mpi"
_OVER_LIBFABRIC = {"MPIR_CVAR_CH4_NETMOD": "ofi", "MPIR_CVAR_NOLOCAL": "1"}


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = parser_of_pairs(__doc__ or "")
    parser.add_argument("--rounds", type=positive, default=300, help="batches a row (default: %(default)s)")
    parser.add_argument(
        "--statistic",
        choices=("median", "min"),
        default="median",
        help="of a run's exchanges; min leaves out more of other load (default: %(default)s)",
    )
    parser.add_argument("--timeout", type=float, default=120, help="of one run, s (default: %(default)s)")
    options = parser.parse_args(arguments)
    options.pairs = options.pairs or 7
    return options


def hooked(definitions: list[str] | None) -> list[Mpi]:
    """Find the MPIs that are asked for; by default also one over libfabric, if `make` has installed it."""
    hooked_mpis = mpis(definitions)
    there = _ENVIRONMENTS / "mpich" / "bin"
    libfabric = None if definitions else find_mpi(f"libfabric={there / 'mpicc'},{there / 'mpiexec'}")
    return hooked_mpis if libfabric is None else [*hooked_mpis, replace(libfabric, settings=_OVER_LIBFABRIC)]


def measure(mpi: Mpi, options: argparse.Namespace) -> tuple[list[Result], list[Result]]:
    """Measure the cost of a message, and of whole exchanges, with one MPI."""
    print(f"{mpi.name}: 2 x {options.pairs} pairs of runs", file=sys.stderr)
    arguments = (str(options.rounds),)
    preloaded = library(options.library)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        program = build(mpi, "inside", Path(name))
        with_hook = Runner(
            mpi, program, 2, preloaded, options.timeout, arguments, without={"RANKWISE_INSIDE": "off"}
        )
        messages = compare(MESSAGE_ROWS, list(with_hook.pairs(options.pairs)))
        whole = Runner(mpi, program, 2, preloaded, options.timeout, arguments)
        exchanges = compare(EXCHANGE_ROWS, list(whole.pairs(options.pairs)), options.statistic)
    return messages, exchanges


def percent(result: Result) -> str:
    """Show the time added to a call, in percent, with its interval, and whether that meets the aim."""
    interval = ratio_interval(result.without, result.with_)
    added, low, high = (100 / ratio - 100 for ratio in (interval.ratio, interval.high, interval.low))
    call = statistics.median(result.without) / 1000
    line = f"{added:+.2f} % [{low:+.2f}, {high:+.2f}] of {call:.1f} us"
    if call <= LONG_CALL or not interval.reached:
        return line
    return f"{line}: {'met' if high < MOST_ADDED else 'missed' if low > MOST_ADDED else 'not known'}"


def main(arguments: list[str]) -> None:
    """Measure and print."""
    options = parse(arguments)
    for mpi in hooked(options.mpi):
        messages, exchanges = measure(mpi, options)
        print(f"{mpi.name} ({mpi.version}): {options.pairs} pairs of runs, medians over the pairs")
        print("without = the library without its hook")
        print(table(messages, mpi))
        print(f"without = no library; of each run the {options.statistic}")
        print(table(exchanges, mpi))
        for result in exchanges:
            print(f"  {result.row.key}: {percent(result)}")
        print(flush=True)
