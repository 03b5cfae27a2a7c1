"""What all tests need of their surroundings."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence

import pytest

import leftovers

# A shell that starts a background job makes it ignore SIGINT, and programs inherit that: tests that send
# one would wait for nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Output goes to no terminal here, whatever a shell or pytest-xdist say of theirs. Who wants a width sets it.
os.environ.pop("COLUMNS", None)


# Where tests start jobs whose output a launcher hands on: what is lost on that way looks like a wrong value.
OF_JOBS = {"mpi", "cluster", "integration"}


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Group the tests that must stay together, and say which may be tried again."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
        if item.path.parent.name in OF_JOBS:
            item.add_marker(pytest.mark.flaky(reruns=2, rerun_except=[]))


def _group(item: pytest.Item) -> str:
    """Return the tests of a file on one MPI library, which share recordings; all of Intel MPI.

    Two jobs of Intel MPI on one node get in each other's way: one of them hangs now and then.
    """
    callspec = getattr(item, "callspec", None)
    mpi = callspec.params.get("mpi") if callspec else None
    if mpi is None:
        return item.path.stem
    return mpi.vendor or f"{item.path.stem}-{mpi.name}"


@pytest.fixture(autouse=True)
def nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ends what a test has started and not ended, a job that hangs above all."""
    mark = leftovers.new_mark()
    monkeypatch.setenv(leftovers.MARK, mark)
    yield
    leftovers.end(mark)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print why tests were tried again, and what is told by `record_property("tally", ...)`."""
    for again in terminalreporter.getreports("rerun"):
        terminalreporter.write_sep("_", f"tried again: {again.nodeid}")
        terminalreporter.write_line(again.longreprtext)
    for report in [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]:
        for name, value in report.user_properties:
            if name == "tally":
                terminalreporter.write_line(str(value))
