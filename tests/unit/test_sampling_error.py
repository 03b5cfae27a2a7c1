"""The error of what is estimated from a sample, against sums that are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from rankwise.analysis.waiting.errors import sampling_error

CALLS, SAMPLE, TRIALS = 3000, 96, 1500


def population(kind: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """Make calls of which most wait a little and few for long, by kind."""
    if kind == "uniform":
        return rng.uniform(0, 2, CALLS)
    if kind == "exponential":
        return rng.exponential(1.0, CALLS)
    if kind == "lognormal":
        return rng.lognormal(0.0, 1.0, CALLS)
    return np.where(rng.random(CALLS) < 0.05, 100.0, 1.0)


@pytest.mark.parametrize(
    ("kind", "least"), [("uniform", 94), ("exponential", 94), ("lognormal", 93.5), ("rare", 94)]
)
def test_the_truth_is_within_it(kind: str, least: float) -> None:
    rng = np.random.default_rng(7)
    within = normal = 0
    for _ in range(TRIALS):
        calls = population(kind, rng)
        sample = rng.choice(calls, SAMPLE, replace=False)
        rest = (sample - sample.mean()) * CALLS / SAMPLE
        factor = (1 - SAMPLE / CALLS) * SAMPLE / (SAMPLE - 1)
        second, third = factor * (rest**2).sum(), factor**2 * (rest**3).sum()
        off = abs(sample.mean() * CALLS - calls.sum())
        within += off <= sampling_error(second, third)
        normal += off <= sampling_error(second, 0.0)
    assert 100 * within / TRIALS >= least
    if kind in ("lognormal", "rare"):
        assert 100 * normal / TRIALS < 92  # what the skewness is for


def test_of_what_is_all_known() -> None:
    assert sampling_error(0.0, 0.0) == 0.0
    assert sampling_error(4.0, 0.0) == pytest.approx(1.96 * 2)
    assert sampling_error(4.0, -8.0) == sampling_error(4.0, 8.0) > sampling_error(4.0, 0.0)
