"""What Rankwise adds to a call, to memory and to MPI_Finalize: pairs of runs without and with it.

calls.c measures; this program builds it with each MPI, runs it in alternation without and with the library
preloaded, and takes the differences pair by pair: what changes slowly (clock rate, other load) is in both
runs of a pair and drops out. See ../README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rankwise._files import installed
from rankwise.errors import RankwiseError

READS = "two clock reads"
_SOURCE = Path(__file__).with_name("calls.c")
_DEFAULT_MPIS = ("openmpi=mpicc.openmpi,mpirun.openmpi", "mpich=mpicc.mpich,mpirun.mpich", "mpi=mpicc,mpirun")


class BenchError(Exception):
    """Something could not run; the message says what."""


@dataclass(frozen=True)
class Mpi:
    """One MPI to measure with."""

    name: str
    compiler: str
    launcher: str
    family: str  # "openmpi" or "hydra": decides how the launcher passes variables to the ranks
    version: str


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `aim` is the most that may be added, in `unit`, or in `two clock reads` when `aim_in_reads`. `slack` is
    what the measurement can't tell from the aim. `peers` is the smallest figure of mpisee 4.1, mpiP 3.5 and
    IPM 2.0.6 that really record the call, by launcher family. They were measured once, on another machine
    state, with Open MPI 4.1.4 and MPICH 4.0.2: a reference, no part of this run.
    """

    key: str
    unit: str
    aim: float | None = None
    aim_in_reads: bool = False
    slack: float = 0.0
    peers: dict[str, float] = field(default_factory=dict)


def _call(key: str, openmpi: float, hydra: float) -> Row:
    return Row(key, "ns", 1.5, aim_in_reads=True, peers={"openmpi": openmpi, "hydra": hydra})


CALL_ROWS = (
    Row(READS, "ns"),
    Row("Comm_rank", "ns", 0.0, slack=2.0, peers={"openmpi": 0, "hydra": 0}),
    _call("Iprobe", 67, 93),
    _call("Test", 82, 94),
    _call("Allreduce", 80, 104),
    _call("Barrier", 83, 93),
    _call("Bcast", 123, 137),
    Row("Irecv+Isend+Waitall", "ns", 130.0, peers={"openmpi": 317, "hydra": 375}),
    _call("Sendrecv", 109, 108),
    _call("Send to PROC_NULL", 114, 113),
    Row("Comm_dup+Comm_free", "us", 0.5, peers={"openmpi": 0.9}),
    Row("resident after the calls", "MB", 2.0, peers={"openmpi": 2.2, "hydra": 1.0}),
    Row("peak after the calls", "MB", 2.0, peers={"openmpi": 2.2, "hydra": 1.0}),
    Row("resident after 2000 communicators", "MB", 2.0, peers={"openmpi": 3.4}),
)


def finalize_rows(ranks: int) -> tuple[Row, ...]:
    """Make the lines about MPI_Finalize with so many ranks; the slowest rank counts."""
    return (
        Row(f"Finalize, {ranks} ranks", "ms", 2.0, peers={"openmpi": 4}),
        Row(f"Finalize, {ranks} ranks, CPU time", "ms", 2.0),
        Row(f"resident, {ranks} ranks", "MB", 2.0),
        Row(f"whole job, {ranks} ranks", "ms"),
    )


@dataclass
class Result:
    """A row measured: one value of each kind for each pair of runs."""

    row: Row
    without: list[float]
    with_: list[float]
    reads: list[float]  # two clock reads in ns, in the same pair; empty where they are no measure

    @property
    def differences(self) -> list[float]:
        """What was added, pair by pair."""
        return [b - a for a, b in zip(self.without, self.with_, strict=True)]

    @property
    def added(self) -> float:
        """The median over the pairs of what was added."""
        return statistics.median(self.differences)

    @property
    def ratio(self) -> float | None:
        """What was added in units of two clock reads; None where that makes no sense."""
        if not self.reads or self.row.key == READS:
            return None
        return statistics.median(d / r for d, r in zip(self.differences, self.reads, strict=True))

    @property
    def mark(self) -> str:
        """``over`` if every pair missed the aim, ``over?`` if only their median did, which may be noise."""
        if self.row.aim is None:
            return ""
        aim = self.row.aim + self.row.slack
        values = self.differences
        if self.row.aim_in_reads:
            values = [d / r for d, r in zip(values, self.reads, strict=True)]
        if statistics.median(values) <= aim:
            return ""
        return "over" if min(values) > aim else "over?"


def find_mpi(definition: str) -> Mpi | None:
    """Read NAME=MPICC,MPIRUN; None if one of the two programs is not there."""
    name, _, programs = definition.partition("=")
    compiler, _, launcher = programs.partition(",")
    if not name or not compiler or not launcher:
        raise BenchError(f"--mpi {definition}: NAME=MPICC,MPIRUN expected")
    compiler_path, launcher_path = shutil.which(compiler), shutil.which(launcher)
    if compiler_path is None or launcher_path is None:
        return None
    answer = subprocess.run(
        [launcher_path, "--version"], capture_output=True, text=True, env=_environment(), check=False
    )
    lines = (answer.stdout + answer.stderr).strip().splitlines()
    text = " ".join(lines)
    family = "openmpi" if any(word in text for word in ("Open MPI", "OpenRTE", "prte")) else "hydra"
    version = " ".join(lines[0].split()) if lines else "unknown"
    for line in lines:  # hydra gives its version on a line of its own
        if line.strip().startswith("Version:"):
            version = "hydra " + line.split()[-1]
    return Mpi(name, compiler_path, launcher_path, family, version)


def default_mpis() -> list[Mpi]:
    """Find the MPIs on PATH, each once, whatever number of names it has."""
    found: dict[Path, Mpi] = {}
    for definition in _DEFAULT_MPIS:
        mpi = find_mpi(definition)
        if mpi is not None:
            found.setdefault(Path(mpi.launcher).resolve(), mpi)
    return list(found.values())


def _environment() -> dict[str, str]:
    """Take ours, without a profiler; Open MPI refuses to work for root (containers) unless told twice."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name != "LD_PRELOAD" and not name.startswith("RANKWISE_")
    }
    if os.geteuid() == 0:
        environment["OMPI_ALLOW_RUN_AS_ROOT"] = environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return environment


def build(mpi: Mpi, directory: Path) -> Path:
    """Compile calls.c."""
    program = directory / "calls"
    command = [mpi.compiler, "-O2", "-Wall", "-Wextra", "-std=c11", "-o", str(program), str(_SOURCE)]
    answer = subprocess.run(command, capture_output=True, text=True, env=_environment(), check=False)
    if answer.returncode != 0:
        raise BenchError(f"{mpi.name}: {' '.join(command)} failed:\n{answer.stderr.strip()}")
    return program


@dataclass
class Job:
    """What one run of calls.c told."""

    records: list[dict[str, object]]  # of all ranks
    seconds: float
    recorded: bool  # the preloaded library left something in its directory

    def all(self, key: str, name: str | None, value: str) -> list[float]:
        """Collect `value` of every record that has `key` (equal to `name`, if given)."""
        found = [r[value] for r in self.records if key in r and (name is None or r[key] == name)]
        return [float(v) for v in found if isinstance(v, (int, float))]

    def worst(self, key: str, name: str | None, value: str) -> float:
        """Find the largest of them over the ranks."""
        values = self.all(key, name, value)
        if not values:
            raise BenchError(f"calls.c told nothing about {name or key}")
        return max(values)


def run(mpi: Mpi, program: Path, ranks: int, mode: str, library: Path | None, timeout: float) -> Job:
    """Run calls.c once, with `library` preloaded into the ranks (not into the launcher) if there is one."""
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        directory = Path(name)
        records = directory / "records"
        counters = directory / "counters"
        counters.mkdir(mode=0o700)
        variables = {} if library is None else {"LD_PRELOAD": str(library), "RANKWISE_DIR": str(counters)}
        command = [mpi.launcher, "-n", str(ranks)]
        if mpi.family == "openmpi":
            command += ["--oversubscribe"] if ranks > 1 else []
            for variable, value in variables.items():
                command += ["-x", f"{variable}={value}"]
        else:
            for variable, value in variables.items():
                command += ["-genv", variable, value]
        command += [str(program), str(records), mode]
        shown = " ".join(command)

        start = time.monotonic()
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=_environment(),
            start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=timeout)
            except BaseException as error:
                # The launcher takes its ranks down when it is told to; what stays is in its process group.
                process.terminate()
                try:
                    process.communicate(timeout=10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise BenchError(f"no end after {timeout:g} s: {shown}") from None
                raise
        seconds = time.monotonic() - start
        if process.returncode != 0:
            raise BenchError(f"exit status {process.returncode}: {shown}\n{output.strip()}")
        if "cannot be preloaded" in output:
            raise BenchError(f"{library} can't be preloaded: {output.strip().splitlines()[0]}")
        files = [records.with_name(f"{records.name}.{rank}") for rank in range(ranks)]
        missing = [file.name for file in files if not file.is_file()]
        if missing:
            raise BenchError(f"no {missing[0]} came from {shown}\n{output.strip()}")
        lines = [line for file in files for line in file.read_text().splitlines()]
        return Job([json.loads(line) for line in lines], seconds, any(counters.iterdir()))


def pairs_of_jobs(count: int, once: Callable[[bool], Job]) -> Iterator[tuple[Job, Job]]:
    """Run `once(False)` and `once(True)` in alternation; who comes first alternates too."""
    for pair in range(count):
        if pair % 2:
            with_ = once(True)
            yield once(False), with_
        else:
            without = once(False)
            yield without, once(True)


def _figure(row: Row, job: Job, statistic: str) -> float:
    """Find what one run says about one line of the table, in the line's unit."""
    if row.key.startswith("whole job"):
        return job.seconds * 1e3
    if row.key.startswith("Finalize"):
        return job.worst("finalize_ms", None, "finalize_cpu_ms" if "CPU" in row.key else "finalize_ms")
    if row.unit == "MB":
        when = {"resident after 2000 communicators": "communicators"}.get(
            row.key, "calls" if row.key.endswith("calls") else "traffic"
        )
        return job.worst("memory", when, "hwm_kb" if row.key.startswith("peak") else "rss_kb") / 1024
    return job.worst("row", row.key, f"{statistic}_ns") / (1000 if row.unit == "us" else 1)


def compare(rows: tuple[Row, ...], jobs: list[tuple[Job, Job]], statistic: str) -> list[Result]:
    """Make the lines of the table from the pairs of runs."""
    results = []
    for row in rows:
        without = [_figure(row, pair[0], statistic) for pair in jobs]
        with_ = [_figure(row, pair[1], statistic) for pair in jobs]
        reads = []
        if row.unit == "ns":
            key = f"{statistic}_ns"
            reads = [statistics.mean(job.worst("row", READS, key) for job in pair) for pair in jobs]
        results.append(Result(row, without, with_, reads))
    return results


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


def _aim(row: Row) -> str:
    if row.aim is None:
        return ""
    return f"<= {row.aim:g} x" if row.aim_in_reads else f"<= {row.aim:g}"


def table(results: list[Result], mpi: Mpi) -> str:
    """Lay the lines out as plain text; rows of one unit have the same number of digits."""
    head = ("row", "unit", "without", "with", "added", "lowest", "highest", "x reads", "aim", "", "peer*")
    lines: list[tuple[str, ...]] = [head]
    for result in results:
        row = result.row
        digits = 1 if row.unit in ("ns", "ms") else 2
        values = (
            statistics.median(result.without),
            statistics.median(result.with_),
            result.added,
            min(result.differences),
            max(result.differences),
        )
        peer = row.peers.get(mpi.family)
        lines.append(
            (
                row.key,
                row.unit,
                *(f"{value:.{digits}f}" for value in values),
                "" if result.ratio is None else f"{result.ratio:.2f}",
                _aim(row),
                result.mark,
                "" if peer is None else f"{peer:g}",
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = []
    for line in lines:
        cells = [
            cell.ljust(width) if column in (0, 1, 9) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


def as_json(results: list[Result], mpi: Mpi, recorded: bool) -> dict[str, object]:
    """Make the same for programs, with the values of each pair."""
    rows = []
    for result in results:
        row: dict[str, object] = {
            "row": result.row.key,
            "unit": result.row.unit,
            "without": result.without,
            "with": result.with_,
            "two_clock_reads_ns": result.reads,
            "added": result.added,
            "added_in_two_clock_reads": result.ratio,
            "aim": result.row.aim,
            "aim_in_two_clock_reads": result.row.aim_in_reads,
            "mark": result.mark,
            "best_peer_measured_elsewhere": result.row.peers.get(mpi.family),
        }
        rows.append(row)
    return {**asdict(mpi), "recorded": recorded, "rows": rows}


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
