"""What all tests need of their surroundings."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence

import pytest

import leftovers

pytest_plugins = ["exhaustive", "golden", "patient_tests", "reported", "schedule", "tries"]

# A shell that starts a background job makes it ignore SIGINT, and programs inherit that: tests that send
# one would wait for nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Output goes to no terminal here, whatever a shell or pytest-xdist say of theirs. Who wants a width sets it.
os.environ.pop("COLUMNS", None)


# Where tests start jobs whose output a launcher hands on: what is lost on that way looks like a wrong value.
OF_JOBS = {"mpi", "cluster", "integration"}


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Say which tests may be tried again."""
    for item in items:
        if item.path.parent.name in OF_JOBS:
            item.add_marker(pytest.mark.flaky(reruns=2, rerun_except=[]))


def signal_mask_and_handlers() -> tuple[set[signal.Signals], list[object]]:
    """Return which signals this thread blocks, and the handlers of signals that end processes."""
    ending = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
    return signal.pthread_sigmask(signal.SIG_BLOCK, []), [signal.getsignal(number) for number in ending]


@pytest.fixture(autouse=True)
def nothing_is_left_behind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ends what a test has started and not ended, a job that hangs above all."""
    mark = leftovers.new_mark()
    monkeypatch.setenv(leftovers.MARK, mark)
    below = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    blocked, handlers = signal_mask_and_handlers()
    yield
    leftovers.end(mark)
    # What the next test starts would inherit them, and no signal would end it.
    after = signal_mask_and_handlers()
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    assert after == (blocked, handlers), "signals are blocked or handled otherwise than before the test"
    if below:
        leftovers.forget(below)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what is told by `record_property("tally", ...)`."""
    for report in [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]:
        for name, value in report.user_properties:
            if name == "tally":
                terminalreporter.write_line(str(value))
