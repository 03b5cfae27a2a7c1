"""What Rankwise adds to jobs with many ranks, on however few cores there are.

With more ranks than cores the wall times are mostly those of the scheduler: the processor time that the ranks
spend and our own part as each process noted it say more.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from common.errors import BenchError
from common.jobs import Runner, build
from common.mpis import Mpi
from common.options import library, mpis, numbers, parser_of_pairs
from common.report import table
from common.results import compare
from common.rows import Row, found, memory, whole_job, worst
from common.rundirectory import all_of

ROWS: tuple[Row, ...] = (
    worst("Init", "ms", "init_ms"),
    worst("Init, CPU time", "ms", "init_cpu_ms"),
    found("Init, our own part, median", "ms", "own_init_median_ms"),
    found("Init, our own part, worst", "ms", "own_init_ms"),
    worst("Finalize", "ms", "finalize_ms"),
    worst("Finalize, CPU time", "ms", "finalize_cpu_ms", 2.0),
    memory("resident", "traffic", "rss_kb", 1.0),
    whole_job("whole job"),
    found("on disk", "MB", "disk_mb"),
    found("on disk, a rank", "KB", "disk_kb_a_rank"),
    found("assembly of the profile", "ms", "assembly_ms"),
)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = parser_of_pairs("What Rankwise adds to MPI_Init, MPI_Finalize and the disk with many ranks.")
    parser.add_argument(
        "--ranks", type=numbers, default=[16, 64, 256], metavar="P,...", help="(default: 16,64,256)"
    )
    parser.add_argument("--timeout", type=float, default=100, help="of one run, s (default: %(default)s)")
    parser.add_argument(
        "--budget",
        type=float,
        default=240,
        metavar="S",
        help="leave out what would make the measurement longer, s (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    options.pairs = options.pairs or 3
    return options


def measure(mpi: Mpi, options: argparse.Namespace, seconds: float) -> None:
    """Measure and print one table for each number of ranks, as far as the time allows."""
    end = time.monotonic() + seconds
    seconds_a_rank = 0.0
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        program = build(mpi, "job", Path(name))
        for ranks in sorted(options.ranks):
            # Every doubling of the ranks more than doubles the time of a launch.
            expected = 1.5 * seconds_a_rank * ranks * 2 * options.pairs
            if time.monotonic() + expected > end:
                print(f"{mpi.name}, {ranks} ranks: left out, would take {expected:.0f} s (--budget)\n")
                continue
            print(f"{mpi.name}: {options.pairs} pairs of runs with {ranks} ranks", file=sys.stderr)
            runner = Runner(mpi, program, ranks, library(options.library), options.timeout, examine=all_of)
            try:
                jobs = list(runner.pairs(options.pairs))
            except BenchError as error:
                print(f"{mpi.name}, {ranks} ranks: left out: {error}\n")
                continue
            seconds_a_rank = max(job.seconds for pair in jobs for job in pair) / ranks
            print(f"{mpi.name} ({mpi.version}), {ranks} ranks")
            print(f"{options.pairs} pairs of runs: medians over the pairs, of each run the worst rank")
            print(table(compare(ROWS, jobs), mpi))
            print(flush=True)


def main(arguments: list[str]) -> None:
    """Measure what was asked for."""
    options = parse(arguments)
    chosen = mpis(options.mpi)
    for mpi in chosen:
        measure(mpi, options, options.budget / len(chosen))
