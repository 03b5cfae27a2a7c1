"""Changes of the level of series: planted ones are found, and there are hardly any false alarms."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from exhaustive import repeated
from rankwise.runs import change_points as module
from rankwise.runs.change_points import FALSE_ALARMS, LEAST_POINTS, change_points

Noise = Callable[[np.random.Generator, int], NDArray[np.float64]]


def normal(random: np.random.Generator, n: int) -> NDArray[np.float64]:
    return random.normal(1, 0.03, n)


def heavy(random: np.random.Generator, n: int) -> NDArray[np.float64]:
    """A tenth of the values is far from the others."""
    return 1 + 0.03 * random.exponential(1, n) * random.choice([1.0, 10.0], n, p=[0.9, 0.1])


def coarse(random: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Many equal values."""
    return random.integers(0, 4, n).astype(float)


NOISES = pytest.mark.parametrize("noise", [normal, heavy, coarse])


def most(trials: int) -> int:
    """The most false alarms in some trials at the permitted rate, except once in 1000 times."""
    up_to = 0.0
    for count in range(trials):
        up_to += math.comb(trials, count) * FALSE_ALARMS**count * (1 - FALSE_ALARMS) ** (trials - count)
        if up_to >= 0.999:
            return count
    return trials


@NOISES
@repeated(70, 200)
def test_false_alarms(noise: Noise, times: int) -> None:
    random = np.random.default_rng(1)
    alarms = sum(bool(change_points(noise(random, 40))) for _ in range(times))
    assert alarms <= most(times)


@NOISES
@repeated(50, 150)
def test_false_alarms_beside_a_change(noise: Noise, times: int) -> None:
    random = np.random.default_rng(2)
    alarms = 0
    for _ in range(times):
        values = noise(random, 40)
        values[23:] += 100.0
        points = [point.begin for point in change_points(values)]
        assert 23 in points
        alarms += len(points) > 1
    assert alarms <= most(times)


def test_a_change_of_eight_percent_in_noise_of_three() -> None:
    random = np.random.default_rng(3)
    found = exact = near = 0
    for _ in range(100):
        values = normal(random, 40)
        values[25:] *= 1.08
        points = [point.begin for point in change_points(values)]
        found += bool(points)
        exact += 25 in points
        near += bool({24, 25, 26} & {*points})
    assert (found, exact > 65, near > 85) == (100, True, True)


def test_a_change_that_is_taken_back() -> None:
    """Neither the first nor the last values differ."""
    random = np.random.default_rng(4)
    values = normal(random, 40)
    values[15:25] *= 1.2
    assert [point.begin for point in change_points(values)] == [15, 25]


def test_the_newest_values_only() -> None:
    values = normal(np.random.default_rng(5), 40)
    values[36:] *= 1.3
    assert [point.begin for point in change_points(values)] == [36]
    values = normal(np.random.default_rng(5), 40)
    values[39:] *= 1.3
    assert change_points(values) == []  # one of forty is the slowest, and it may be the last


def test_several_changes() -> None:
    values = normal(np.random.default_rng(6), 90)
    values[30:] *= 1.3
    values[60:] *= 1.3
    points = change_points(values)
    assert [point.begin for point in points] == [30, 60]
    assert all(point.chance <= FALSE_ALARMS for point in points)


@pytest.mark.parametrize("values", [[], [1.0], [1.0] * 50, [*range(LEAST_POINTS - 1)]])
def test_nothing_to_tell(values: list[float]) -> None:
    assert change_points(values) == []


def test_the_least_number_of_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """A perfect step among so many is rare enough; among fewer ones it is not."""

    def step(n: int) -> list[float]:
        random = np.random.default_rng(7)
        return [*random.uniform(1, 2, n // 2), *random.uniform(5, 6, n - n // 2)]

    assert [point.begin for point in change_points(step(LEAST_POINTS))] == [LEAST_POINTS // 2]
    monkeypatch.setattr(module, "LEAST_POINTS", 2)
    assert change_points(step(LEAST_POINTS - 1)) == []


def test_an_order_without_meaning() -> None:
    """Only the order counts: the same values, shuffled, have no change."""
    values = np.array([1.0] * 20 + [2.0] * 20)
    assert len(change_points(values)) == 1
    assert change_points(np.random.default_rng(8).permutation(values)) == []


def test_the_scale_does_not_matter() -> None:
    values = normal(np.random.default_rng(9), 60)
    values[20:] *= 1.2
    assert change_points(values) == change_points(1e6 * values**3)


def test_long_series() -> None:
    values = normal(np.random.default_rng(10), 500)
    values[321:] *= 1.08
    assert any(abs(point.begin - 321) <= 3 for point in change_points(values))


@pytest.mark.parametrize(("length", "n"), [(1, 5), (2, 7), (4, 9), (6, 9)])
def test_the_distribution_of_sums_of_ranks(length: int, n: int) -> None:
    sums = [abs(2 * sum(ranks) - length * (n + 1)) for ranks in combinations(range(1, n + 1), length)]
    for distance in range(length * (n - length) + 1):
        chance = sum(far >= distance for far in sums) / len(sums)
        (score,) = module._scores(np.array([distance]), length, n)
        assert math.exp(-score) == pytest.approx(chance)
