"""What settings have changed: told by the messages inside collectives of two runs, not by the settings
themselves.

Libraries drop a wrong rule without a word. So a run with the rules is compared with one without: each cell of
a rule must have other messages, and no other cell may.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from rankwise.analysis.collectives.patterns import algorithms, matrices
from rankwise.analysis.opened import opened_profile
from rankwise.text.units import exact_byte_text
from rankwise.tuning.settings.rule import Rule

Verdict = Literal["changed", "no effect", "not visible"]


@dataclass(frozen=True)
class Effect:
    """What a rule has done.

    Attributes:
        rule: whose effect it is.
        verdict: not visible: of no call all messages were seen, with and without.
        before: names of the algorithms that the messages show without the rule; empty if none is known.
        after: with it.
    """

    rule: Rule
    verdict: Verdict
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Effects:
    """What settings have done.

    Attributes:
        rules: of each.
        others: cells that no rule is about and that have changed all the same, for people.
    """

    rules: list[Effect]
    others: list[str]


@dataclass(frozen=True)
class _Shape:
    """A call whose messages are known."""

    procedure: str
    communicator: str
    processes: int
    root: int | None
    size: int | None


@dataclass(frozen=True)
class _Seen:
    name: str
    messages: bytes


def effects(before: Path, after: Path, rules: Sequence[Rule]) -> Effects:
    """Compare two runs of a program.

    Args:
        before: profile of one without the rules.
        after: of one with them.
        rules: that were in force.

    Raises:
        RankwiseError: a profile can't be read.
    """
    with opened_profile(before) as connection:
        was = _shapes(connection)
    with opened_profile(after) as connection:
        now = _shapes(connection)
    both = [shape for shape in was if shape in now]
    found = []
    for rule in rules:
        own = [shape for shape in both if _is_about(rule, shape)]
        changed = any(was[shape].messages != now[shape].messages for shape in own)
        verdict: Verdict = "changed" if changed else "no effect" if own else "not visible"
        found.append(Effect(rule, verdict, _names(was, own), _names(now, own)))
    others = [
        f"{shape.procedure.removeprefix('MPI_')} on {shape.communicator}"
        + (f", {exact_byte_text(shape.size)}" if shape.size is not None else "")
        for shape in both
        if was[shape].messages != now[shape].messages and not any(_is_about(rule, shape) for rule in rules)
    ]
    return Effects(found, others)


def _shapes(connection: sqlite3.Connection) -> dict[_Shape, _Seen]:
    found = {}
    known = {row.pattern: row for row in algorithms(connection) if row.pattern is not None}
    for pattern, complete, kept in connection.execute("SELECT id, complete, kept_call FROM patterns"):
        row = known.get(pattern)
        if row is None or not complete or not kept or not row.messages:
            continue
        messages, sizes = matrices(connection, pattern, row.processes)
        shape = _Shape(row.procedure, row.communicator, row.processes, row.root, row.size)
        found[shape] = _Seen(row.algorithm or "", np.stack([messages, sizes]).tobytes())
    return found


def _is_about(rule: Rule, shape: _Shape) -> bool:
    if (shape.procedure, shape.processes) != (rule.procedure, rule.processes):
        return False
    return rule.high is None or (shape.size is not None and rule.low <= shape.size <= rule.high)


def _names(seen: dict[_Shape, _Seen], shapes: Sequence[_Shape]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(seen[shape].name for shape in shapes if seen[shape].name))
