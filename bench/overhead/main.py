"""What Rankwise adds to a call, to memory, to MPI_Init and MPI_Finalize: pairs of runs without and with it.

The programs in ../programs measure; this part builds them with each MPI, runs them in alternation without
and with the library preloaded, and takes the differences pair by pair: what changes slowly (clock rate, other
load) is in both runs of a pair and drops out. See ../README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from common.jobs import Job, Runner, build, pairs
from common.mpis import Mpi
from common.options import library, mpis, numbers, parser_of_pairs, positive
from common.report import as_json, table
from common.results import Result, compare
from common.rundirectory import own_init
from overhead.command import CommandRunner, LaunchRunner, StartRunner, warm_up
from overhead.rows import (
    CALL_ROWS,
    COMMAND_ROWS,
    PATH_ROWS,
    SITE_ROWS,
    START_ROWS,
    THREAD_ROWS,
    communicator_rows,
    job_rows,
    step_rows,
)

PROGRAMS = ("calls", "threads", "communicators", "steps", "job")


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = parser_of_pairs("What Rankwise adds to an MPI call, to memory, to MPI_Init and MPI_Finalize.")
    parser.add_argument("--rounds", type=positive, default=300, help="batches a row (default: %(default)s)")
    parser.add_argument(
        "--statistic",
        choices=("median", "min"),
        default="median",
        help="of a run's batches; the smallest takes in less of other load (default: %(default)s)",
    )
    parser.add_argument(
        "--ranks",
        type=numbers,
        default=[2],
        metavar="P,...",
        help="for Init and Finalize; '' leaves them out (default: 2)",
    )
    parser.add_argument(
        "--communicators",
        type=numbers,
        default=[ranks for ranks in (1, 2, 4) if ranks <= (os.cpu_count() or 1)],
        metavar="P,...",
        help="ranks that make and free communicators (default: 1, 2, 4, as far as processors go)",
    )
    parser.add_argument(
        "--steps", type=positive, default=1500, help="of 1 ms, on all processors (default: %(default)s)"
    )
    parser.add_argument("--timeout", type=float, default=120, help="of one run, s (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures, pair by pair")
    options = parser.parse_args(arguments)
    options.pairs = options.pairs or 7
    return options


def measure(mpi: Mpi, options: argparse.Namespace) -> tuple[list[Result], bool]:
    """Measure all lines with one MPI; also say whether the library recorded anything."""
    results: list[Result] = []
    recorded = True
    preloaded = library(options.library)

    def collected(jobs: Iterable[tuple[Job, Job]], what: str) -> list[tuple[Job, Job]]:
        nonlocal recorded
        print(f"{mpi.name}: {options.pairs} pairs of runs: {what}", file=sys.stderr)
        pairs = list(jobs)
        recorded = recorded and all(with_.recorded for _, with_ in pairs)
        return pairs

    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        programs = {program: build(mpi, program, Path(name)) for program in PROGRAMS}
        rounds = (str(options.rounds),)
        calls = Runner(mpi, programs["calls"], 1, preloaded, options.timeout, rounds)
        results += compare(CALL_ROWS, collected(calls.pairs(options.pairs), "calls"), options.statistic)
        sites = replace(calls, without={"RANKWISE_SITES": "off"})
        results += compare(SITE_ROWS, collected(sites.pairs(options.pairs), "sites"), options.statistic)
        paths = replace(calls, without={"RANKWISE_PATHS": "off"})
        results += compare(PATH_ROWS, collected(paths.pairs(options.pairs), "paths"), options.statistic)
        threads = Runner(mpi, programs["threads"], 1, preloaded, options.timeout, rounds)
        results += compare(THREAD_ROWS, collected(threads.pairs(options.pairs), "threads"), options.statistic)
        for ranks in options.communicators:
            made = Runner(mpi, programs["communicators"], ranks, preloaded, options.timeout, rounds)
            jobs = collected(made.pairs(options.pairs), f"communicators, {ranks} ranks")
            results += compare(communicator_rows(ranks), jobs, options.statistic)
        for ranks in options.ranks:
            job = Runner(mpi, programs["job"], ranks, preloaded, options.timeout, examine=own_init)
            results += compare(job_rows(ranks), collected(job.pairs(options.pairs), f"{ranks} ranks"))
        steps = programs["steps"], os.cpu_count() or 1
        recording = Runner(mpi, *steps, preloaded, options.timeout, (str(options.steps),))
        jobs = collected(recording.pairs(options.pairs), "steps on all processors, rankwise env")
        results += compare(step_rows("env"), jobs)
        launch = LaunchRunner(mpi, *steps, options.timeout, (str(options.steps),))
        jobs = collected(pairs(options.pairs, launch.run), "steps on all processors, rankwise run")
        results += compare(step_rows("run"), jobs)
        for words, rows in COMMAND_ROWS.items():
            command = CommandRunner(programs["job"], options.timeout, words)
            warm_up(command)
            jobs = collected(pairs(options.pairs, command.run), " ".join(["rankwise run", *words]))
            results += compare(rows, jobs)
        start = StartRunner(preloaded, options.timeout)
        results += compare(START_ROWS, collected(pairs(options.pairs, start.run), "any process"))
    return results, recorded


def bench(options: argparse.Namespace) -> None:
    """Measure, print, write."""
    report = []
    for mpi in mpis(options.mpi):
        results, recorded = measure(mpi, options)
        print(f"{mpi.name} ({mpi.version})")
        print(f"{options.pairs} pairs of runs: medians over the pairs, of each run the {options.statistic}")
        if not recorded:
            print("NOTE: the library recorded nothing, so these figures are not those of a profiler")
        print(table(results, mpi))
        print(flush=True)
        report.append(as_json(results, mpi, recorded))
    print(
        "x reads: added, in units of two clock reads measured in the same runs. MB: 2^20 bytes, worst rank.\n"
        "* peer: added by the best of mpisee, mpiP and IPM: measured elsewhere (Open MPI 4.1.4, MPICH\n"
        "  4.0.2), not in this run."
    )
    if options.json:
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        content = {"date": now, "pairs": options.pairs, "statistic": options.statistic, "mpis": report}
        options.json.write_text(json.dumps(content, indent=1) + "\n")


def main(arguments: list[str]) -> None:
    """Run the requested measurements."""
    bench(parse(arguments))
