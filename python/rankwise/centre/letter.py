"""What a letter to one user is about: programs that lose many node hours, and what the user can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwise.centre import questions
from rankwise.centre.asked import ALL_ROWS, Asked
from rankwise.centre.details import Details, details
from rankwise.centre.engines.engine import Engine
from rankwise.centre.waste import NETWORK, START
from rankwise.findings.finding import HIGH
from rankwise.records import dataclass

Row = Mapping[str, Any]

LEAST_HOURS = 10.0
"""Node hours of a program in a month that are worth a letter."""
LEAST_PERCENT = 5.0
"""Of the node hours of the program that are worth a letter."""

_MOST_PROGRAMS = 3
_NOT_THE_USERS = (NETWORK, START)
"""Kinds of waste that the staff of the centre can change, and users can't."""


@dataclass(frozen=True, kw_only=True)
class Topic:
    """A program with a kind of waste.

    Attributes:
        program: its name.
        runs: all that the user had.
        node_hours: of these.
        waste: kind, of findings of high confidence.
        lost_hours: node hours that could be saved.
        bounded: whether these are the most possible; else an estimate.
        run: that shows it best.
        finding: of this run.
    """

    program: str
    runs: int
    node_hours: float
    waste: str
    lost_hours: float
    bounded: bool
    run: Details
    finding: Row


def topics(engine: Engine, asked: Asked) -> list[Topic]:
    """Return the topics of a letter, the most node hours first; empty = nothing is worth a letter.

    Args:
        engine: over the store.
        asked: with a user and a period.
    """
    whole = {row["program"]: row for row in questions.programs(engine, asked, ALL_ROWS).programs}
    chosen: dict[str, Row] = {}
    for row in questions.waste(engine, asked, ALL_ROWS).programs:  # the most first
        of_all = whole[row["program"]]["node_hours"]
        if row["waste"] in _NOT_THE_USERS or row["program"] in chosen:
            continue
        if row["node_hours"] >= max(LEAST_HOURS, LEAST_PERCENT / 100 * of_all):
            chosen[row["program"]] = row
    rows = list(chosen.values())[:_MOST_PROGRAMS]
    found = {one.run["run"]: one for one in details(engine, asked, [row["run"] for row in rows])}
    return [_topic(row, whole[row["program"]], found[row["run"]]) for row in rows]


def _topic(row: Row, whole: Row, shown: Details) -> Topic:
    return Topic(
        program=row["program"],
        runs=whole["runs"],
        node_hours=whole["node_hours"],
        waste=row["waste"],
        lost_hours=row["node_hours"],
        bounded=row["bounded_node_hours"] > 0,
        run=shown,
        finding=_largest(shown.findings, row["waste"]),
    )


def _largest(findings: Sequence[Row], waste: str) -> Row:
    of_kind = (row for row in findings if row["waste"] == waste and row["confidence"] == HIGH)
    return max(of_kind, key=lambda row: row["saved_node_hours"])
