"""Building calls.c and running it: one job, or jobs in pairs without and with the library."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from errors import BenchError
from mpis import Mpi, environment

_SOURCE = Path(__file__).with_name("calls.c")


def build(mpi: Mpi, directory: Path) -> Path:
    """Compile calls.c."""
    program = directory / "calls"
    command = [mpi.compiler, "-O2", "-Wall", "-Wextra", "-std=c11", "-o", str(program), str(_SOURCE)]
    answer = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
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


def _output(command: list[str], timeout: float) -> str:
    """Run a job to its end and return what it printed."""
    shown = " ".join(command)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(),
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
    if process.returncode != 0:
        raise BenchError(f"exit status {process.returncode}: {shown}\n{output.strip()}")
    return output


def run(mpi: Mpi, program: Path, ranks: int, mode: str, library: Path | None, timeout: float) -> Job:
    """Run calls.c once, with `library` preloaded into the ranks (not into the launcher) if there is one."""
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        directory = Path(name)
        records = directory / "records"
        counters = directory / "counters"
        counters.mkdir(mode=0o700)
        variables = {} if library is None else {"LD_PRELOAD": str(library), "RANKWISE_DIR": str(counters)}
        command = [*mpi.launch(ranks, variables), str(program), str(records), mode]

        start = time.monotonic()
        output = _output(command, timeout)
        seconds = time.monotonic() - start
        if "cannot be preloaded" in output:
            raise BenchError(f"{library} can't be preloaded: {output.strip().splitlines()[0]}")
        files = [records.with_name(f"{records.name}.{rank}") for rank in range(ranks)]
        missing = [file.name for file in files if not file.is_file()]
        if missing:
            raise BenchError(f"no {missing[0]} came from {' '.join(command)}\n{output.strip()}")
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
