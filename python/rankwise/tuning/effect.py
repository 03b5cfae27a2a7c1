"""What settings have changed, shown by a run with them and a run without.

Libraries silently drop a wrong rule. Different messages inside the collectives of a rule show that it took
effect. The same messages show nothing: several algorithms send the same messages in another order (pairwise
and linear Alltoallv; most algorithms on two processes). Then the library's calls of its algorithms decide,
if they can be counted. None of this is a verdict on a rule: paired runs decide what it gains.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankwise.analysis.collectives.patterns import algorithms, matrices
from rankwise.analysis.opened import opened_profile
from rankwise.text.units import exact_byte_text
from rankwise.trials.recorded import watched
from rankwise.tuning.settings.rule import Rule

Verdict = Literal["changed", "same calls", "not visible"]
Messages = Literal["other", "same", "unknown"]


@dataclass(frozen=True)
class Effect:
    """What a rule has done.

    Attributes:
        rule: whose effect it is.
        verdict: same calls: the library called the same algorithms as often as without the rule. It may still
            have an effect: what the library does before it calls them may take long.
        messages: of its calls, compared with those without the rule; unknown: for no call were all messages
            seen in both runs.
        before: names of the algorithms without the rule, by messages or library; empty if none is known.
        after: with it.
    """

    rule: Rule
    verdict: Verdict
    messages: Messages = "unknown"
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Effects:
    """What settings have done.

    Attributes:
        rules: of each.
        others: cells that changed although no rule is about them, for people.
    """

    rules: list[Effect]
    others: list[str]

    def as_record(self) -> dict[str, Any]:
        """Return all but the rules, for a later call that has them."""
        by_rule = [(effect.verdict, effect.messages, effect.before, effect.after) for effect in self.rules]
        return {"seen": by_rule, "others": self.others}


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


_Called = dict[tuple[str, int], Counter[str]]
"""How often algorithms were called, by collective and size of communicators."""


def effects(before: Path, after: Path, rules: Sequence[Rule]) -> Effects:
    """Compare two runs of a program.

    Args:
        before: profile of a run without the rules; the counts of the library's algorithms are next to it.
        after: profile of a run with them.
        rules: in force in that run.

    Raises:
        RankwiseError: a profile can't be read.
    """
    with opened_profile(before) as connection:
        was = _shapes(connection)
    with opened_profile(after) as connection:
        now = _shapes(connection)
    both = [shape for shape in was if shape in now]
    called_before, called_after = _called(watched(before)), _called(watched(after))
    of_rules = []
    for rule in rules:
        own = [shape for shape in both if _is_about(rule, shape)]
        of_rule = rule.procedure, rule.processes
        by_library = _by_library(
            Effect(rule, "not visible", "same" if own else "unknown"),
            called_before.get(of_rule, Counter()),
            called_after.get(of_rule, Counter()),
        )
        if all(was[shape].messages == now[shape].messages for shape in own):
            of_rules.append(by_library)
            continue
        names = _names(was, own), _names(now, own)
        if not all(names) and by_library.verdict == "changed":
            names = by_library.before, by_library.after
        of_rules.append(Effect(rule, "changed", "other", *names))
    others = [
        f"{shape.procedure.removeprefix('MPI_')} on {shape.communicator}"
        + (f", {exact_byte_text(shape.size)}" if shape.size is not None else "")
        for shape in both
        if was[shape].messages != now[shape].messages and not any(_is_about(rule, shape) for rule in rules)
    ]
    return Effects(of_rules, others)


def effects_of(record: Mapping[str, Any], rules: Sequence[Rule]) -> Effects:
    """Return the effects of these rules that an earlier call has kept."""
    return Effects(
        [
            Effect(rule, verdict, messages, tuple(before), tuple(after))
            for rule, (verdict, messages, before, after) in zip(rules, record["seen"], strict=True)
        ],
        list(record["others"]),
    )


def _by_library(unseen: Effect, before: Counter[str], after: Counter[str]) -> Effect:
    """Return an effect that messages don't show, by the algorithms that the library has called."""
    if not before or not after:
        return unseen
    if before == after:
        return replace(unseen, verdict="same calls", before=tuple(sorted(before)), after=tuple(sorted(after)))
    return replace(
        unseen, verdict="changed", before=tuple(sorted(before - after)), after=tuple(sorted(after - before))
    )


def _called(directory: Path) -> _Called:
    """Read the files of a run's ranks, with lines such as `alltoallv pairwise 4 2000`."""
    counts: _Called = {}
    for file in directory.glob("*") if directory.is_dir() else ():
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            collective, algorithm, processes, calls = line.split()
            key = f"MPI_{collective.capitalize()}", int(processes)
            counts.setdefault(key, Counter())[algorithm] += int(calls)
    return counts


def _shapes(connection: sqlite3.Connection) -> dict[_Shape, _Seen]:
    shapes = {}
    known = {row.pattern: row for row in algorithms(connection) if row.pattern is not None}
    for pattern, complete, kept in connection.execute("SELECT id, complete, kept_call FROM patterns"):
        row = known.get(pattern)
        if row is None or not complete or not kept or not row.messages:
            continue
        messages, sizes = matrices(connection, pattern, row.processes)
        shape = _Shape(row.procedure, row.communicator, row.processes, row.root, row.size)
        shapes[shape] = _Seen(row.algorithm or "", np.stack([messages, sizes]).tobytes())
    return shapes


def _is_about(rule: Rule, shape: _Shape) -> bool:
    if (shape.procedure, shape.processes) != (rule.procedure, rule.processes):
        return False
    return rule.high is None or (shape.size is not None and rule.low <= shape.size <= rule.high)


def _names(calls: dict[_Shape, _Seen], shapes: Sequence[_Shape]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(calls[shape].name for shape in shapes if calls[shape].name))
