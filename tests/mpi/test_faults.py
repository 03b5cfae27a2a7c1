"""Jobs that go wrong: the profile is written all the same, and the program's own end is not changed.

programs/faults.c makes a known number of calls before anything happens; these are counted exactly every time.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from libraries import Mpi
from recording import RANKWISE, Compile, Recording

from rankwise._files import installed
from rankwise.profile.counters import read_counters

RANKS = 4
ROUNDS, BYTES = 10, 100
VICTIM = 2
LIMIT_SECONDS = 60


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


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
        end = time.monotonic() + LIMIT_SECONDS
        while len(self.ranks) < RANKS:
            assert self.process.poll() is None, self.stderr
            assert time.monotonic() < end, self.stderr
            time.sleep(0.05)

    def wait_until_hanging(self) -> None:
        """Until each rank is inside the call that it will not leave, as its own counters say."""
        self.wait_until_ready()
        end = time.monotonic() + LIMIT_SECONDS
        while sum(self._is_inside(path) for path in self.directory.glob("*-run/*.counters")) < RANKS:
            assert time.monotonic() < end, self.stderr
            time.sleep(0.05)

    @staticmethod
    def _is_inside(counters: Path) -> bool:
        return bool(read_counters(counters).threads["inside_key"].any())

    def wait(self) -> int:
        """Exit status as a shell tells it."""
        code = self.process.wait(timeout=LIMIT_SECONDS)
        return 128 - code if code < 0 else code

    def wait_for_ranks(self) -> None:
        end = time.monotonic() + LIMIT_SECONDS
        while any(_alive(pid) for pid in self.ranks):
            assert time.monotonic() < end, f"{self.ranks} don't end"
            time.sleep(0.05)

    def clean_up(self) -> None:
        """End what is left of it."""
        left = [*self.ranks, *([self.process.pid] if self.process.poll() is None else [])]
        for pid in left:
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
    def start(self, *arguments: str, under: list[str] | None = None) -> Iterator[Job]:
        """Starts the program; under Rankwise if nothing else is said."""
        prefix = self.rankwise() if under is None else under
        job = Job(
            [*prefix, *self.mpi.launch(RANKS, self.program, *arguments)], self.mpi.env(), self.directory
        )
        try:
            yield job
        finally:
            job.clean_up()

    def recorded(self, job: Job) -> Recording:
        done = subprocess.CompletedProcess("", job.process.returncode, job.stdout, job.stderr)
        assert self.profile.exists(), job.stderr
        return Recording(done, self.profile)


@pytest.fixture
def place(mpi: Mpi, compiled: Compile, tmp_path: Path) -> Place:
    return Place(mpi, compiled(mpi, "faults.c"), tmp_path)


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


REASONS = {
    "abort": [f"rank {VICTIM} ", "called MPI_Abort(7)"],
    "kill": [f"rank {VICTIM} ", "outside of MPI calls"],
    "segfault": [f"rank {VICTIM} ", "outside of MPI calls"],
    "exit": [f"rank {VICTIM} ", "outside of MPI calls"],
}


def ends_without_rankwise(place: Place, what: str, status: int) -> bool:
    """Whether a run without Rankwise has that exit status.

    MPICH's mpirun tells either the status of the rank that ended first or that of those it killed, by chance:
    several tries.
    """
    for _ in range(15):
        with place.start(what, str(VICTIM), under=[]) as plain:
            if plain.wait() == status:
                return True
    return False


@pytest.mark.parametrize("what", sorted(REASONS))
def test_one_rank_goes_wrong(place: Place, what: str) -> None:
    with place.start(what, str(VICTIM)) as job:
        ended = job.wait()
        done = place.recorded(job)
    assert ended != 0
    assert ends_without_rankwise(place, what, ended), job.stderr
    is_partial, reason, status = partial(done)
    assert is_partial == 1
    assert [part for part in REASONS[what] if part not in reason] == [], reason
    assert status == ended
    assert_known_calls(done)
    assert done.dropped == {}
    assert done.rows("SELECT ranks_seen, ranks_expected FROM run") == [(RANKS, RANKS)]
    codes = dict(done.rows("SELECT rank, abort_code FROM ranks WHERE abort_code IS NOT NULL"))
    assert codes == ({VICTIM: 7} if what == "abort" else {})
    assert not place.run_directory.exists()


@pytest.mark.parametrize("to_group", [False, True], ids=["alone", "group"])
@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_hanging_job_is_ended(place: Place, signum: signal.Signals, to_group: bool) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        (os.killpg if to_group else os.kill)(job.process.pid, signum)
        status = job.wait()
        done = place.recorded(job)
    # hydra by itself ends with 0 now and then when the whole group gets the signal.
    assert status != 0 or place.mpi.family != "openmpi"
    is_partial, reason, recorded_status = partial(done)
    assert (is_partial, recorded_status) == (1, status)
    for part in (f"{signum.name} ended the launch", f"rank {VICTIM} ", "inside MPI_Recv on W"):
        assert part in reason
    assert_known_calls(done)
    inside = dict(done.rows("SELECT rank, inside FROM ranks"))
    assert inside == {rank: "MPI_Recv" if rank == VICTIM else "MPI_Barrier" for rank in range(RANKS)}


def test_mpirun_is_killed(place: Place) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        os.kill(job.launcher, signal.SIGKILL)
        assert job.wait() == 128 + signal.SIGKILL
        done = place.recorded(job)
    is_partial, reason, status = partial(done)
    assert (is_partial, status) == (1, 128 + signal.SIGKILL)
    for part in ("was killed by SIGKILL", f"rank {VICTIM} ", "inside MPI_Recv on W"):
        assert part in reason
    assert_known_calls(done)


def recover(place: Place, *options: str) -> subprocess.CompletedProcess[str]:
    words = [str(RANKWISE), "recover", str(place.run_directory), *options]
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS, cwd=place.directory)


def test_rankwise_is_killed_and_the_job_goes_on(place: Place) -> None:
    with place.start("sleep", "4") as job:
        job.wait_until_ready()
        os.kill(job.process.pid, signal.SIGKILL)
        job.process.wait(timeout=LIMIT_SECONDS)
        early = place.directory / "early.rankwise"
        assert recover(place, "-o", str(early)).returncode == 0
        job.wait_for_ranks()
        late = recover(place)
        done = place.recorded(job)
    at_once = Recording(late, early)
    assert partial(at_once)[0] == 1
    assert_known_calls(at_once)
    assert late.returncode == 0
    assert str(place.profile) in late.stdout
    assert partial(done) == (0, "", None)
    assert_known_calls(done)
    assert job.stdout.count("is done\n") == RANKS


def test_rankwise_and_the_job_are_killed(place: Place) -> None:
    with place.start("hang", str(VICTIM)) as job:
        job.wait_until_hanging()
        launcher = job.launcher
        os.kill(job.process.pid, signal.SIGKILL)
        job.process.wait(timeout=LIMIT_SECONDS)
        os.kill(launcher, signal.SIGTERM)
        job.wait_for_ranks()
        late = recover(place)
        assert late.returncode == 0, late.stderr
        done = place.recorded(job)
    is_partial, reason, status = partial(done)
    assert (is_partial, status) == (1, None)
    assert f"rank {VICTIM} " in reason
    assert "inside MPI_Recv on W" in reason
    assert_known_calls(done)


# --- Nowhere to write ---------------------------------------------------------------------------------------


def preloaded(place: Place, run_directory: Path) -> dict[str, str]:
    """The environment that `rankwise run` makes, for a run directory that it would refuse.

    (It looks before the launch; a directory can be missing on another node all the same.)
    """
    return {
        **place.mpi.env(),
        "LD_PRELOAD": str(installed("lib/librankwise.so")),
        "RANKWISE_DIR": str(run_directory),
    }


def run_with(place: Place, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    words = place.mpi.launch(RANKS, place.program, *arguments)
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=environment)


def assert_lives_with_one_line(place: Place, environment: dict[str, str], run_directory: Path) -> None:
    plain = run_with(place, place.mpi.env())
    done = run_with(place, environment)
    assert (done.returncode, plain.returncode) == (0, 0), done.stderr
    assert sorted(done.stdout.splitlines()) == sorted(plain.stdout.splitlines())
    said = [line for line in done.stderr.splitlines() if "rankwise" in line.lower()]
    assert len(said) == 1, done.stderr
    assert str(run_directory) in said[0]


@pytest.mark.parametrize("what", ["missing", "below a file"])
def test_run_directory_cannot_be_written(place: Place, what: str) -> None:
    (place.directory / "file").write_text("")
    run_directory = place.directory / ("missing" if what == "missing" else "file") / "run"
    assert_lives_with_one_line(place, preloaded(place, run_directory), run_directory)


def test_run_directory_is_refused_before_the_launch(place: Place) -> None:
    (place.directory / "file").write_text("")
    below = place.directory / "file" / "run"
    with place.start(under=place.rankwise("--live-dir", below)) as job:
        assert job.wait() == 2
        assert job.stdout == ""
        assert job.stderr.count("\n") == 1
        assert str(below) in job.stderr


@contextmanager
def small_disk(directory: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of its own, which only root can mount."""
    disk = directory / "disk"
    disk.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=700", "rankwise-test", str(disk)]
    try:
        mounted = subprocess.run(words, capture_output=True, text=True, timeout=30)
    except FileNotFoundError:
        pytest.skip("no mount command")
    if mounted.returncode != 0:
        pytest.skip(f"a small file system can't be mounted: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True, timeout=30)


def test_no_room_from_the_start(place: Place) -> None:
    with small_disk(place.directory, 24) as disk:
        assert_lives_with_one_line(place, preloaded(place, disk), disk)
        assert list(disk.iterdir()) == []


def test_room_for_some_ranks_only(place: Place) -> None:
    # launch.json takes a page, and each counters file 36 KiB or more.
    with (
        small_disk(place.directory, 100) as disk,
        place.start(under=place.rankwise("--live-dir", disk / "run")) as job,
    ):
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
        assert job.stdout.count("is done\n") == RANKS
    is_partial, reason, status = partial(done)
    assert (is_partial, status) == (1, 0)
    assert f"2 of {RANKS} ranks left no counters" in reason
    assert done.rows("SELECT ranks_seen, ranks_expected FROM run") == [(2, RANKS)]


def test_disk_full_during_the_run(place: Place) -> None:
    communicators = 400
    with (
        small_disk(place.directory, RANKS * 64) as disk,
        place.start("rows", str(communicators), under=place.rankwise("--live-dir", disk / "run")) as job,
    ):
        assert job.wait() == 0, job.stderr
        done = place.recorded(job)
        assert job.stdout.count("is done\n") == RANKS
    assert partial(done)[0] == 0
    # The rows that there was room for and the "other" rows together hold every call.
    assert_known_calls(done)
    assert sum(calls for calls, _, _ in done.calls("MPI_Comm_dup").values()) == RANKS * communicators
    broadcasts, dropped = done.calls("MPI_Bcast"), done.dropped
    lost = dropped.get("thread_calls", 0)
    assert sum(calls for calls, _, _ in broadcasts.values()) + lost == RANKS * communicators * 13
    assert dropped.get("call_rows", 0) + dropped.get("communicators", 0) > 0
    with sqlite3.connect(f"file:{done.path}?mode=ro", uri=True) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
