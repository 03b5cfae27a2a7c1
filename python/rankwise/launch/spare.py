"""Whether a processor has nothing to do: what is only prepared must take none from a rank."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Event

_FIRST_LOOK_S = 1.0  # each further one after twice the time
_IDLE_SHARE = 0.95  # of the time between two looks; the kernel counts in hundredths of a second

_IDLE_FIELD = 4  # proc_stat(5): cpuN user nice system idle ...


def wait_for_spare(ended: Event, first_look_s: float = _FIRST_LOOK_S) -> bool:
    """Wait until a processor that we may use had nothing to do for a while.

    Args:
        ended: is set when the command has ended.
        first_look_s: the while, in seconds; twice as long each further time.

    Returns:
        False if the command ended before.
    """
    seconds = first_look_s
    start, before = time.monotonic(), idle_seconds()
    while not ended.wait(seconds):
        now = idle_seconds()
        if spare(before, now, time.monotonic() - start):
            return True
        start, before = time.monotonic(), now
        seconds *= 2
    return False


def spare(before: Mapping[int, float], now: Mapping[int, float], seconds: float) -> bool:
    """Tell whether one of the processors was idle between two looks.

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
    found = {}
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/stat").read_text().splitlines():
            words = line.split()
            name = words[0].removeprefix("cpu")
            if name.isdecimal() and int(name) in ours:
                found[int(name)] = int(words[_IDLE_FIELD]) / ticks
    return found
