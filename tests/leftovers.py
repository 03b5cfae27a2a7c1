"""Processes that a job leaves behind, found by a mark in their environment.

Launchers put ranks into sessions and groups of their own, so ending a launcher that hangs does not end its
ranks; polling on, they would slow down everything that comes after.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

MARK = "TEST_OF_RANKWISE"
_numbers = itertools.count()


def new_mark() -> str:
    """A value that no other job has."""
    return f"{os.getpid()}.{next(_numbers)}"


def end(mark: str) -> None:
    """Kills all processes with this mark, and waits until they are gone."""
    ends = time.monotonic() + 10
    while (left := list(_marked(mark))) and time.monotonic() < ends:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


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
