"""How `bench verdicts` judges what is said of a program whose problem is known."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankwise.findings.registry import RULES

sys.path.append(str(Path(__file__).parents[2] / "bench"))

from verdicts.corpus import Case, corpus
from verdicts.judge import judge

LATE = Case(
    kind="late",
    mode="late-rank",
    ranks=12,
    words=("1", "1", "1"),
    is_control=False,
    rules=frozenset({"late-ranks"}),
    who=(1,),
    names=("Allreduce",),
    may=frozenset(),
    must_not=frozenset(),
    anywhere=False,
    hogs=0,
    limit=0,
)


def said(rule: str, title: str, percent: float = 20.0) -> dict[str, Any]:
    return {"rule": rule, "title": title, "saved_percent_of_run": percent, "inputs": [], "evidence": []}


RIGHT = said("late-ranks", "Rank 1 comes late to Allreduce")


@pytest.mark.parametrize(
    ("findings", "outcome"),
    [
        ([RIGHT], "named"),
        ([], "missed"),
        ([said("polling", "Rank 1 polls Allreduce")], "missed"),
        ([said("late-ranks", "Rank 11 comes late to Allreduce")], "in part"),
        ([said("late-ranks", "Ranks 1-2 come late to Allreduce")], "in part"),
        ([said("late-ranks", "Ranks 1,3 come late to Allreduce")], "in part"),
        ([said("late-ranks", "Rank 1 comes late")], "in part"),
        ([*[said("polling", "It polls")] * 3, RIGHT], "in part"),
        ([said("late-ranks", RIGHT["title"], 0.5)], "in part"),
    ],
)
def test_planted(findings: list[dict[str, Any]], outcome: str) -> None:
    assert judge(LATE, {"findings": findings}, None).outcome == outcome


def test_what_must_not_be_said_and_controls() -> None:
    forbidden = replace(LATE, must_not=frozenset({"polling"}))
    assert judge(forbidden, {"findings": [RIGHT, said("polling", "It polls")]}, None).outcome == "false"
    control = replace(LATE, is_control=True, ranks=1, may=frozenset({"oversubscribed"}))
    assert judge(control, {"findings": [RIGHT]}, None).outcome == "false"
    assert judge(control, {"findings": [said("oversubscribed", "4 ranks")]}, None).outcome == "clean"
    assert judge(control, {"findings": [said("late-ranks", "Rank 1", 0.5)]}, None).outcome == "clean"


def test_efficiencies() -> None:
    split = {
        "serialisation": 0.5,
        "serialisation_low": 0.4,
        "serialisation_high": 0.6,
        "transfer": 0.9,
        "transfer_low": 0.85,
        "transfer_high": 0.95,
    }
    explained = {"findings": [], "efficiency": {"split": split}}
    within = judge(LATE, explained, {"serialisation": 0.45, "transfer": 0.9})
    assert (within.error, within.covered) == (pytest.approx(0.05), True)
    outside = judge(LATE, explained, {"serialisation": 0.5, "transfer": 0.7})
    assert (outside.error, outside.covered) == (pytest.approx(0.2), False)
    unknown = {"findings": [], "efficiency": {"split": None}}
    assert judge(LATE, unknown, {"serialisation": 0.5, "transfer": 0.7}).error is None


def test_each_rule_of_the_corpus_is_one_of_ours() -> None:
    known = {rule.id for rule in RULES}
    for case in corpus():
        assert case.rules | case.may | case.must_not <= known, case.kind
