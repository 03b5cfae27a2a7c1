"""What Rankwise adds to jobs with many ranks, on however few cores there are.

With more ranks than cores the wall times mostly depend on the scheduler. The processor time of the ranks, and
our part of it as each process noted it, say more.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from common.errors import BenchError
from common.jobs import Job, Runner, build
from common.mpis import Mpi
from common.options import library, mpis, numbers, parser_of_pairs, positive
from common.report import table
from common.results import compare
from common.rows import Row, extra_row, memory, whole_job, worst
from common.rundirectory import all_of
from scale import node_files, sampler, stall
from scale.node import look

ROWS: tuple[Row, ...] = (
    worst("Init", "ms", "init_ms"),
    worst("Init, CPU time", "ms", "init_cpu_ms"),
    extra_row("Init, our own part, median", "ms", "own_init_median_ms"),
    extra_row("Init, our own part, worst", "ms", "own_init_ms"),
    worst("Finalize", "ms", "finalize_ms"),
    worst("Finalize, CPU time", "ms", "finalize_cpu_ms", 2.0),
    memory("resident, a rank", "traffic", "rss_kb", 1.0),
    extra_row("resident, all ranks and the keeper", "MB", "node_mb"),
    extra_row("resident, the keeper", "MB", "keeper_mb"),
    extra_row("counters in the node's memory", "MB", "counters_mb"),
    whole_job("whole job"),
    extra_row("files in the run directory", "", "files", 1.0),
    extra_row("on disk", "MB", "disk_mb"),
    extra_row("on disk, a rank", "KB", "disk_kb_a_rank"),
    extra_row("assembly of the profile", "ms", "assembly_ms"),
)


PARTS = ("files", "stall", "keeper", "sampler", "jobs")
_KEEPER_S = 21.0  # watched: two saves
_KEEPER_PERCENT = 0.1  # of one processor, at most
_RUN_S = 10.0  # duration of a run in addition to the requested time, more or less


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = parser_of_pairs("What Rankwise adds to MPI_Init, MPI_Finalize, memory and disk with many ranks.")
    parser.add_argument(
        "--ranks", type=numbers, default=[2, 16, 64, 256], metavar="P,...", help="(default: 2,16,64,256)"
    )
    parser.add_argument(
        "--parts",
        type=_parts,
        default=list(PARTS),
        metavar="PART,...",
        help=f"only some of {', '.join(PARTS)} (default: all)",
    )
    parser.add_argument(
        "--sweeps", type=positive, default=20, metavar="S", help="of each run, s (default: %(default)s)"
    )
    parser.add_argument(
        "--kept", type=positive, default=64, metavar="P", help="ranks of the keeper (default: %(default)s)"
    )
    parser.add_argument("--timeout", type=float, default=100, help="of one run, s (default: %(default)s)")
    parser.add_argument(
        "--budget",
        type=float,
        default=720,
        metavar="S",
        help="leave out what would make the measurement longer, s (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    options.pairs = options.pairs or 3
    return options


def _parts(text: str) -> list[str]:
    parts = text.split(",")
    if unknown := set(parts) - set(PARTS):
        raise argparse.ArgumentTypeError(f"{min(unknown)!r} is none of {', '.join(PARTS)}")
    return parts


class Measurement:
    """The measurements of one MPI, as far as the time allows."""

    def __init__(self, mpi: Mpi, options: argparse.Namespace, seconds: float) -> None:
        self._mpi = mpi
        self._options = options
        self._library = library(options.library)
        self._end = time.monotonic() + seconds

    def _lasts(self, what: str, expected: float) -> bool:
        """Whether there is time for so many expected seconds; says so if there is not."""
        if time.monotonic() + expected <= self._end:
            return True
        print(f"{self._mpi.name}, {what}: left out, would take {expected:.0f} s (--budget)\n")
        return False

    def stall(self) -> None:
        """Print what the file system of the run directory does to a program."""
        seconds, pairs = self._options.sweeps, self._options.pairs
        if self._lasts("stalls", 2 * pairs * (seconds + _RUN_S)):
            stall.measure(self._mpi, self._library, pairs, seconds, self._options.timeout)

    def keeper(self) -> None:
        """Print what the keeper takes while many ranks run."""
        ranks = self._options.kept
        if not self._lasts("keeper", _KEEPER_S + 2 * _RUN_S):
            return
        print(f"{self._mpi.name}: the keeper of {ranks} ranks", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
            program = build(self._mpi, "job", Path(name))
            beside = partial(look, ranks=ranks, seconds=_KEEPER_S)
            runner = Runner(
                self._mpi, program, ranks, self._library, self._options.timeout, ("wait",), beside=beside
            )
            figures = runner.run(True).extra
        print(f"{self._mpi.name}, the keeper of {ranks} ranks that make a call ten times a second:")
        if "keeper_percent" not in figures:
            print("there is none\n")
            return
        percent, aim = figures["keeper_percent"], _KEEPER_PERCENT
        mark = "" if percent <= aim else ", over"
        print(f"{percent:.3f} % of one processor in {_KEEPER_S:g} s (<= {aim:g}{mark}),")
        print(f"{figures['keeper_mb']:.2f} MB resident\n", flush=True)

    def sampler(self) -> None:
        """Print what the counters of the network take while few ranks run."""
        if self._lasts("sampler", sampler.CASES * (sampler.SECONDS + _RUN_S)):
            sampler.measure(self._mpi, self._library, self._options.timeout)

    def jobs(self) -> None:
        """Print one table for each number of ranks."""
        pairs = self._options.pairs
        seconds_a_rank = 0.0
        with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
            program = build(self._mpi, "job", Path(name))
            for ranks in sorted(self._options.ranks):
                # Every doubling of the ranks more than doubles the time of a launch.
                if not self._lasts(f"{ranks} ranks", 1.5 * seconds_a_rank * ranks * 2 * pairs):
                    continue
                jobs = self._pairs(program, ranks)
                if not jobs:
                    continue
                seconds_a_rank = max(job.seconds for pair in jobs for job in pair) / ranks
                print(f"{self._mpi.name} ({self._mpi.version}), {ranks} ranks")
                print(f"{pairs} pairs of runs: medians over the pairs, of each run the worst rank")
                print(table(compare(ROWS, jobs), self._mpi))
                print(flush=True)

    def _pairs(self, program: Path, ranks: int) -> list[tuple[Job, Job]]:
        print(f"{self._mpi.name}: {self._options.pairs} pairs of runs with {ranks} ranks", file=sys.stderr)
        runner = Runner(
            self._mpi,
            program,
            ranks,
            self._library,
            self._options.timeout,
            ("wait",),
            examine=all_of,
            beside=partial(look, ranks=ranks),
        )
        try:
            return list(runner.pairs(self._options.pairs))
        except BenchError as error:
            print(f"{self._mpi.name}, {ranks} ranks: left out: {error}\n")
            return []


def main(arguments: list[str]) -> None:
    """Run the requested measurements."""
    options = parse(arguments)
    print(f"load of the machine {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n")
    if "files" in options.parts:
        node_files.measure(library(options.library))
    chosen = mpis(options.mpi)
    for mpi in chosen:
        measurement = Measurement(mpi, options, options.budget / len(chosen))
        measures = {
            "stall": measurement.stall,
            "keeper": measurement.keeper,
            "sampler": measurement.sampler,
            "jobs": measurement.jobs,
        }
        for part, measure in measures.items():
            if part not in options.parts:
                continue
            try:
                measure()
            except BenchError as error:
                print(f"{mpi.name}, {part}: left out: {error}\n")
