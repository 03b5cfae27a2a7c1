"""Tests that were tried again: which of them gave a wrong value at first is told last, and has a budget.

A job that was held up says nothing about Rankwise: it ran into a time limit, or its launcher or library
failed in a way that is known. Any other failure that is gone at the next try makes a test unstable: it may
be green by luck.
"""

from __future__ import annotations

import subprocess
from collections.abc import Generator

import pytest

from held_up import HeldUp

_HELD_UP = ("held up", True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--most-unstable", type=int, metavar="N", help="fail if more than N tests are unstable (no limit)"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note what kind of failure it was, where the exception is still there."""
    report = yield
    if call.excinfo and _is_hold_up(call.excinfo.value):
        report.user_properties.append(_HELD_UP)
    return report


def _is_hold_up(failure: BaseException) -> bool:
    if isinstance(failure, pytest.fail.Exception):
        return "from pytest-timeout" in str(failure)
    # (Playwright's own TimeoutError is no subclass of Python's, and it is not everywhere.)
    return type(failure).__name__ == "TimeoutError" or isinstance(
        failure, (HeldUp, TimeoutError, subprocess.TimeoutExpired)
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that is over its budget."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    most = session.config.option.most_unstable
    if terminal and most is not None and len(_unstable(terminal)) > most:
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print why tests were tried again, and how many were held up."""
    again = terminalreporter.getreports("rerun")
    for report in again:
        terminalreporter.write_sep("_", f"tried again: {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)
    held_up = {report.nodeid for report in again if _HELD_UP in report.user_properties}
    terminalreporter.write_line(
        f"held up: {len(held_up)} tried again after a time limit or a launcher's failure"
    )


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Tell which tests are unstable in the last lines of all: often nobody keeps more of a log."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if not terminal or not terminal.stats:
        return
    unstable = _unstable(terminal)
    most = config.option.most_unstable
    budget = "" if most is None else f" (at most {most} may)"
    terminal.write_line(
        f"unstable: {len(unstable)} passed only when tried again, after a wrong value{budget}",
        red=most is not None and len(unstable) > most,
    )
    for test, why in unstable.items():
        terminal.write_line(f"  {test}: {why}")


def _unstable(terminal: pytest.TerminalReporter) -> dict[str, str]:
    """Return the names of the tests, in order, and why they failed at first, in a line."""
    passed = {report.nodeid for report in terminal.getreports("passed")}
    why: dict[str, str] = {}
    for report in terminal.getreports("rerun"):
        if report.nodeid in passed and _HELD_UP not in report.user_properties:
            why.setdefault(report.nodeid, _why(report))
    return dict(sorted(why.items()))


def _why(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else report.longreprtext
    return text.strip().partition("\n")[0] or "no message"
