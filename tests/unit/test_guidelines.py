"""Performance guidelines, by calls that run nothing: what is asked, what is a violation, what chance does."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path

import pytest

from exhaustive import repeated
from golden import assert_facts
from rankwise.commands.sizes import listed_sizes
from rankwise.errors import RankwiseError
from rankwise.render.terminal.guidelines import print_guidelines
from rankwise.trials.run import Interrupted, OutOfTime
from rankwise.tuning.cells.cell import Cell
from rankwise.tuning.guidelines import GUIDELINES, PARTS, Outcome, compare, questions
from rankwise.tuning.racing.batch import Arm, Batch
from rankwise.tuning.racing.mockups import Mockup
from rankwise.tuning.racing.offers import Offers
from rankwise.tuning.racing.racer import Unfit
from rankwise.tuning.settings.rule import Algorithm
from rankwise.views.tuning import guidelines_as_data

PROBE = Path(__file__).parents[2] / "src" / "probes" / "collective"
Seconds = Callable[[Cell, Arm], float]


class Calls:
    """Times by a function of cell and arm; without it all calls take the same."""

    library = "Open MPI v4.1.4"
    overruled = False
    relaunches = False

    def __init__(self, seconds: Seconds = lambda *_: 1e-4, scatter: float = 0.02, seed: int = 1) -> None:
        self.seconds, self.scatter, self.random = seconds, scatter, random.Random(seed)
        self.hosts: tuple[str, ...] = ("a",) * 4
        self.offers: tuple[Algorithm, ...] = ()
        self.unfit: dict[str, str] = {}
        self.drift = 1.0
        self.ends_after, self.end = 1 << 30, Exception()

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        del procedure
        return self.offers

    def of_visit(self, cell: Cell) -> float:
        del cell
        return 1e-2

    def run(
        self, cell: Cell, arms: Mapping[str, Arm], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        if unfit := {name: why for name, why in self.unfit.items() if name in arms}:
            raise Unfit(unfit)
        if self.ends_after == 0:
            raise self.end
        self.ends_after -= 1
        return [{name: self._time(cell, name, arms[name]) for name in order} for order in rounds]

    def _time(self, cell: Cell, name: str, arm: Arm) -> float:
        drift = self.drift if "again" in name else 1.0
        return self.seconds(cell, arm) * drift * self.random.lognormvariate(0, self.scatter)


def _compare(calls: Calls, *sizes: int) -> Outcome:
    said: list[str] = []
    outcome = compare(calls, sizes or (8, 1024), 0.95, 1, said.append)
    assert said[0].startswith(
        f"{len(outcome.compared) + outcome.left + len(outcome.unfit)} comparisons in 32"
    )
    return outcome


def _shown(outcome: Outcome, *own: str) -> str:
    file = StringIO()
    print_guidelines(outcome, own, file)
    return " ".join(file.getvalue().split())


def _slow_allreduce(cell: Cell, arm: Arm) -> float:
    slow = cell.procedure == "MPI_Allreduce" and cell.size == 1024 and not isinstance(arm, Mockup)
    if isinstance(arm, Algorithm):
        return 0.5e-4 if arm.name == "good" else 3e-4
    return 2e-4 if slow else 1e-4


def test_each_guideline_is_asked_at_each_size() -> None:
    asked = questions(8, [8, 1024], too_large := [])
    assert not too_large
    by_name = {question.cell.name: question.others for question in asked}
    assert len(by_name) == len(asked)
    assert set(by_name["Allreduce/8/8"]) == {"Reduce + Bcast", "Allreduce of 1 KiB"}  # one element
    assert set(by_name["Allreduce/8/1024"]) == {
        "Reduce + Bcast",
        "Reduce_scatter_block + Allgather",
        f"{PARTS} Allreduce of a part each",
    }
    assert [name for name in by_name if name.startswith("Barrier")] == ["Barrier/8/0"]
    assert {guideline.procedure for guideline in GUIDELINES} == {
        question.cell.procedure for question in asked
    }
    asked = questions(1 << 20, [1024], too_large)
    assert "Allgather of 1 KiB on 1048576 processes" in too_large
    assert {question.cell.procedure for question in asked} == {
        "MPI_Allreduce",
        "MPI_Reduce",
        "MPI_Scan",
        "MPI_Barrier",
    } | {"MPI_Bcast"}


def test_a_violation_is_found_and_no_other() -> None:
    outcome = _compare(Calls(_slow_allreduce))
    # Where the larger message takes less time, the smaller one violates it.
    assert {(violation.procedure, violation.size) for violation in outcome.violated} == {
        ("MPI_Allreduce", 1024)
    }
    assert len(outcome.violated) == 3
    assert all(violation.interval.low < 2 < violation.interval.high for violation in outcome.violated)
    assert all(violation.own_us == pytest.approx(200, rel=0.1) for violation in outcome.violated)
    assert outcome.left == 0
    shown = _shown(outcome)
    assert_facts(shown, "4 processes .. 1 node: 3 .. 30")
    assert re.search(r"Allreduce of 1\.00 KiB on 4 processes [^.]*?[12]\.\d\d x \(.*?\)", shown)
    assert_facts(shown, "27 .. 17 .. 0")  # no violation of 27; of 17 calls against themselves, none differs
    # The others are counted, and none of them is named.
    assert "Barrier" not in shown


def test_larger_messages_that_take_less_time() -> None:
    outcome = _compare(
        Calls(lambda cell, arm: 1e-4 if isinstance(arm, Mockup) and arm.larger else 2e-4 + cell.size * 1e-9)
    )
    assert {violation.larger for violation in outcome.violated} == {1024}
    assert {violation.size for violation in outcome.violated} == {8}
    assert "Bcast of 1.00 KiB" in _shown(outcome)


@repeated(15, 40)
def test_chance_is_seldom_a_violation(times: int) -> None:
    """All calls take the same: any violation among all comparisons is one too many."""
    false = sum(bool(_compare(Calls(scatter=0.3, seed=seed)).violated) for seed in range(times))
    assert false <= 0.1 * times


def test_a_call_that_differs_from_itself_by_as_much_violates_nothing() -> None:
    calls = Calls(lambda _, arm: 1e-4 if isinstance(arm, Mockup) else 1.3e-4)
    assert len(_compare(calls).violated) == 30
    calls.drift = 0.7
    outcome = _compare(calls)
    assert not outcome.violated
    assert_facts(_shown(outcome), "17 .. 17 .. 1.44")


@pytest.mark.parametrize("unit", [1.0, 1e-2, 1e2])
def test_times_too_short_for_a_message_are_not_concluded_from(unit: float) -> None:
    """A barrier of 4 ranks has two messages in turn: each takes 10 us here, and 4 Bcast can't take 1 us."""

    def seconds(cell: Cell, arm: Arm) -> float:
        short = cell.procedure == "MPI_Bcast" and isinstance(arm, Mockup) and arm.name == "parts"
        return unit * (1e-6 if short else 20e-6)

    outcome = _compare(Calls(seconds))
    assert not outcome.violated
    assert {(comparison.procedure, comparison.against) for comparison in outcome.too_short} == {
        (guideline.procedure, guideline.words)
        for guideline in GUIDELINES
        if (guideline.procedure, guideline.mockup) == ("MPI_Bcast", "parts")
    }
    assert outcome.least_us == pytest.approx(max(0.1, unit * 5), rel=0.1)
    shown = _shown(outcome)
    assert_facts(shown, f"{len(outcome.too_short)} comparison .. {PARTS} Bcast")
    assert_facts(shown, f"{len(outcome.compared) - len(outcome.too_short)} .. 17 .. 0")
    document = guidelines_as_data(outcome, [])
    assert document["too_short"] == outcome.too_short
    assert not document["violated"]


def test_times_that_the_clock_can_not_tell_are_not_concluded_from() -> None:
    outcome = _compare(Calls(lambda _, arm: 5e-9 if isinstance(arm, Mockup) else 50e-9))
    assert not outcome.violated
    assert len(outcome.too_short) == len(outcome.compared)


def test_an_algorithm_that_cures_it() -> None:
    calls = Calls(_slow_allreduce)
    calls.offers = (Algorithm("bad", 1), Algorithm("good", 2))
    outcome = _compare(calls)
    for violation in outcome.violated:
        assert violation.cure is not None
        algorithm, held = violation.cure
        assert algorithm.name == "good"
        assert held.evidence.ratio == pytest.approx(4, rel=0.1)
    assert "good: 4.0" in _shown(outcome) or "good: 3.9" in _shown(outcome)
    calls.offers = (Algorithm("bad", 1),)
    assert all(violation.cure is None for violation in _compare(calls).violated)


def test_what_can_not_be_compared_is_said() -> None:
    calls = Calls()
    calls.unfit = {"Alltoall": "no", "Allgather": "ended"}
    outcome = _compare(calls, 8)
    assert outcome.unfit == {
        "Allgather of 8 B on 4 processes against Alltoall": "no",
        "Gather of 8 B on 4 processes against Allgather": "ended",
    }
    assert ("MPI_Allgather", "Gather + Bcast") in {
        (comparison.procedure, comparison.against) for comparison in outcome.compared
    }
    shown = _shown(outcome)
    for question, why in outcome.unfit.items():
        assert_facts(shown, f"{question} .. : {why}.")


@pytest.mark.parametrize(("end", "said"), [(Interrupted(), "Interrupted"), (OutOfTime(), "--budget")])
def test_what_is_known_stays(end: Exception, said: str) -> None:
    calls = Calls(_slow_allreduce)
    calls.ends_after, calls.end = 10, end
    outcome = _compare(calls)
    assert len(outcome.compared) == 30 - outcome.left
    assert 0 < outcome.left < 30
    assert said in outcome.ended
    assert len(outcome.violated) == 3
    assert_facts(_shown(outcome), f"{said} .. {outcome.left}")


def test_one_rank_alone() -> None:
    calls = Calls()
    calls.hosts = ("a",)
    with pytest.raises(RankwiseError, match="two or more"):
        compare(calls, [8], 0.95, 1, print)


def test_what_json_has() -> None:
    document = guidelines_as_data(_compare(Calls(_slow_allreduce)), ["a in b"])
    assert isinstance(document["violated"], list)
    assert isinstance(document["others"], list)
    assert (len(document["violated"]), len(document["others"])) == (3, 27)
    assert document["own_settings"] == ["a in b"]
    assert_facts(_shown(_compare(Calls()), "a in b"), ": a in b.")


def test_the_probe_knows_all_of_them() -> None:
    code = (PROBE / "mockups.c").read_text()
    there = set(re.findall(r'^    \{"([\w+]+)", "(\w+)", \w+\},$', code, re.MULTILINE))
    assert there == {(guideline.mockup, guideline.procedure.removeprefix("MPI_")) for guideline in GUIDELINES}
    assert f"PARTS = {PARTS}" in code


def test_the_batch() -> None:
    question = next(
        question for question in questions(2, [64, 128], []) if question.cell.procedure == "MPI_Allreduce"
    )
    arms: dict[str, Arm] = {"default": None, **question.others}
    lines = Batch(question.cell, arms, [["default"]], 7).text(Offers()).splitlines()
    assert lines.count("arm 0") == 5
    assert "mock Reduce+Bcast" in lines
    assert "larger 128" in lines


def test_sizes() -> None:
    assert listed_sizes("1K, 8,1M") == [8, 1024, 1 << 20]
    for text, line in [
        ("", "not a size"),
        ("8,,9", "not a size"),
        ("x", "not a size"),
        ("0", "out of range"),
        ("2G", "out of range"),
        ("8,8", "given twice"),
    ]:
        with pytest.raises(RankwiseError, match=line):
            listed_sizes(text)
