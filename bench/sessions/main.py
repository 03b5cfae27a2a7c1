"""What sessions of the introspection library cost: an MPI call while one is active, and their functions."""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from common.jobs import build, monitoring, output_of, read_records
from common.mpis import Mpi
from common.options import mpis, numbers, positive

# What the original library publishes for its own (Inria RR-9292): less than this for any call.
_PUBLISHED_NS = 5000.0
_CALLS = ("Sendrecv", "Bcast", "Allreduce")
_FUNCTIONS = (
    "first MPI_M_start",
    "MPI_M_start",
    "MPI_M_suspend",
    "MPI_M_continue",
    "MPI_M_get_data",
    "MPI_M_allgather_data",
    "MPI_M_free",
)

_Figures = dict[str, float]


def _run(mpi: Mpi, program: Path, ranks: int, rounds: int, rows: int = 0) -> _Figures:
    """Run it once; the median of each row in ns, of the rank in the middle."""
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        records = Path(name) / "records"
        command = [*mpi.launch(ranks, {}), str(program), str(records), str(rounds), str(rows)]
        record_list = read_records(records, ranks, command, output_of(command, 300))
    by_row: dict[str, list[float]] = {}
    for record in record_list:
        by_row.setdefault(str(record["row"]), []).append(float(str(record["median_ns"])))
    return {row: statistics.median(values) for row, values in by_row.items()}


def _calls(mpi: Mpi, plain: Path, linked: Path, pairs: int) -> None:
    runs = [(_run(mpi, plain, 1, 300), _run(mpi, linked, 1, 300)) for _ in range(pairs)]
    print(
        f"{'call in an active session':<28} {'without, ns':>12} {'with, ns':>9} {'added, ns':>10}  5 us are"
    )
    for row in _CALLS:
        without = statistics.median(before[row] for before, _ in runs)
        with_ = statistics.median(after[row] for _, after in runs)
        added = statistics.median(after[row] - before[row] for before, after in runs)
        factor = f"{_PUBLISHED_NS / added:6.0f} times as much" if added > 0 else "     -"
        print(f"{row:<28} {without:>12.1f} {with_:>9.1f} {added:>10.1f}  {factor}")


def _functions(mpi: Mpi, linked: Path, jobs: list[tuple[int, int]]) -> None:
    columns = [_run(mpi, linked, ranks, 50, rows) for ranks, rows in jobs]
    print("\n" + f"{'function, us':<28}" + "".join(f"{f'{ranks} ranks':>14}" for ranks, _ in jobs))
    print(f"{'rows beside its own':<28}" + "".join(f"{rows:>14}" for _, rows in jobs))
    for row in _FUNCTIONS:
        print(f"{row:<28}" + "".join(f"{column[row] / 1000:>14.2f}" for column in columns))


def main(arguments: list[str]) -> None:
    """Build the programs, run them, print two tables for each MPI."""
    parser = argparse.ArgumentParser(prog="bench", description="What sessions of MPI_Monitoring.h cost.")
    parser.add_argument(
        "--mpi", action="append", metavar="NAME=MPICC,MPIRUN", help="repeatable (default: all)"
    )
    parser.add_argument("--pairs", type=positive, default=5, help="of runs (default: %(default)s)")
    parser.add_argument("--ranks", type=numbers, default=[16, 64], metavar="P,...", help="(default: 16,64)")
    parser.add_argument(
        "--rows",
        type=numbers,
        default=[1000, 10_000],
        metavar="R,...",
        help="with one rank (default: 1000,10000)",
    )
    options = parser.parse_args(arguments)
    for mpi in mpis(options.mpi):
        with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
            (Path(name) / "plain").mkdir()
            plain = build(mpi, "sessions", Path(name) / "plain", ["-DWITHOUT_SESSIONS"])
            linked = build(mpi, "sessions", Path(name), monitoring())
            print(f"{mpi.name} ({mpi.version})\n")
            _calls(mpi, plain, linked, options.pairs)
            jobs = [(ranks, 0) for ranks in options.ranks] + [(1, rows) for rows in options.rows]
            _functions(mpi, linked, jobs)
            print()
