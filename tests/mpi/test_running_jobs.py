"""`rankwise top` on jobs that run and on jobs that hang."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import libraries
import pytest
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE, Compile

import patience
from exhaustive import few
from golden import assert_complaint
from rankwise.profile.collect import node_memory

RANKS = 4


mpi = libraries.in_turn([library for library in libraries.ONE_OF_EACH if library.family != "mpiabi"])


class Job:
    """A program that runs until it is given a sign."""

    def __init__(
        self, mpi: Mpi, program: Path, place: Path, *options: str, stderr: int | None = None
    ) -> None:
        self.place = place
        self.directory = place / "job.rankwise-run"
        self.sign = place / "sign"
        words = [RANKWISE, "run", "-q", *options, "-o", place / "job.rankwise", "--"]
        self.process = subprocess.Popen(
            [*map(str, words), *mpi.launch(RANKS, program, self.sign)],
            env={**mpi.env(), "TERM": "xterm", "COLUMNS": "80"},
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=(place / "stdout").open("w"),
            stderr=stderr or (place / "stderr").open("w"),
        )

    def top(self, *words: str) -> dict[str, Any]:
        done = subprocess.run(
            [str(RANKWISE), "top", "--once", "--json", *words, str(self.directory)],
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        return json.loads(done.stdout) if done.returncode == 0 else {"refused": done.stderr}

    def wait_for(self, *places: tuple[str, str | None, str | None, str, str]) -> dict[str, Any]:
        """Look until the ranks are in these places: (state, procedure, communicator, ranks, missing)."""
        end = patience.end(LIMIT_SECONDS)
        while True:
            answer = self.top("--every", "0.2")
            keys = ("state", "procedure", "communicator", "ranks", "missing")
            seen = [
                tuple(row[key] for key in keys) for row in answer.get("worlds", [{"places": []}])[0]["places"]
            ]
            if sorted(seen, key=str) == sorted(places, key=str):
                return answer
            assert time.monotonic() < end, answer
            assert self.process.poll() is None, (self.place / "stderr").read_text()

    def finish(self) -> None:
        self.sign.touch()
        assert self.process.wait(timeout=LIMIT_SECONDS) == 0


@contextmanager
def view(job: Job, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The view of a job, started beside it."""
    command = [str(RANKWISE), "top", *words, str(job.directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        yield process


def state(directory: Path) -> dict[str, str]:
    """What is in a run directory, but for what the keeper saves, and in the memory of this node."""
    noted = [path for path in directory.iterdir() if ".node" not in path.suffixes]
    counted = [path for memory in node_memory.of_run(directory) for path in memory.counters()]
    assert len(counted) == RANKS
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in [*noted, *counted]}


def test_a_job_that_hangs(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    job = Job(mpi, compiled(mpi, "hangs.c"), tmp_path)
    started = time.time()
    places = [
        ("inside", "MPI_Barrier", "W_s1.0", "0-1", "2"),
        ("outside", None, None, "2", ""),
        ("inside", "MPI_Recv", "W", "3", ""),
    ]
    first = job.wait_for(*places)
    before = state(job.directory)
    time.sleep(1)
    later = job.wait_for(*places)
    # All ranks wait, so what has changed would be our doing.
    assert state(job.directory) == before
    for rank, (then, now) in enumerate(
        zip(first["worlds"][0]["ranks"], later["worlds"][0]["ranks"], strict=True)
    ):
        assert now["since"] == then["since"], rank
        assert 1 <= now["seconds"] <= time.time() - started
        assert now["percent_in_mpi"] == pytest.approx(0.0 if rank == 2 else 100.0, abs=1e-6)
        whom = (now["source"], now["source_tag"], now["destination"], now["destination_tag"])
        assert whom == ((0, 7, None, None) if rank == 3 else (None,) * 4)
    [world] = later["worlds"]
    assert world["slowest"][0] == 2
    assert 1 <= world["quiet_seconds"] <= time.time() - started
    assert world["percent_in_mpi"] == pytest.approx(75.0, abs=5)
    assert world["calls_per_second"] == 0.0
    with view(job, "--every", "0.2") as watching:
        assert watching.stdout is not None
        shown = watching.stdout.readline()
        job.finish()
        shown += watching.stdout.read()
    assert watching.wait() == 0
    assert "MPI_Barrier on W_s1.0" in shown
    assert "MPI_Recv on W from 0, tag 7" in shown
    assert "  ended\n" in shown
    assert not job.directory.exists()


def test_a_job_that_runs(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    job = Job(mpi, compiled(mpi, "busy.c"), tmp_path)
    end = patience.end(LIMIT_SECONDS)
    while "refused" in (answer := job.top("--every", "1")) or answer["worlds"][0]["wall_seconds"] < 3:
        assert time.monotonic() < end
    [world] = answer["worlds"]
    assert world["ranks_seen"] == RANKS
    calls = {row["name"]: row for row in world["calls"]}
    exchange, reduce = calls["MPI_Sendrecv"], calls["MPI_Allreduce"]
    assert exchange["calls_per_second"] > 0
    assert exchange["calls_per_second"] == pytest.approx(reduce["calls_per_second"], rel=0.5)
    # Every call of the one sends 1000 bytes, of the other 4.
    assert exchange["bytes_sent_per_second"] == pytest.approx(1000 * exchange["calls_per_second"])
    assert reduce["bytes_sent_per_second"] == pytest.approx(4 * reduce["calls_per_second"])
    traffic = {row["kind"]: row for row in world["traffic"]}["point-to-point"]
    assert traffic["bytes_per_second"] == pytest.approx(1000 * traffic["messages_per_second"])
    ring = {
        (pair["source"], pair["destination"]) for pair in world["pairs"] if pair["kind"] == "point-to-point"
    }
    assert ring == {(rank, (rank + 1) % RANKS) for rank in range(RANKS)}
    assert world["slowest"][0] == 1
    assert 0 < world["percent_in_mpi"] <= 100.0
    assert world["communicators"][0]["name"] == "W"
    job.finish()


class Screen:
    """A terminal that a job is started on."""

    def __init__(self) -> None:
        self._ours, self.terminal = pty.openpty()
        self.shown = b""

    def read_until(self, text: bytes) -> None:
        while text not in self.shown:
            self.shown += os.read(self._ours, 1 << 16)

    def read_to_the_end(self) -> None:
        with contextlib.suppress(OSError):  # when nobody else has it any more
            while True:
                self.shown += os.read(self._ours, 1 << 16)
        os.close(self._ours)


@pytest.mark.parametrize("killed", few([True, False], 1))
def test_a_view_beside_the_job(compiled: Compile, tmp_path: Path, killed: bool) -> None:
    mpi = libraries.ONE_OF_EACH[0]
    screen = Screen()
    job = Job(mpi, compiled(mpi, "hangs.c"), tmp_path, "--top", stderr=screen.terminal)
    os.close(screen.terminal)
    screen.read_until(b"MPI_Barrier on W_s1.0")
    assert b"\x1b[?1049h" in screen.shown  # the second screen
    if killed:
        os.kill(view_of(job), signal.SIGKILL)
    job.sign.touch()
    screen.read_to_the_end()
    assert job.process.wait(timeout=LIMIT_SECONDS) == 0
    first_screen = screen.shown.rpartition(b"\x1b[?1049l")[2]
    assert (b"ended" in first_screen) is not killed
    # What the program says there is not lost. (To stdout it says nothing.)
    assert b"late no more" in first_screen
    assert (tmp_path / "stdout").read_text() == ""
    assert not job.directory.exists()


def view_of(job: Job) -> int:
    """Process id of the view: the first fork of `rankwise run`."""
    pid = job.process.pid
    own = Path(f"/proc/{pid}/cmdline").read_bytes()
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return min(int(child) for child in children if Path(f"/proc/{child}/cmdline").read_bytes() == own)


def test_no_room_for_a_view(compiled: Compile, tmp_path: Path) -> None:
    mpi = libraries.ONE_OF_EACH[0]
    job = Job(mpi, compiled(mpi, "hangs.c"), tmp_path, "--top")
    job.finish()
    said = (tmp_path / "stderr").read_text().replace("late no more\n", "")
    assert_complaint(said, f"--top .. rankwise top {job.directory}")
