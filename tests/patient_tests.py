"""Time limits of tests, and of processes that they start, follow the load: see patience.py."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
import pytest_timeout

import patience


class _Patient(subprocess.Popen[Any]):
    """A process whose time limits follow the load."""

    def wait(self, timeout: float | None = None) -> int:
        return super().wait(timeout and patience.limit(timeout))

    def communicate(self, input: Any = None, timeout: float | None = None) -> tuple[Any, Any]:  # noqa: A002
        return super().communicate(input, timeout and patience.limit(timeout))


def pytest_configure() -> None:
    subprocess.Popen = _Patient  # type: ignore[misc]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start the time of each try anew: by itself, pytest-timeout watches over the first one only."""
    mark = item.get_closest_marker("timeout")
    seconds = mark.args[0] if mark else item.config.getini("timeout")
    if seconds:
        item.ihook.pytest_timeout_cancel_timer(item=item)
        settings = pytest_timeout.Settings(patience.limit(float(seconds)), "signal", False, False)
        item.ihook.pytest_timeout_set_timer(item=item, settings=settings)
