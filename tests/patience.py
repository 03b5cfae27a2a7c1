"""Time limits that follow the load: on a busy machine, what is well takes longer.

Limits are written for a machine with two processes for each core, and stretched where there are more: those
of processes that tests start, those of waiting loops, and that of each try of a test. A limit of less than
ten seconds is what a test is about, and stays.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

_SHORTEST_SECONDS = 10.0
_USUAL, _MOST = 2.0, 5.0  # processes for each core; times as long


def limit(seconds: float) -> float:
    """Return how long to wait now for what may take some seconds."""
    if seconds < _SHORTEST_SECONDS:
        return seconds
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return seconds * min(max(1.0, load / _USUAL), _MOST)


def end(seconds: float) -> float:
    """Return the instant, by `time.monotonic`, until which to wait from now on."""
    return time.monotonic() + limit(seconds)


def wait_until(condition: Callable[[], object], seconds: float, said: Callable[[], object] = str) -> None:
    """Look until a condition holds.

    Raises:
        TimeoutError: it took too long; with what was said meanwhile.
    """
    ends = end(seconds)
    while not condition():
        if time.monotonic() > ends:
            raise TimeoutError(said())
        time.sleep(0.05)
