"""Building the programs and running them: one job, or jobs in pairs without and with the library."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from common.errors import BenchError
from common.mpis import Mpi, environment
from rankwise._files import installed

PROGRAMS = Path(__file__).parents[1] / "programs"


def build(mpi: Mpi, name: str, directory: Path, options: Sequence[str] = ()) -> Path:
    """Compile programs/NAME.c."""
    program = directory / name
    flags = ["-O2", "-Wall", "-Wextra", "-std=c11", "-pthread"]
    command = [mpi.compiler, *flags, "-o", str(program), str(PROGRAMS / f"{name}.c"), *options]
    answer = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    if answer.returncode != 0:
        raise BenchError(f"{mpi.name}: {' '.join(command)} failed:\n{answer.stderr.strip()}")
    return program


def monitoring() -> list[str]:
    """Return the options, behind the source, for programs that ask for themselves."""
    include = installed("include/MPI_Monitoring.h").parent
    place = installed("lib/librankwise_monitoring.so").parent
    return [
        f"-I{include}",
        f"-L{place}",
        f"-Wl,-rpath,{place}",
        "-Wl,--no-as-needed",
        "-lrankwise_monitoring",
    ]


@dataclass
class Job:
    """The measurements of one run of a program."""

    records: list[dict[str, object]]  # of all ranks
    seconds: float
    recorded: bool  # the preloaded library left something in its directory
    extra: dict[str, float] = field(default_factory=dict)  # measured afterwards

    def all(self, key: str, name: str | None, value: str) -> list[float]:
        """Collect `value` of every record that has `key` (equal to `name`, if given)."""
        values = [r[value] for r in self.records if key in r and (name is None or r[key] == name)]
        return [float(v) for v in values if isinstance(v, (int, float))]

    def worst(self, key: str, name: str | None, value: str) -> float:
        """Find the largest of them over the ranks."""
        values = self.all(key, name, value)
        if not values:
            raise BenchError(f"the program told nothing about {name or key}")
        return max(values)


class Ended(NamedTuple):
    """A job that has ended.

    Attributes:
        output: what it printed.
        at: when its first process had ended, on time.monotonic().
    """

    output: str
    at: float


def output_of(command: list[str], timeout: float) -> str:
    """Run a job to its end and return what it printed."""
    return run_to_end(command, timeout).output


def run_to_end(command: list[str], timeout: float) -> Ended:
    """Run a job to its end, and until all is gone that would disturb the next one."""
    shown = " ".join(command)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(),
        start_new_session=True,
    ) as process:
        try:
            ended = _wait(process, timeout)
        except BaseException as error:
            # The launcher ends its ranks when a signal asks for it; remaining ones are in its process group.
            process.terminate()
            try:
                _wait(process, 10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise BenchError(f"no end after {timeout:g} s: {shown}") from None
            raise
    if process.returncode != 0:
        raise BenchError(f"exit status {process.returncode}: {shown}\n{ended.output.strip()}")
    return ended


def _wait(process: subprocess.Popen[bytes], timeout: float) -> Ended:
    """Read all that a job prints, and see when its first process ends.

    The output has its end later: Open MPI's daemon for a single rank keeps the pipe for some 30 ms.

    Raises:
        subprocess.TimeoutExpired: one of the two has not ended.
    """
    assert process.stdout
    printed, at = process.stdout.fileno(), 0.0
    parts: list[bytes] = []
    end = time.monotonic() + timeout
    itself = os.pidfd_open(process.pid)
    try:
        waited_for = {printed, itself}
        while waited_for:
            ready, _, _ = select.select(waited_for, [], [], max(end - time.monotonic(), 0))
            if not ready:
                raise subprocess.TimeoutExpired(process.args, timeout)
            if itself in ready:
                at = time.monotonic()
                waited_for.remove(itself)
            if printed in ready:
                parts.append(os.read(printed, 1 << 16))
                if not parts[-1]:
                    waited_for.remove(printed)
    finally:
        os.close(itself)
    return Ended(b"".join(parts).decode(errors="replace"), at)


class Places(NamedTuple):
    """Where to look at a job that is running.

    Attributes:
        records: beginning of the names of the files that its ranks write.
        counters: its run directory; None without the library.
    """

    records: Path
    counters: Path | None


Beside = Callable[[Places], AbstractContextManager[dict[str, float]]]


@dataclass(frozen=True)
class Runner:
    """Runs one program of one MPI.

    Attributes:
        examine: looks at the run directory before it is removed; what it returns becomes `Job.extra`.
        without: environment variables of the runs "without", if the library is preloaded there, too.
        beside: runs next to the job; its results become part of `Job.extra`.
        place: an existing directory for the run directories (default: next to the output).
    """

    mpi: Mpi
    program: Path
    ranks: int
    library: Path
    timeout: float
    arguments: tuple[str, ...] = ()
    examine: Callable[[Path], dict[str, float]] | None = None
    without: dict[str, str] | None = None
    beside: Beside | None = None
    place: Path | None = None

    def run(self, preloaded: bool) -> Job:
        """Run it once, with the library preloaded into the ranks (not into the launcher) or without."""
        prefix = "rankwise-bench-"
        with (
            tempfile.TemporaryDirectory(prefix=prefix) as name,
            tempfile.TemporaryDirectory(prefix=prefix, dir=self.place) as counters_name,
        ):
            records, counters = Path(name) / "records", Path(counters_name)
            variables = {"LD_PRELOAD": str(self.library), "RANKWISE_DIR": str(counters)}
            if not preloaded:
                variables = {} if self.without is None else variables | self.without
            launch = self.mpi.launch(self.ranks, variables)
            command = [*launch, str(self.program), str(records), *self.arguments]

            places = Places(records, counters if variables else None)
            with self.beside(places) if self.beside else nullcontext({}) as measured:
                start = time.monotonic()
                output, end = run_to_end(command, self.timeout)
            if "cannot be preloaded" in output:
                raise BenchError(f"{self.library} can't be preloaded: {output.strip().splitlines()[0]}")
            recorded = any(counters.iterdir())
            extra = measured | (self.examine(counters) if self.examine and recorded else {})
            return Job(read_records(records, self.ranks, command, output), end - start, recorded, extra)

    def pairs(self, count: int) -> Iterator[tuple[Job, Job]]:
        """Run it without and with the library in alternation; who comes first alternates too."""
        return pairs(count, self.run)


def read_records(path: Path, ranks: int, command: list[str], output: str) -> list[dict[str, object]]:
    """Read what each rank wrote."""
    files = [path.with_name(f"{path.name}.{rank}") for rank in range(ranks)]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise BenchError(f"no {missing[0]} came from {' '.join(command)}\n{output.strip()}")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def pairs(count: int, once: Callable[[bool], Job]) -> Iterator[tuple[Job, Job]]:
    """Run `once(False)` and `once(True)` in alternation; who comes first alternates too."""
    for pair in range(count):
        if pair % 2:
            with_ = once(True)
            yield once(False), with_
        else:
            without = once(False)
            yield without, once(True)
