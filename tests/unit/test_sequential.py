"""Pairs that are looked at again and again: how often a test of them is wrong. Truths are known."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from noises import NOISES
from test_race import at_most

from exhaustive import repeated
from rankwise.trials.plan import Aim, robust_scatter
from rankwise.trials.sequential import MISS, PairedTest, first_pairs

AIM = Aim(confidence=0.95, resolve=0.03, seconds=1.0)


def the_test(
    gain: float, noise: str, generator: np.random.Generator, most: int, aim: Aim = AIM
) -> PairedTest:
    """Run pairs, the one side of which takes so many times as long."""
    test = PairedTest(aim)
    while not test.decision and test.pairs < most:
        if test.pairs in test.looks and not test.can_decide(most - test.pairs):
            break
        before, after = NOISES[noise](generator, 2)
        test.add(float(before) * gain, float(after))
    return test


@repeated(130, 400)
@pytest.mark.parametrize("noise", NOISES)
def test_no_gain_is_seldom_called_one(noise: str, times: int) -> None:
    generator, runs = np.random.default_rng(1), times
    outcomes = [the_test(1.0, noise, generator, 60) for _ in range(runs)]
    faster = sum(
        outcome.interval is not None and outcome.interval.verdict == "faster" for outcome in outcomes
    )
    slower = sum(outcome.decision == "slower" for outcome in outcomes)
    assert at_most(faster, runs, 0.025)
    assert at_most(slower, runs, 0.025)


@pytest.mark.parametrize(("noise", "resolve"), [("normal", 0.03), ("skewed", 0.1), ("spikes", 0.03)])
def test_twice_what_was_asked_for_is_seldom_missed(noise: str, resolve: float) -> None:
    """Of a gain that is there, "no gain" is said no more often than stated, and most of them are proven."""
    generator, runs = np.random.default_rng(2), 200
    aim = replace(AIM, resolve=resolve)
    outcomes = [the_test(1 + 2 * resolve, noise, generator, 300, aim) for _ in range(runs)]
    assert at_most(sum(outcome.decision in ("no gain", "slower") for outcome in outcomes), runs, MISS)
    proven = [
        outcome
        for outcome in outcomes
        if outcome.interval is not None and outcome.interval.verdict == "faster"
    ]
    assert len(proven) >= (1 - MISS) * runs - 3 * (MISS * (1 - MISS) * runs) ** 0.5


def test_where_nothing_helps_it_ends() -> None:
    generator, runs = np.random.default_rng(3), 100
    outcomes = [the_test(1.0, "normal", generator, 300) for _ in range(runs)]
    assert sum(outcome.decision in ("no gain", "slower") for outcome in outcomes) >= 0.9 * runs
    assert max(outcome.pairs for outcome in outcomes) < 300


def test_large_gains_take_few_pairs_even_with_outliers() -> None:
    generator, runs = np.random.default_rng(4), 100
    quiet = [the_test(1.95, "normal", generator, 100) for _ in range(runs)]
    assert {outcome.pairs for outcome in quiet} == {6}
    noisy = [the_test(1.95, "wide", generator, 100) for _ in range(runs)]
    assert sum(outcome.decision == "faster" for outcome in noisy) >= 0.95 * runs
    assert np.mean([outcome.pairs for outcome in noisy]) < 20


@repeated(130, 400)
def test_intervals_of_all_looks_cover_together(times: int) -> None:
    generator, runs = np.random.default_rng(5), times
    wrong = 0
    for _ in range(runs):
        interval = the_test(1.1, "wide", generator, 60).interval
        assert interval is not None
        wrong += not interval.low <= 1.1 <= interval.high
    assert at_most(wrong, runs, 0.05)


def test_what_pairs_would_probably_decide_does() -> None:
    generator, runs = np.random.default_rng(6), 200
    decided = 0
    for _ in range(runs):
        test = PairedTest(AIM)
        pairs = NOISES["normal"](generator, 2000).reshape(-1, 2) * (1.04, 1.0)
        for before, after in pairs[:8]:
            test.add(before, after)
        if test.decision:
            decided += 1
            continue
        more = test.further_pairs()
        assert more is not None
        for before, after in pairs[8 : 8 + more]:
            if not test.decision:
                test.add(before, after)
        test.look()
        decided += bool(test.decision)
    assert decided >= 0.6 * runs


def test_it_goes_on_from_its_pairs_and_looks() -> None:
    generator = np.random.default_rng(7)
    first = the_test(1.05, "wide", generator, 10)
    first.look()
    assert first.looks == [6, 9, 10]
    again = PairedTest(AIM)
    for number, pair in enumerate(zip(first.before, first.after, strict=True), 1):
        again.add(*pair)
        if number in first.looks:
            again.look()
    assert (again.looks, again.interval, again.next_look) == (first.looks, first.interval, 14)


def test_fixed_numbers_are_looked_at_once() -> None:
    test = PairedTest(Aim(rounds=9, resolve=0.03))
    for number in range(9):
        assert not test.decision
        assert test.allowed() == 9 - number
        test.add(1.0 + number / 100, 1.0)
    assert (test.looks, test.decision, test.allowed()) == ([9], "faster", 0)
    test = PairedTest(Aim(rounds=6))
    for number in range(6):
        test.add(1.0 + number % 2, 1.5)
    assert test.decision == "measured"


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.975, 1 - 0.05 / 3, 0.99])
def test_the_first_look_can_prove(confidence: float) -> None:
    aim = Aim(confidence)
    test = PairedTest(aim)
    for number in range(first_pairs(aim)):
        test.add(2.0 + number / 10, 1.0)
    assert test.decision == "faster"
    assert test.interval is not None
    assert test.interval.confidence == confidence


def test_without_hope_it_is_not_gone_on_with() -> None:
    """The scatter of 50 % hides whether 3 % are none or 6 %."""
    test = PairedTest(AIM)
    for number in range(27):
        test.add(1.03 * math.exp(NormalDist(0, 0.5).inv_cdf((10 * number % 27 + 0.5) / 27)), 1.0)
    assert (test.decision, test.looks[-1]) == ("", 27)
    assert not test.can_decide(3)
    assert test.can_decide(300)
    assert test.further_pairs() is None


def test_a_scatter_that_outliers_do_not_move() -> None:
    values = np.random.default_rng(9).standard_normal(1000)
    assert robust_scatter(values) == pytest.approx(1, abs=0.1)
    values[:100] = 1000.0
    assert robust_scatter(values) < 1.5
