"""Findings that went, came and stayed from one side of a comparison to the other."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.findings.search import LEAST_PERCENT, Findings, Found

GONE, NEW, STAYS, SOME, SMALL = "gone", "new", "stays", "in some runs", "small"
NOT_KNOWN_BEFORE, NOT_KNOWN_AFTER = "unknown before", "unknown after"
_ORDER = (GONE, NEW, SOME, NOT_KNOWN_AFTER, NOT_KNOWN_BEFORE, STAYS, SMALL)


@dataclass(frozen=True, kw_only=True)
class FindingSide:
    """A finding in the runs of a side.

    Attributes:
        runs: number of runs in which it could save 1 % of the run or more.
        asked: number of runs in which its rule could be evaluated.
        title: in the first run that has it; '' if no run has it.
        saved_percent_of_run: possible saving, median of the runs that have it; None if no run has it.
        confidence: in the first run that has it; None if no run has it.
    """

    runs: int
    asked: int
    title: str
    saved_percent_of_run: float | None
    confidence: str | None


@dataclass(frozen=True, kw_only=True)
class FindingChange:
    """A finding of at least one run.

    Attributes:
        rule: that made it.
        subject: of the finding; '' = the run.
        state: `gone` (it could save 1 % or more in all runs before, in none after), `new`, `stays` (in all
            runs), `in some runs`, `small` (in none); `unknown before` or `unknown after`: the rule could
            not be evaluated in those runs.
        before: in the runs before.
        after: in the runs after.
    """

    rule: str
    subject: str
    state: str
    before: FindingSide
    after: FindingSide

    @property
    def title(self) -> str:
        """The text, from the side with the larger saving."""
        sides = (self.after, self.before)
        return max(sides, key=lambda side: side.saved_percent_of_run or 0.0).title or self.before.title


_Key = tuple[str, str]


def finding_changes(
    before: Sequence[Findings], after: Sequence[Findings], renamed: Mapping[str, str]
) -> list[FindingChange]:
    """Return the findings of all runs, in the order of `_ORDER`, then largest saving first.

    Args:
        before: findings of each run before.
        after: findings of each run after.
        renamed: families of communicators with different names: name after → name before.
    """
    sides = (
        [_by_subject(findings, {}) for findings in before],
        [_by_subject(findings, renamed) for findings in after],
    )
    keys = dict.fromkeys(key for side in sides for findings in side for key in findings)
    changes = [_change(key, _side(key, before, sides[0]), _side(key, after, sides[1])) for key in keys]
    return sorted(changes, key=lambda change: (_ORDER.index(change.state), -_most(change)))


def _by_subject(findings: Findings, renamed: Mapping[str, str]) -> dict[_Key, Found]:
    by_subject: dict[_Key, Found] = {}
    for item in findings.found:
        what, on, family = item.finding.subject.partition(" on ")
        subject = f"{what}{on}{renamed.get(family, family)}"
        by_subject.setdefault((item.finding.rule, subject), item)
    return by_subject


def _side(key: _Key, runs: Sequence[Findings], found_by_run: Sequence[Mapping[_Key, Found]]) -> FindingSide:
    rows = [findings[key] for findings in found_by_run if key in findings]
    return FindingSide(
        runs=sum(item.saved_percent_of_run >= LEAST_PERCENT for item in rows),
        asked=sum(key[0] not in {silent.rule for silent in run.silent} for run in runs),
        title=rows[0].finding.title if rows else "",
        saved_percent_of_run=statistics.median(item.saved_percent_of_run for item in rows) if rows else None,
        confidence=rows[0].finding.confidence if rows else None,
    )


def _change(key: _Key, before: FindingSide, after: FindingSide) -> FindingChange:
    return FindingChange(rule=key[0], subject=key[1], state=_state(before, after), before=before, after=after)


def _state(before: FindingSide, after: FindingSide) -> str:
    if not before.runs and not after.runs:
        return SMALL
    if not after.asked:
        return NOT_KNOWN_AFTER
    if not before.asked:
        return NOT_KNOWN_BEFORE
    all_runs = before.runs == before.asked, after.runs == after.asked
    if all(all_runs):
        return STAYS
    if all_runs[0] and not after.runs:
        return GONE
    return NEW if all_runs[1] and not before.runs else SOME


def _most(change: FindingChange) -> float:
    return max(change.before.saved_percent_of_run or 0.0, change.after.saved_percent_of_run or 0.0)
