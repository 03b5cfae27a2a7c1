"""What Rankwise adds to a call, to memory and to MPI_Finalize: pairs of runs without and with it.

calls.c measures; this program builds it with each MPI, runs it in alternation without and with the library
preloaded, and takes the differences pair by pair: what changes slowly (clock rate, other load) is in both
runs of a pair and drops out. See ../README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from pathlib import Path

from errors import BenchError
from mpis import Mpi, default_mpis, find_mpi
from report import as_json, table
from results import Result, compare
from rows import CALL_ROWS, Row, finalize_rows
from runs import Job, build, pairs_of_jobs, run

from rankwise._files import installed
from rankwise.errors import RankwiseError


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _ranks(text: str) -> list[int]:
    return [_positive(part) for part in text.split(",") if part]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="What Rankwise adds to an MPI call, to memory, to Finalize.")
    parser.add_argument("--library", type=Path, help="what to preload (default: the installed library)")
    parser.add_argument(
        "--mpi",
        action="append",
        metavar="NAME=MPICC,MPIRUN",
        help="repeatable (default: mpicc.openmpi, mpicc.mpich and mpicc, as far as they are there)",
    )
    parser.add_argument("--pairs", type=_positive, default=7, help="pairs of runs (default: %(default)s)")
    parser.add_argument("--rounds", type=_positive, default=300, help="batches a row (default: %(default)s)")
    parser.add_argument(
        "--statistic",
        choices=("median", "min"),
        default="min",
        help="of a run's batches; the median takes in more of other load (default: %(default)s)",
    )
    parser.add_argument(
        "--ranks",
        type=_ranks,
        default=[2, 16],
        metavar="P,...",
        help="for Finalize; '' leaves it out (default: 2,16)",
    )
    parser.add_argument("--timeout", type=float, default=120, help="of one run, s (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures, pair by pair")
    return parser.parse_args(arguments)


def _library(given: Path | None) -> Path:
    if given is not None:
        if not given.is_file():
            raise BenchError(f"--library {given}: no such file")
        return given.resolve()
    return installed("lib/librankwise.so")


def measure(mpi: Mpi, library: Path, options: argparse.Namespace) -> tuple[list[Result], bool]:
    """Measure all lines with one MPI; also say whether the library recorded anything."""
    results: list[Result] = []
    recorded = True
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        program = build(mpi, Path(name))
        plan: list[tuple[tuple[Row, ...], int, str]] = [(CALL_ROWS, 1, str(options.rounds))]
        plan += [(finalize_rows(ranks), ranks, "finalize") for ranks in options.ranks]
        for rows, ranks, mode in plan:

            def once(preloaded: bool, ranks: int = ranks, mode: str = mode) -> Job:
                return run(mpi, program, ranks, mode, library if preloaded else None, options.timeout)

            print(f"{mpi.name}: {options.pairs} pairs of runs with {ranks} ranks", file=sys.stderr)
            jobs = list(pairs_of_jobs(options.pairs, once))
            results += compare(rows, jobs, options.statistic)
            recorded = recorded and all(with_.recorded for _, with_ in jobs)
    return results, recorded


def bench(options: argparse.Namespace) -> None:
    """Measure, print, write."""
    library = _library(options.library)
    if options.mpi:
        mpis = []
        for definition in options.mpi:
            mpi = find_mpi(definition)
            if mpi is None:
                raise BenchError(f"--mpi {definition}: no such program")
            mpis.append(mpi)
    else:
        mpis = default_mpis()
    if not mpis:
        raise BenchError("no MPI found on PATH: name one with --mpi NAME=MPICC,MPIRUN")

    report = []
    for mpi in mpis:
        results, recorded = measure(mpi, library, options)
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


def main(arguments: list[str] | None = None) -> int:
    """Exit status 1 if something could not run; a missed aim is no error."""
    options = parse(arguments)
    try:
        bench(options)
    except (BenchError, RankwiseError, OSError) as error:
        print(f"overhead: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
