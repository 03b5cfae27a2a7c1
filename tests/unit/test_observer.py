"""Watching processes that are no children of ours: when they go, in which order, and how."""

from __future__ import annotations

import mmap
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from memory_synthetic import make_memory, name_of

from rankwise.launch.observer import Observer
from rankwise.launch.rundirectory import RunDirectory
from rankwise.launch.signal_origin import SignalOrigin
from rankwise.profile.collect.end_note import read_end_note

TELLS_HOW = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2]) >= (6, 15)

# A launcher with three processes that map their files, as the runtime does. It takes note of their ends.
LAUNCHER = """
import mmap, os, signal, socket, sys, time
for number in range(3):
    if os.fork() == 0:
        path = os.path.join(sys.argv[1], f"{socket.gethostname()}.{os.getpid()}.{number}a.counters")
        file = open(path, "wb+")
        file.truncate(4096)
        mapped = mmap.mmap(file.fileno(), 4096)
        os.write(1, b"%d\\n" % os.getpid())
        while True:
            signal.pause()
for _ in range(3):
    os.wait()
print("done", flush=True)
"""


@contextmanager
def ended(launcher: subprocess.Popen[str]) -> Iterator[None]:
    """End it and its processes, whatever becomes of the test."""
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(launcher.pid, signal.SIGKILL)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the processes of the run directory `tmp_path` count."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return make_memory(tmp_path, tmp_path)


def test_processes_that_go_one_after_the_other(tmp_path: Path, memory: Path) -> None:
    observer = Observer(tmp_path)
    # One of this name runs, but it has no such file.
    (memory / name_of(os.getpid(), "ff")).touch()
    (memory / "elsewhere.1.ff.counters").touch()
    observer.start()
    command = [sys.executable, "-c", LAUNCHER, str(memory)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as launcher,
        ended(launcher),
    ):
        assert launcher.stdout
        pids = [int(launcher.stdout.readline()) for _ in range(3)]
        end = time.monotonic() + 30
        while len(observer.watched) < 3:
            assert time.monotonic() < end
            time.sleep(0.02)
        before = time.monotonic_ns()
        # One after the other in an order of our own, and so fast that they may be seen together.
        for pid, signum in zip(reversed(pids), (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM), strict=True):
            os.kill(pid, signum)
            while Path(f"/proc/{pid}").exists():
                assert time.monotonic() < end
        assert launcher.stdout.readline() == "done\n"
    note = observer.note()
    after = time.monotonic_ns()
    seen = {int(name.split(".")[-3]): one for name, one in note.processes.items()}
    assert [seen[pid].order for pid in pids] == [3, 2, 1]
    instants = [before, *(seen[pid].gone_ns for pid in reversed(pids)), after]
    assert instants == sorted(instants)
    if TELLS_HOW:
        assert [seen[pid].wait_status & 0x7F for pid in pids] == [15, 9, 11]  # type: ignore[operator]
    directory = RunDirectory(tmp_path, ours=False)
    directory.note_end(note)
    assert read_end_note(tmp_path) == note


def test_nobody_to_watch(tmp_path: Path) -> None:
    observer = Observer(tmp_path / "missing")
    observer.start()
    assert observer.note().processes == {}


def test_the_end_waits_for_no_look(tmp_path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankwise.launch.observer._LOOK_S", 3600.0)
    monkeypatch.setattr("rankwise.launch.observer._ENDING_S", 20.0)
    path = memory / name_of(os.getpid())
    path.write_bytes(bytes(4096))
    observer = Observer(tmp_path)
    before = set(threading.enumerate())
    with path.open("rb") as file, mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_READ):
        observer.start()
        [watching] = set(threading.enumerate()) - before
        end = time.monotonic() + 30
        while not observer.watched:
            assert time.monotonic() < end
            time.sleep(0.02)
    observer.note()
    assert not watching.is_alive()


def test_a_signal_origin_that_is_stopped_holds_nobody_up() -> None:
    with SignalOrigin([signal.SIGUSR1]) as origin:
        os.kill(origin.pid, signal.SIGSTOP)
    with pytest.raises(ChildProcessError):
        os.waitpid(origin.pid, 0)
