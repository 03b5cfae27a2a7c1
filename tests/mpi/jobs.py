"""Runs programs/faults.c, with and without Rankwise: jobs that go wrong after a known number of calls."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from libraries import Mpi
from recording import RANKWISE, Recording

import patience
from held_up import HeldUp
from rankwise.errors import RankwiseError
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.holders import find_counters

RANKS = 4
ROUNDS, BYTES = 10, 100
VICTIM = 2
LIMIT_SECONDS = 60
LAUNCHER_SECONDS = 20  # from the end of the last rank to that of its launcher


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def counters_now(run_directory: Path) -> list[Counters | RankwiseError]:
    """What has been counted by now, in the memory of this node above all: each process once."""
    return [outcome for holder in find_counters(run_directory).holders for outcome in holder.read()]


class LauncherHangs(HeldUp):
    """All ranks have ended and their launcher has not noticed.

    Open MPI 4.1's mpirun does so in about one of seven runs that SIGTERM ends, without Rankwise as well: it
    waits for a lock inside its signal handler. Such a run says nothing, so pytest tries the test again
    (pyproject.toml).
    """


class LauncherBreaks(HeldUp):
    """Intel's mpiexec was killed by SIGPIPE while its ranks were being ended.

    It does so in about one of 400 runs that abort on a busy machine, without Rankwise as well: it writes to a
    process that is gone.
    """


def check_launcher(mpi: Mpi, status: int) -> None:
    """Look at the exit status of a job, as a shell tells it.

    Raises:
        LauncherBreaks: it is that of the launcher's own end.
    """
    if mpi.vendor == "Intel" and status == 128 + signal.SIGPIPE:
        raise LauncherBreaks


class Job:
    """A command under way, and the processes that it has told of."""

    def __init__(self, words: list[str], environment: dict[str, str], directory: Path) -> None:
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=(directory / "stdout").open("w"),
            stderr=(directory / "stderr").open("w"),
            env=environment,
            cwd=directory,
            start_new_session=True,
        )
        self.directory = directory

    @property
    def stdout(self) -> str:
        return (self.directory / "stdout").read_text()

    @property
    def stderr(self) -> str:
        return (self.directory / "stderr").read_text()

    @property
    def ranks(self) -> list[int]:
        """Process ids."""
        return [int(line.split()[-1]) for line in self.stdout.splitlines() if line.startswith("ready ")]

    @property
    def launcher(self) -> int:
        """Process id of mpirun: the child of `rankwise run` that is not a fork of it."""
        pid = self.process.pid
        own = Path(f"/proc/{pid}/cmdline").read_bytes()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        [launcher] = [int(child) for child in children if Path(f"/proc/{child}/cmdline").read_bytes() != own]
        return launcher

    def wait_until_ready(self) -> None:
        def ready() -> bool:
            assert self.process.poll() is None, self.stderr
            return len(self.ranks) == RANKS

        patience.wait_until(ready, LIMIT_SECONDS, lambda: self.stderr)

    def wait_until_hanging(self) -> None:
        """Until each rank is inside the call that it will not leave, or at its end: its counters say so."""
        self.wait_until_ready()

        def hanging() -> bool:
            return sum(map(self._goes_no_further, self.counters())) == RANKS

        patience.wait_until(hanging, LIMIT_SECONDS, lambda: self.stderr)

    def counters(self) -> list[Counters]:
        """What its processes have counted by now, as far as it can be read."""
        outcomes = [outcome for path in self.directory.glob("*-run") for outcome in counters_now(path)]
        return [outcome for outcome in outcomes if isinstance(outcome, Counters)]

    @staticmethod
    def _goes_no_further(counters: Counters) -> bool:
        return counters.header.state == "finalized" or bool(counters.threads["inside_key"].any())

    def go_on(self) -> None:
        """Give the sign that faults("wait") waits for."""
        (self.directory / "go").touch()

    def wait(self) -> int:
        """Exit status as a shell tells it."""
        end = patience.end(LIMIT_SECONDS)
        ranks_ended = None
        while self.process.poll() is None:
            now = time.monotonic()
            if not self.ranks or any(_alive(pid) for pid in self.ranks):
                ranks_ended = None
            elif ranks_ended is None:
                ranks_ended = now
            elif now > ranks_ended + patience.limit(LAUNCHER_SECONDS):
                raise LauncherHangs(self.stderr)
            if now > end:
                raise subprocess.TimeoutExpired(self.process.args, LIMIT_SECONDS)
            time.sleep(0.05)
        code = self.process.returncode
        return 128 - code if code < 0 else code

    def wait_for_ranks(self) -> None:
        def ended() -> bool:
            return not any(_alive(pid) for pid in self.ranks)

        patience.wait_until(ended, LIMIT_SECONDS, lambda: f"{self.ranks} don't end")

    def clean_up(self) -> None:
        """End what is left of it."""
        left = [*self.ranks, *([self.process.pid] if self.process.poll() is None else [])]
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                if _alive(pid):
                    os.kill(pid, signal.SIGKILL)
        self.process.wait(timeout=LIMIT_SECONDS)


@dataclass
class Place:
    """Runs programs/faults.c in a directory of its own, with and without Rankwise."""

    mpi: Mpi
    program: Path
    directory: Path

    @property
    def profile(self) -> Path:
        return self.directory / "faults.rankwise"

    @property
    def run_directory(self) -> Path:
        return self.directory / "faults.rankwise-run"

    def rankwise(self, *words: str | Path) -> list[str]:
        return [str(RANKWISE), "run", "--quiet", "-o", str(self.profile), *map(str, words), "--"]

    @contextmanager
    def start(
        self,
        *arguments: str,
        under: list[str] | None = None,
        ranks: int = RANKS,
        words: list[str] | None = None,
    ) -> Iterator[Job]:
        """Starts the program, under Rankwise if nothing else is said; `words` are a whole other command."""
        prefix = self.rankwise() if under is None else under
        launch = [*prefix, *self.mpi.launch(ranks, self.program, *arguments)]
        job = Job(words or launch, self.mpi.env(), self.directory)
        try:
            yield job
        finally:
            job.clean_up()

    def recorded(self, job: Job) -> Recording:
        done = subprocess.CompletedProcess("", job.process.returncode, job.stdout, job.stderr)
        assert self.profile.exists(), job.stderr
        return Recording(done, self.profile)


def assert_known_calls(done: Recording, ranks: int = RANKS) -> None:
    everyone = range(ranks)
    assert done.calls("MPI_Send", "W") == dict.fromkeys(everyone, (ROUNDS, ROUNDS * BYTES, 0))
    received = done.calls("MPI_Irecv", "W")
    assert received == dict.fromkeys(everyone, (ROUNDS, 0, ROUNDS * BYTES))
    assert done.calls("MPI_Allreduce", "W") == dict.fromkeys(everyone, (ROUNDS, ROUNDS * 8, 0))
    assert done.messages() == {(r, (r + 1) % ranks): (ROUNDS, ROUNDS * BYTES) for r in everyone}


def partial(done: Recording) -> tuple[int, str, int | None]:
    """(partial, reason, exit status) of the profile."""
    [row] = done.rows("SELECT partial, partial_reason, exit_status FROM run")
    return row  # type: ignore[return-value]
