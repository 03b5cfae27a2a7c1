"""Watching processes that are no children of ours: when they go, in which order, and how."""

from __future__ import annotations

import errno
import os
import platform
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from memory_synthetic import make_memory, name_of

from rankwise._linux import News
from rankwise.launch.observer import Observer
from rankwise.launch.rundirectory import RunDirectory
from rankwise.launch.signal_origin import SignalOrigin
from rankwise.profile.collect.end_note import Seen, read_end_note

TELLS_HOW = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2]) >= (6, 15)

# A launcher with three processes that map their files, as the runtime does. It takes note of their ends.
LAUNCHER = """
import mmap, os, signal, socket, sys, time
for number in range(3):
    if os.fork() == 0:
        path = os.path.join(sys.argv[1], f"{socket.gethostname()}.{os.getpid()}.{time.time_ns():x}.counters")
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


def now() -> str:
    """Of a process that begins: the part of the name of its counters that tells when they were made."""
    return f"{time.time_ns():x}"


def steps_until(observer: Observer, reached: Callable[[], bool]) -> None:
    """Let it do what it does in a job: nothing, until its file is readable."""
    end = time.monotonic() + 30
    while not reached():
        assert time.monotonic() < end
        assert observer.descriptor is not None
        due = 0.2 if observer.due is None else max(observer.due - time.monotonic(), 0)
        if select.select([observer.descriptor], [], [], due)[0] or observer.due is not None:
            observer.step()


@pytest.mark.parametrize("has_news", [True, False], ids=["news", "no news"])
def test_processes_that_go_one_after_the_other(
    tmp_path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch, has_news: bool
) -> None:
    if not has_news:
        monkeypatch.setattr("rankwise.launch.observer.News", no_more_files)
        monkeypatch.setattr("rankwise.launch.observer._FIRST_LOOK_S", 0.05)
    observer = Observer(tmp_path)
    observer.start()
    (memory / "elsewhere.1.ff.counters").touch()
    (memory / name_of(os.getpid(), "ff")).touch()  # one of this number runs, but it began later
    command = [sys.executable, "-c", LAUNCHER, str(memory)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as launcher,
        ended(launcher),
    ):
        assert launcher.stdout
        pids = [int(launcher.stdout.readline()) for _ in range(3)]
        steps_until(observer, lambda: len(observer.watched) == 3)
        end = time.monotonic() + 30
        before = time.monotonic_ns()
        # One after the other in an order of our own, and so fast that they may be seen together.
        for pid, signum in zip(reversed(pids), (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM), strict=True):
            os.kill(pid, signum)
            while Path(f"/proc/{pid}").exists():
                assert time.monotonic() < end
        assert launcher.stdout.readline() == "done\n"
    note = observer.note()
    after = time.monotonic_ns()
    seen = {int(name.split(".")[-3]): process for name, process in note.processes.items()}
    assert [seen[pid].order for pid in pids] == [3, 2, 1]
    instants = [before, *(seen[pid].gone_ns for pid in reversed(pids)), after]
    assert instants == sorted(instants)
    if TELLS_HOW:
        assert [seen[pid].wait_status & 0x7F for pid in pids] == [15, 9, 11]  # type: ignore[operator]
    directory = RunDirectory(tmp_path, ours=False)
    directory.note_end(note)
    assert read_end_note(tmp_path) == note


def no_more_files() -> News:
    raise OSError(errno.EMFILE, "")


def test_nobody_to_watch(tmp_path: Path) -> None:
    observer = Observer(tmp_path / "missing")
    observer.start()
    assert observer.note().processes == {}


def test_memory_that_appears_while_others_come_and_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once that of the job is found, what others make beside it is no reason to wake."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    job = tmp_path / "job"
    observer = Observer(job)
    observer.start()
    other = make_memory(tmp_path, tmp_path / "other")
    (other / name_of(os.getpid(), now())).touch()
    (tmp_path / "something").touch()
    observer.step()
    assert not observer.watched
    other.rename(tmp_path / "away")
    memory = make_memory(tmp_path, job)
    counters = memory / name_of(os.getpid(), now())
    counters.touch()
    steps_until(observer, lambda: bool(observer.watched))
    assert observer.watched == (counters.name,)
    observer.step()
    (tmp_path / "more").touch()
    assert observer.descriptor is not None
    assert not select.select([observer.descriptor], [], [], 0)[0]
    assert observer.due is None
    # The next program of a script has memory of its own, in the same place.
    shutil.rmtree(memory)
    steps_until(observer, lambda: not select.select([observer.descriptor], [], [], 0)[0])  # type: ignore[list-item]
    memory = make_memory(tmp_path, job)
    (memory / name_of(os.getpid(), now())).touch()
    steps_until(observer, lambda: len(observer.watched) == 2)
    [first, second] = observer.note().processes.values()
    assert first == second == Seen()


def test_a_signal_origin_that_is_stopped_holds_nobody_up() -> None:
    with SignalOrigin([signal.SIGUSR1]) as origin:
        os.kill(origin.pid, signal.SIGSTOP)
    with pytest.raises(ChildProcessError):
        os.waitpid(origin.pid, 0)
