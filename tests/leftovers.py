"""What a job leaves behind: processes, found by a mark in their environment, and counters in memory.

Launchers put ranks into sessions and groups of their own, so ending a launcher that hangs does not end its
ranks; polling on, they would slow down everything that comes after. Counters stay in the memory of the node
where a test kills all who might remove them.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rankwise.profile.collect import node_memory
from rankwise.profile.collect.control import read_control

MARK = "TEST_OF_RANKWISE"
_PATIENCE_S = 10
_STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")
_STARTED: list[str] = []  # an event for each process that was started
_before: dict[str, int] = {}  # how many were, when a mark was made
_numbers = itertools.count()


def _audit(event: str, _: object) -> None:
    if event in _STARTS:
        _STARTED.append(event)


sys.addaudithook(_audit)


def new_mark() -> str:
    """A value that no other job has."""
    mark = f"{os.getpid()}.{next(_numbers)}"
    _before[mark] = len(_STARTED)
    return mark


def end(mark: str) -> None:
    """Kills all processes with this mark, and waits until they are gone.

    Looking at all processes of the machine takes longer than most tests, and most start none.
    """
    if len(_STARTED) == _before[mark]:
        return
    ends = time.monotonic() + _PATIENCE_S
    while (left := list(_marked(mark))) and time.monotonic() < ends:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def forget(below: Path) -> None:
    """Removes the counters in memory of all runs below a directory; a keeper that lives may do so first."""
    ends = time.monotonic() + _PATIENCE_S
    for memory in node_memory.of_user():
        control = read_control(memory.path / "control")
        if control is None or not control.run_directory.is_relative_to(below):
            continue
        while memory.is_kept() and time.monotonic() < ends:
            time.sleep(0.05)
        if memory.is_kept():
            with contextlib.suppress(ProcessLookupError):
                os.kill(control.keeper, signal.SIGKILL)
        shutil.rmtree(memory.path, ignore_errors=True)


def _marked(mark: str) -> Iterator[int]:
    """Processes with this mark, zombies aside: these have no environment any more."""
    entry = f"{MARK}={mark}".encode()
    for directory in Path("/proc").iterdir():
        if not directory.name.isdigit() or int(directory.name) == os.getpid():
            continue
        try:
            if entry in (directory / "environ").read_bytes().split(b"\0"):
                yield int(directory.name)
        except OSError:
            continue
