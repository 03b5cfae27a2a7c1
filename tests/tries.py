"""Tests that were tried again: which of them gave a wrong value at first is told, and has a budget.

A job that was held up says nothing about Rankwise: it ran into a time limit, or its launcher or library
failed in a way that is known. Any other failure that is gone at the next try makes a test unstable: it may
be green by luck.
"""

from __future__ import annotations

import subprocess
from collections.abc import Generator

import pytest

_HELD_UP = ("held up", True)


class HeldUp(Exception):  # noqa: N818
    """A job said nothing, for a reason that is not ours."""


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
    return isinstance(failure, (HeldUp, TimeoutError, subprocess.TimeoutExpired))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that is over its budget."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    most = session.config.option.most_unstable
    if terminal and most is not None and len(_unstable(terminal)) > most:
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print why tests were tried again, and how many passed by that."""
    again = terminalreporter.getreports("rerun")
    for report in again:
        terminalreporter.write_sep("_", f"tried again: {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)
    unstable = _unstable(terminalreporter)
    most = config.option.most_unstable
    budget = "" if most is None else f" (at most {most} may)"
    terminalreporter.write_line(
        f"unstable: {len(unstable)} passed only when tried again, after a wrong value{budget}",
        red=most is not None and len(unstable) > most,
    )
    for test in unstable:
        terminalreporter.write_line(f"  {test}")
    held_up = {report.nodeid for report in again if _HELD_UP in report.user_properties}
    terminalreporter.write_line(
        f"held up: {len(held_up)} tried again after a time limit or a launcher's failure"
    )


def _unstable(terminal: pytest.TerminalReporter) -> list[str]:
    again = terminal.getreports("rerun")
    wrong = {report.nodeid for report in again if _HELD_UP not in report.user_properties}
    return sorted(wrong & {report.nodeid for report in terminal.getreports("passed")})
