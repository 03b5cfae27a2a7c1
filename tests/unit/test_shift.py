"""The interval of the difference of two sides of runs, against its definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rankwise.trials.shift import rank_sum_chances, shift_interval


@pytest.mark.parametrize(("one", "other"), [(1, 1), (1, 4), (3, 3), (2, 5), (4, 3)])
def test_the_distribution_is_that_of_all_orders(one: int, other: int) -> None:
    """Of all ways to choose the ranks of the one side, each is as likely; the statistic counts inversions."""
    counts = [0] * (one * other + 1)
    for ranks in combinations(range(one + other), one):
        others = [rank for rank in range(one + other) if rank not in ranks]
        counts[sum(rank > less for rank in ranks for less in others)] += 1
    assert rank_sum_chances(one, other) == pytest.approx([count / sum(counts) for count in counts])


def test_three_on_each_side_are_the_least() -> None:
    assert shift_interval([1, 2], [3, 4], 0.9) is None
    assert shift_interval([1, 2], [3, 4, 5], 0.9) is None
    interval = shift_interval([1, 2, 3], [11, 12, 13], 0.9)
    assert interval
    assert (interval.low, interval.high, interval.confidence) == (8, 12, pytest.approx(0.9))
    assert shift_interval([1, 2, 3], [11, 12, 13], 0.95) is None


def test_the_interval_of_scipy() -> None:
    """Mann and Whitney's test rejects exactly the shifts outside of the interval."""
    from scipy.stats import mannwhitneyu

    random = np.random.default_rng(1)
    before, after = random.normal(10, 1, 6).tolist(), random.normal(11, 1, 7).tolist()
    interval = shift_interval(before, after, 0.95)
    assert interval
    for shift, inside in (
        (interval.low - 1e-6, False),
        (interval.low + 1e-6, True),
        (interval.high - 1e-6, True),
        (interval.high + 1e-6, False),
    ):
        tested = mannwhitneyu(np.array(after) - shift, before, method="exact")
        assert (tested.pvalue > 0.05) == inside


def test_the_confidence_is_kept() -> None:
    """Of sides alike, about one in ten intervals of 90 % leaves out 0; never more."""
    random = np.random.default_rng(2)
    missed = 0
    for _ in range(2000):
        interval = shift_interval(random.lognormal(size=4).tolist(), random.lognormal(size=5).tolist(), 0.9)
        assert interval
        missed += not interval.low <= 0 <= interval.high
    assert missed / 2000 == pytest.approx(1 - interval.confidence, abs=0.02)
    assert interval.confidence >= 0.9
