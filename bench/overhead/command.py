"""What `rankwise run` adds before and after the program, and the preloaded library to any process."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from common.jobs import Job, read_records, run_to_end
from common.mpis import Mpi

_RANKWISE = Path(sys.executable).with_name("rankwise")


@dataclass(frozen=True)
class CommandRunner:
    """Starts the program directly: a launcher's own start would only add noise."""

    program: Path
    timeout: float
    options: tuple[str, ...] = ()  # of `rankwise run`

    def run(self, with_: bool) -> Job:
        """Run the program once, under `rankwise run` or alone."""
        with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
            records = Path(name) / "records"
            wrapper = [
                str(_RANKWISE),
                "run",
                *self.options,
                "-o",
                f"{name}/job.rankwise",
                "--",
            ]
            command = [*(wrapper if with_ else []), str(self.program), str(records)]
            start, cpu = time.monotonic(), _cpu_seconds()
            output, end = run_to_end(command, self.timeout)
            job = Job(read_records(records, 1, command, output), end - start, with_)
            job.extra["cpu_s"] = _cpu_seconds() - cpu
            job.extra["before_ms"] = (job.worst("first_s", None, "first_s") - start) * 1e3
            job.extra["after_ms"] = (end - job.worst("last_s", None, "last_s")) * 1e3
            return job


def _cpu_seconds() -> float:
    """Return the CPU time of all processes that were waited for, without those left behind."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class LaunchRunner:
    """Starts ranks by their launcher, with or without `rankwise run` before it."""

    mpi: Mpi
    program: Path
    ranks: int
    timeout: float
    arguments: tuple[str, ...] = ()

    def run(self, with_: bool) -> Job:
        """Run it once, under `rankwise run` or alone."""
        with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
            records = Path(name) / "records"
            wrapper = [str(_RANKWISE), "run", "-q", "-o", f"{name}/job.rankwise", "--"] if with_ else []
            command = [*wrapper, *self.mpi.launch(self.ranks, {}), str(self.program), str(records)]
            command += self.arguments
            start = time.monotonic()
            output, end = run_to_end(command, self.timeout)
            return Job(read_records(records, self.ranks, command, output), end - start, True)


@dataclass(frozen=True)
class StartRunner:
    """Starts a program that has nothing to do with MPI many times, from a shell."""

    library: Path
    timeout: float
    starts: int = 200

    def run(self, with_: bool) -> Job:
        """Run it with the library in front of all these processes, or without."""
        with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as directory:
            preload = ["env", f"LD_PRELOAD={self.library}", f"RANKWISE_DIR={directory}"]
            script = f"i=0; while [ $i -lt {self.starts} ]; do /bin/true; i=$((i+1)); done"
            start = time.monotonic()
            _, end = run_to_end([*(preload if with_ else []), "sh", "-c", script], self.timeout)
            job = Job([], end - start, True)
            job.extra["start_us"] = (end - start) / self.starts * 1e6
            return job


def warm_up(runner: CommandRunner) -> None:
    """Run both once: files that were never read come from the disk."""
    runner.run(False)
    runner.run(True)
    os.sync()
