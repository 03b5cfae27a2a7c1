"""Faults that users reported: `make test-reported` runs the tests of all of them, and prints a line for each.

A test of a reported fault is marked `reported("NAME")`. It tests the whole class of the fault with a program
of its own; NAME says which report it answers.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

_PROPERTY = "reported"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "reported(name): the test of a fault that a user reported")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the name in the report, which is all that the workers of pytest-xdist hand on."""
    for item in items:
        for mark in item.iter_markers(_PROPERTY):
            item.user_properties.append((_PROPERTY, mark.args[0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what became of each fault, where tests were selected by the mark."""
    if _PROPERTY not in terminalreporter.config.option.markexpr:
        return
    outcomes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.getreports(outcome):
            for name in {value for key, value in report.user_properties if key == _PROPERTY}:
                outcomes[str(name)][outcome] += 1
    terminalreporter.write_sep("=", "reported faults")
    for name, counts in sorted(outcomes.items()):
        summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        terminalreporter.write_line(f"{name:32} {summary}")
