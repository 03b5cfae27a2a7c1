"""Finds the rules of a settings file for which a run had no call."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rankwise.analysis.calls.bins import bin_range
from rankwise.analysis.calls.totals import JOIN_COMMUNICATORS, JOIN_PROCEDURES
from rankwise.tuning.settings.rule import Rule


class Met(NamedTuple):
    """A run's calls, compared with the rules of a file.

    Attributes:
        unmet: rules without a matching call in the run.
        processes: numbers of processes of the run's communicators, ascending, without 1.
    """

    unmet: tuple[Rule, ...]
    processes: tuple[int, ...]


def met(connections: Iterable[sqlite3.Connection], rules: Sequence[Rule]) -> Met:
    """Return the rules without a call of the run, by collective, communicator size and message size.

    Args:
        connections: to the profiles of the run, one for each program.
        rules: of the run's settings.
    """
    calls: set[tuple[str, int, int]] = set()
    processes: set[int] = set()
    for connection in connections:
        calls.update(
            connection.execute(
                "SELECT DISTINCT procedures.name, communicators.size, size_bin"
                f" FROM calls {JOIN_PROCEDURES} {JOIN_COMMUNICATORS} WHERE communicators.remote_size = 0"
            )
        )
        rows = connection.execute(
            "SELECT DISTINCT size FROM communicators"
            " WHERE size > 1 AND remote_size = 0 AND type NOT IN ('window', 'file')"
        )
        processes.update(size for (size,) in rows)
    unmet = tuple(rule for rule in rules if not any(_fits(rule, *call) for call in calls))
    return Met(unmet, tuple(sorted(processes)))


def _fits(rule: Rule, procedure: str, processes: int, size_bin: int) -> bool:
    # An unknown communicator (0 processes) or size may match any rule.
    if procedure != rule.procedure or processes not in (0, rule.processes):
        return False
    low, high = bin_range(size_bin)
    return rule.high is None or low is None or high is None or (low <= rule.high and rule.low <= high)
