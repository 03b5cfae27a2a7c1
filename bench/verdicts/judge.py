"""What Rankwise says of a run, compared with what must be said."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rankwise.cpulist import cpu_text
from verdicts.corpus import Case

Outcome = Literal["named", "in part", "missed", "false", "clean"]

_LEAST_PERCENT = 1.0  # of the run: what saves less is not in the summary
_IN_SUMMARY = 3
# A program reads its clock outside of the calls: its times and ours differ by so much.
_CLOCKS = 0.01  # of the time
_CLOCKS_SECONDS = 0.001
_MOSTLY = 0.5  # of the time in MPI: if more is unknown, the known part is no estimate of the whole
_OTHERS_TOOK = 0.05  # of the run time of the ranks
_OTHERS = re.compile(r"^of the processors of .*, used by other processes$")


@dataclass(frozen=True)
class Estimated:
    """An estimate beside the truth.

    Attributes:
        error: by how much it is off; of times by how much of the true one.
        covered: the truth is within the range that is given.
    """

    error: float
    covered: bool


@dataclass(frozen=True)
class Judged:
    """What became of a case.

    Attributes:
        outcome: `named`: the summary has one of the rules, with the ranks and names; `in part`: the rule was
            found, but the summary lacks it, or some of the names; `missed`: it was not found. `false`: a
            finding that must not be, of a control any that is not allowed. `clean`: none of these, where
            nothing has to be found.
        said: the findings of the summary.
        efficiency: the serialisation or the transfer efficiency, whichever is farther off; None = unknown.
        waiting: in collectives, or for messages; None = unknown.
    """

    outcome: Outcome
    said: tuple[str, ...]
    efficiency: Estimated | None
    waiting: Estimated | None


def judge(
    case: Case,
    explained: Mapping[str, Any],
    shown: Mapping[str, Any],
    truth: Mapping[str, float] | None,
    *,
    busy: bool = False,
) -> Judged:
    """Compare.

    Args:
        case: what must be said.
        explained: what `rankwise explain --json` prints.
        shown: output of `rankwise show --json`.
        truth: efficiencies and waiting by the program's own clock, as far as it reports them.
        busy: another process took processors meanwhile. (It is seen, too, as far as Rankwise reports it.)
    """
    relevant = [
        finding for finding in explained["findings"] if finding["saved_percent_of_run"] >= _LEAST_PERCENT
    ]
    said = tuple(f"{finding['rule']}: {finding['title']}" for finding in relevant[:_IN_SUMMARY])
    outcome = _outcome(case, explained["findings"], relevant[:_IN_SUMMARY], busy=busy)
    if truth is None:
        return Judged(outcome, said, None, None)
    return Judged(outcome, said, _efficiency(explained.get("efficiency"), truth), _waiting(shown, truth))


def _outcome(
    case: Case, everything: list[dict[str, Any]], first: list[dict[str, Any]], *, busy: bool
) -> Outcome:
    if case.part == "control":
        return (
            "false"
            if any(not _is_allowed(case, finding, everything, busy=busy) for finding in first)
            else "clean"
        )
    if any(finding["rule"] in case.must_not for finding in first):
        return "false"
    if not case.rules:
        return "clean"
    of_rule = [finding for finding in everything if finding["rule"] in case.rules]
    shown = everything if case.anywhere else first
    if any(_names(case, finding) for finding in of_rule if finding in shown):
        return "named"
    return "in part" if of_rule else "missed"


def _is_allowed(case: Case, finding: dict[str, Any], everything: list[dict[str, Any]], *, busy: bool) -> bool:
    """Return whether a finding is right where no problem was planted: processors may have been short.

    A finding about shared processors is always right, with any effect; the kernel measures how long ranks had
    none. They arrive late then, and a finding may say so if it says that this is hardly sure.
    """
    others = busy or any(_others_took(finding) for finding in everything)
    is_short = others or case.ranks > (os.cpu_count() or 1)
    allowed = case.may | ({"oversubscribed", "preempted"} if is_short else set())
    is_modest = is_short and finding["confidence"] == "low"
    return finding["rule"] in allowed or is_modest


def _others_took(finding: dict[str, Any]) -> bool:
    took = [fact["value"] for fact in finding["evidence"] if _OTHERS.search(fact["what"])]
    return bool(took) and sum(took) >= _OTHERS_TOOK * finding["inputs"][0]["value"]


def _names(case: Case, finding: dict[str, Any]) -> bool:
    """Return whether a finding names the ranks, and everything that it must name."""
    text = " ".join(
        [finding["title"], *(fact["what"] for fact in [*finding["inputs"], *finding["evidence"]])]
    )
    if case.who and not re.search(
        rf"\branks? {re.escape(cpu_text(case.who))}\b(?![-,]\d)", text, re.IGNORECASE
    ):
        return False
    return all(name in text for name in case.names)


def _efficiency(efficiency: Mapping[str, Any] | None, truth: Mapping[str, float]) -> Estimated | None:
    split = efficiency.get("split") if efficiency else None
    if not split:
        return None
    names = ("serialisation", "transfer")
    return Estimated(
        max(abs(split[name] - truth[name]) for name in names),
        all(split[f"{name}_low"] <= truth[name] <= split[f"{name}_high"] for name in names),
    )


def _waiting(shown: Mapping[str, Any], truth: Mapping[str, float]) -> Estimated | None:
    time = shown.get("time_in_mpi") or {}
    if time.get("unknown_seconds", 0.0) > _MOSTLY * time.get("seconds", 0.0):
        return None
    if "collectives" in truth and shown.get("waiting"):
        seconds, waits = truth["collectives"], shown["waiting"]["waiting"]
        return _off(waits["seconds"], waits.get("error_seconds", 0.0), seconds)
    if "messages" in truth and shown.get("messages"):
        seconds, waits = truth["messages"], shown["messages"]
        return _off(waits["waiting_seconds"], waits.get("error_seconds", 0.0), seconds)
    return None


def _off(seconds: float, error: float, truth: float) -> Estimated | None:
    if truth <= _CLOCKS_SECONDS:
        return None
    off = abs(seconds - truth)
    return Estimated(off / truth, off <= error + _CLOCKS * truth + _CLOCKS_SECONDS)
