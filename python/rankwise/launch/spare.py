"""Finds idle processors: preparations must not take a processor from a rank."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

_FIRST_LOOK_S = 2.0  # each further one after twice the time: a long job has few
_IDLE_SHARE = 0.95  # of the time between two looks; the kernel counts in hundredths of a second

_IDLE_FIELD = 4  # proc_stat(5): cpuN user nice system idle ...


class BesideIdleProcessor:
    """Does something once a processor that we may use had nothing to do for a while.

    Args:
        what: is to be done, once.
        first_look_s: the while, in seconds; twice as long each further time.

    Attributes:
        descriptor: none; see launch/job.py.
        due: when it is time for the next look.
    """

    descriptor: int | None = None

    def __init__(self, what: Callable[[], object], first_look_s: float = _FIRST_LOOK_S) -> None:
        self._what = what
        self._pause_s = first_look_s
        self._since = 0.0
        self._idle: dict[int, float] = {}
        self.due: float | None = None

    def start(self) -> None:
        """Begin the first while."""
        self._idle = idle_seconds()
        self._since = time.monotonic()
        self.due = self._since + self._pause_s

    def step(self) -> None:
        """Do it, or begin a longer while."""
        if spare(self._idle, idle_seconds(), time.monotonic() - self._since):
            self.due = None
            self._what()
        else:
            self._pause_s *= 2
            self.start()


def spare(before: Mapping[int, float], now: Mapping[int, float], seconds: float) -> bool:
    """Return whether one of the processors was idle between two looks.

    Args:
        before: seconds that each processor was idle until the first one.
        now: until the second.
        seconds: between them.
    """
    return any(now[cpu] - idle >= _IDLE_SHARE * seconds for cpu, idle in before.items() if cpu in now)


def idle_seconds() -> dict[int, float]:
    """Return how long each processor that we may use has been idle since the start; {} = not known."""
    ours = os.sched_getaffinity(0)
    ticks = os.sysconf("SC_CLK_TCK")
    idle = {}
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/stat").read_text().splitlines():
            words = line.split()
            name = words[0].removeprefix("cpu")
            if name.isdecimal() and int(name) in ours:
                idle[int(name)] = int(words[_IDLE_FIELD]) / ticks
    return idle
