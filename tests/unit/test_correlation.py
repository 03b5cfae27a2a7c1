"""Rank correlations, their intervals and their probabilities, against SciPy and against simulation."""

from __future__ import annotations

import numpy as np
import pytest

from exhaustive import repeated
from rankwise.runs.correlation import (
    interval_95,
    least_values,
    rank_correlations,
    slope,
    slope_interval_95,
)
from rankwise.runs.significance import corrected, rank_sum_chance, sign_chance


def test_spearman_of_scipy() -> None:
    from scipy.stats import spearmanr

    random = np.random.default_rng(1)
    wall = random.normal(size=25)
    others = np.array([wall * share + random.normal(size=25) for share in (0.0, 0.5, 1.0, -1.0)])
    others[0] = others[0].round()  # equal values
    correlations, chances = rank_correlations(wall, others)
    for values, correlation, chance in zip(others, correlations, chances, strict=True):
        expected = spearmanr(wall, values)
        assert correlation == pytest.approx(expected.statistic)
        assert chance == pytest.approx(expected.pvalue, abs=0.01)


def test_few_values_have_exact_probabilities() -> None:
    """Of the 120 orders of 5, only up and down are as far from 0 as a perfect correlation."""
    correlations, chances = rank_correlations(np.arange(5.0), np.array([[1.0, 2, 3, 4, 9], [5, 4, 3, 2, 1]]))
    assert correlations == pytest.approx([1, -1])
    assert chances == pytest.approx([2 / 120, 2 / 120])


@repeated(150, 400)
def test_how_often_an_interval_holds_the_truth(times: int) -> None:
    random = np.random.default_rng(2)
    shared, n = 0.8, 20
    # Spearman's correlation of normal numbers whose linear one is this.
    truth = 6 / np.pi * np.arcsin(shared / 2)
    inside = 0
    for _ in range(times):
        x = random.normal(size=n)
        y = shared * x + np.sqrt(1 - shared**2) * random.normal(size=n)
        ((correlation,), _) = rank_correlations(x, y[None, :])
        interval = interval_95(float(correlation), n)
        assert interval
        inside += interval[0] <= truth <= interval[1]
    assert inside >= 0.92 * times


def test_a_perfect_correlation_is_not_certain() -> None:
    interval = interval_95(1.0, 8)
    assert interval
    assert 0.7 < interval[0] < 1.0
    assert interval[1] == 1.0
    assert interval_95(1.0, 3) is None


@pytest.mark.parametrize(("candidates", "least"), [(1, 5), (3, 5), (4, 6), (60, 7), (1000, 8)])
def test_how_many_values_are_needed(candidates: int, least: int) -> None:
    assert least_values(candidates, 0.05) == least


def test_slope_of_scipy() -> None:
    from scipy.stats import theilslopes

    random = np.random.default_rng(3)
    x = random.normal(size=15)
    y = 3 * x + random.normal(size=15)
    assert slope(x, y) == pytest.approx(theilslopes(y, x).slope)
    assert slope(np.ones(4), np.arange(4.0)) == 0


def test_chances_of_scipy() -> None:
    from scipy.stats import binomtest, mannwhitneyu

    random = np.random.default_rng(4)
    for early, late in ((3, 5), (8, 8), (60, 60)):
        before, after = random.normal(0, 1, early), random.normal(0.5, 1, late)
        method = "exact" if early < 60 else "asymptotic"
        expected = mannwhitneyu(before, after, method=method).pvalue
        assert rank_sum_chance(before.tolist(), after.tolist()) == pytest.approx(expected, abs=2e-3)
    for positive, of_all in ((0, 5), (5, 5), (17, 20)):
        expected = binomtest(positive, of_all, alternative="greater").pvalue
        assert sign_chance(positive, of_all) == pytest.approx(expected)


def test_the_correction() -> None:
    """Holm: the least times their number, the next times one less, and never less than the previous."""
    assert corrected([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert corrected([0.9, 0.8]) == [1.0, 1.0]
    assert corrected([]) == []


def test_how_often_the_interval_of_a_slope_holds_the_truth() -> None:
    from scipy.stats import theilslopes

    random = np.random.default_rng(4)
    inside = 0
    for _ in range(400):
        x = random.normal(size=12)
        y = 3 * x + random.standard_t(3, size=12)
        low, high = slope_interval_95(x, y)
        expected = theilslopes(y, x)
        assert low <= expected.low_slope < expected.high_slope <= high
        inside += low <= 3 <= high
    assert 0.93 * 400 <= inside < 400


def test_the_slope_of_few_values_is_unknown() -> None:
    assert slope_interval_95(np.arange(3.0), np.arange(3.0)) == (-np.inf, np.inf)
    assert slope_interval_95(np.arange(8.0), 2 * np.arange(8.0)) == pytest.approx((2, 2))
