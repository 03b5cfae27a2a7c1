"""Time limits that follow the load: on a busy machine, what is well takes longer.

Limits are written for a machine with two processes for each core, and stretched where there are more: those
of processes that tests start, those of waiting loops, and that of each try of a test. A limit of less than
ten seconds is what a test is about, and stays.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest
import pytest_timeout

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


class _Patient(subprocess.Popen[Any]):
    """A process whose time limits follow the load."""

    def wait(self, timeout: float | None = None) -> int:
        return super().wait(timeout and limit(timeout))

    def communicate(self, input: Any = None, timeout: float | None = None) -> tuple[Any, Any]:  # noqa: A002
        return super().communicate(input, timeout and limit(timeout))


def pytest_configure() -> None:
    subprocess.Popen = _Patient  # type: ignore[misc]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start the time of each try anew: by itself, pytest-timeout watches over the first one only."""
    mark = item.get_closest_marker("timeout")
    seconds = mark.args[0] if mark else item.config.getini("timeout")
    if seconds:
        item.ihook.pytest_timeout_cancel_timer(item=item)
        settings = pytest_timeout.Settings(limit(float(seconds)), "signal", False, False)
        item.ihook.pytest_timeout_set_timer(item=item, settings=settings)
