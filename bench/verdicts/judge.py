"""What Rankwise says of a run, compared with what must be said."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any, Literal

from rankwise.cpulist import cpu_text
from verdicts.corpus import Case

Outcome = Literal["named", "in part", "missed", "false", "clean"]

_LEAST_PERCENT = 1.0  # of the run: what saves less is not in the summary
_IN_SUMMARY = 3


@dataclass(frozen=True)
class Judged:
    """What became of a case.

    Attributes:
        outcome: `named`: the summary has one of the rules, with the ranks and names; `in part`: the rule was
            found, but the summary lacks it, or some of the names; `missed`: it was not found. `false`: a
            finding that must not be, of a control any that is not allowed. `clean`: a control without one.
        said: the findings of the summary.
        error: of the serialisation and the transfer efficiency, the larger one; None = unknown.
        covered: the truth is within the ranges that are given.
    """

    outcome: Outcome
    said: tuple[str, ...]
    error: float | None
    covered: bool | None


def judge(case: Case, explained: dict[str, Any], truth: dict[str, float] | None) -> Judged:
    """Compare.

    Args:
        case: what must be said.
        explained: what `rankwise explain --json` prints.
        truth: serialisation and transfer efficiency by the program's own clock, if it tells them.
    """
    found = [one for one in explained["findings"] if one["saved_percent_of_run"] >= _LEAST_PERCENT]
    error, covered = _efficiency(explained.get("efficiency"), truth)
    said = tuple(f"{one['rule']}: {one['title']}" for one in found[:_IN_SUMMARY])
    return Judged(_outcome(case, explained["findings"], found), said, error, covered)


def _outcome(case: Case, everything: list[dict[str, Any]], found: list[dict[str, Any]]) -> Outcome:
    first = found[:_IN_SUMMARY]
    if case.is_control:
        # (That ranks share processors is always said, whatever came of it.)
        may = case.may | ({"oversubscribed"} if case.ranks > (os.cpu_count() or 1) else set())
        return "false" if any(one["rule"] not in may for one in first) else "clean"
    if any(one["rule"] in case.must_not for one in first):
        return "false"
    of_rule = [one for one in everything if one["rule"] in case.rules]
    if not case.rules:
        return "named"
    shown = everything if case.anywhere else first
    if any(_names(case, one) for one in of_rule if one in shown):
        return "named"
    return "in part" if of_rule else "missed"


def _names(case: Case, finding: dict[str, Any]) -> bool:
    """Tell whether a finding names the ranks, and all that it must name."""
    told = " ".join(
        [finding["title"], *(fact["what"] for fact in [*finding["inputs"], *finding["evidence"]])]
    )
    if case.who and not re.search(
        rf"\branks? {re.escape(cpu_text(case.who))}\b(?![-,]\d)", told, re.IGNORECASE
    ):
        return False
    return all(name in told for name in case.names)


def _efficiency(
    found: dict[str, Any] | None, truth: dict[str, float] | None
) -> tuple[float | None, bool | None]:
    split = found.get("split") if found else None
    if not truth or not split:
        return None, None
    names = ("serialisation", "transfer")
    error = max(abs(split[name] - truth[name]) for name in names)
    covered = all(split[f"{name}_low"] <= truth[name] <= split[f"{name}_high"] for name in names)
    return error, covered
