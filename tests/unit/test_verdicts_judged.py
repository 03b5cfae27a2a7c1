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
from verdicts.judge import Estimated, judge

LATE = Case(
    part="planted",
    kind="late",
    command=("late-rank", "1", "1", "1"),
    ranks=12,
    rules=frozenset({"late-ranks"}),
    who=(1,),
    names=("Allreduce",),
)


def said(rule: str, title: str, percent: float = 20.0) -> dict[str, Any]:
    return {
        "rule": rule,
        "title": title,
        "saved_percent_of_run": percent,
        "confidence": "high",
        "inputs": [],
        "evidence": [],
    }


def outcome_of(case: Case, *findings: dict[str, Any], busy: bool = False) -> str:
    return judge(case, {"findings": findings}, {}, None, busy=busy).outcome


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
    assert outcome_of(LATE, *findings) == outcome


def test_what_must_not_be_said_and_controls() -> None:
    forbidden = replace(LATE, must_not=frozenset({"polling"}))
    assert outcome_of(forbidden, RIGHT, said("polling", "It polls")) == "false"
    control = replace(LATE, part="control", ranks=1, may=frozenset({"small-collectives"}))
    assert outcome_of(control, RIGHT) == "false"
    assert outcome_of(control, said("small-collectives", "Allreduce of 8 B")) == "clean"
    assert outcome_of(control, said("late-ranks", "Rank 1", 0.5)) == "clean"


def test_processors_that_are_short_are_no_false_finding() -> None:
    control = replace(LATE, part="control", ranks=10_000)
    assert outcome_of(control, said("oversubscribed", "10000 ranks")) == "clean"
    control = replace(control, ranks=1)
    assert outcome_of(control, said("preempted", "Rank 0")) == "false"
    assert outcome_of(control, said("preempted", "Rank 0"), busy=True) == "clean"


def test_a_control_beside_others_may_guess_who_is_late() -> None:
    control = replace(LATE, part="control", ranks=1)
    others = {"what": "of the processors of their nodes, used by other processes", "value": 3.0}
    run = {"what": "run time of these ranks", "value": 10.0}
    preempted = said("preempted", "Rank 0") | {"inputs": [run], "evidence": [others]}
    guess = RIGHT | {"confidence": "low"}
    assert outcome_of(control, preempted, guess) == "clean"
    assert outcome_of(control, preempted, RIGHT) == "false"
    assert outcome_of(control, guess) == "false"
    hardly = preempted | {"evidence": [others | {"value": 0.1}]}
    assert outcome_of(control, hardly) == "false"


def test_real_programs() -> None:
    program = replace(LATE, part="program", rules=frozenset(), must_not=frozenset({"hang"}))
    assert outcome_of(program, RIGHT) == "clean"
    assert outcome_of(program, said("hang", "Ranks wait")) == "false"


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

    def efficiency(explained: dict[str, Any], transfer: float) -> Estimated | None:
        return judge(LATE, explained, {}, {"serialisation": 0.45, "transfer": transfer}).efficiency

    assert efficiency(explained, 0.9) == Estimated(pytest.approx(0.05), covered=True)
    assert efficiency(explained, 0.7) == Estimated(pytest.approx(0.2), covered=False)
    assert efficiency({"findings": [], "efficiency": {"split": None}}, 0.7) is None


@pytest.mark.parametrize(("error", "covered"), [(1.0, True), (0.1, False)])
def test_waiting(error: float, covered: bool) -> None:
    explained: dict[str, Any] = {"findings": []}
    shown = {
        "waiting": {"waiting": {"seconds": 5.0, "error_seconds": error}},
        "messages": {"waiting_seconds": 8.0, "error_seconds": error},
    }
    truth = {"serialisation": 1.0, "transfer": 1.0}
    right = Estimated(pytest.approx(0.25), covered)
    assert judge(LATE, explained, shown, truth | {"collectives": 4.0}).waiting == right
    assert judge(LATE, explained, shown, truth | {"messages": 6.4}).waiting == replace(right, covered=False)
    assert judge(LATE, explained, shown, truth | {"messages": 0.0}).waiting is None
    assert judge(LATE, explained, {}, truth | {"messages": 6.4}).waiting is None
    unknown = shown | {"time_in_mpi": {"seconds": 9.0, "unknown_seconds": 8.0}}
    assert judge(LATE, explained, unknown, truth | {"collectives": 4.0}).waiting is None


@pytest.mark.parametrize("spins", [False, True])
def test_the_corpus_is_large_enough(spins: bool) -> None:
    cases = corpus(spins=spins)
    planted = [case for case in cases if case.part == "planted" and case.rules]
    controls = {case.kind for case in cases if case.part == "control"}
    assert len(planted) >= 60
    assert len(controls) >= 20
    for kind in {case.kind for case in planted}:
        assert len({(case.ranks, case.command) for case in planted if case.kind == kind}) >= 2, kind
    assert all(0 <= rank < case.ranks for case in cases for rank in case.who)


def test_each_rule_of_the_corpus_is_one_of_ours() -> None:
    known = {rule.id for rule in RULES}
    for case in corpus():
        assert case.rules | case.may | case.must_not <= known, case.kind
