"""What all tests need of their surroundings."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

import leftovers

# A shell that starts a background job makes it ignore SIGINT, and programs inherit that: tests that send
# one would wait for nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ends what a test has started and not ended, a job that hangs above all."""
    mark = leftovers.new_mark()
    monkeypatch.setenv(leftovers.MARK, mark)
    yield
    leftovers.end(mark)
