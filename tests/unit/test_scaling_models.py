"""Models of growth: laws are found from few noisy points, and predictions include the truth."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest

from rankwise.runs.models import Exponents, Fit, fit, student_quantile
from rankwise.views.runs.model_text import exponent_text, form_text, model_text

RANKS = (2, 4, 8, 16, 32, 64)
NOISE = 0.03
LAWS: dict[str, tuple[Callable[[float], float], str]] = {
    "constant": (lambda _: 0.1, "constant"),
    "logarithm": (lambda p: 0.02 * math.log2(p), "log2(p)"),
    "offset logarithm": (lambda p: 0.05 + 0.02 * math.log2(p), "c + log2(p)"),
    "linear": (lambda p: 0.003 * p, "p"),
    "offset linear": (lambda p: 0.05 + 0.003 * p, "c + p"),
    "root": (lambda p: 0.01 * p**0.5, "p^1/2"),
    "with logarithm": (lambda p: 0.001 * p * math.log2(p), "p log2(p)"),
    "square": (lambda p: 1e-4 * p * p, "p^2"),
    "shared work": (lambda p: 6.4 / p, "1/p"),
    "shared work and rest": (lambda p: 0.1 + 6.4 / p, "c + 1/p"),
}


def fitted(
    law: Callable[[float], float], runs: int, seed: int, ranks: Sequence[int] = RANKS, noise: float = NOISE
) -> Fit:
    chance = random.Random(seed)
    values = [[law(p) * (1 + noise * chance.gauss(0.0, 1.0)) for _ in range(runs)] for p in ranks]
    found = fit([(float(p),) for p in ranks], values, falls=law(64) < law(2))
    assert found is not None
    return found


@pytest.mark.parametrize("name", LAWS)
def test_exact_laws(name: str) -> None:
    law, form = LAWS[name]
    found = fitted(law, 1, 1, noise=0.0)
    assert form_text(found.model, ["p"]) == form
    assert found.predict((1024.0,)).value == pytest.approx(law(1024), rel=1e-3)


@pytest.mark.parametrize("name", LAWS)
def test_laws_with_noise(name: str) -> None:
    """Of 10 repetitions with three runs each, at least 7 find the law, and 9 intervals include the truth."""
    law, form = LAWS[name]
    found = [fitted(law, 3, seed) for seed in range(10)]
    assert sum(form_text(each.model, ["p"]) == form for each in found) >= 7
    predictions = [each.predict((1024.0,)) for each in found]
    assert sum(each.low <= law(1024) <= each.high for each in predictions) >= 9
    assert all(each.low <= each.value <= each.high for each in predictions)


def test_few_points_make_wide_intervals() -> None:
    law, _ = LAWS["offset logarithm"]

    def width(ranks: Sequence[int]) -> float:
        prediction = fitted(law, 3, 1, ranks).predict((1024.0,))
        return prediction.high - prediction.low

    assert width(RANKS[:4]) > width(RANKS)


def test_two_terms() -> None:
    found = fitted(lambda p: 0.02 * math.log2(p) + 0.003 * p, 3, 1, noise=0.001)
    assert form_text(found.model, ["p"]) == "log2(p) + p"


@pytest.mark.parametrize("ranks", [(2, 4, 8), (4,)])
def test_too_few_values(ranks: Sequence[int]) -> None:
    assert fit([(float(p),) for p in ranks], [[1.0] for _ in ranks], falls=False) is None


def test_nothing_at_all() -> None:
    found = fit([(float(p),) for p in RANKS], [[0.0] for _ in RANKS], falls=False)
    assert found is not None
    assert found.predict((1024.0,)).value == 0.0


def test_values_that_begin_at_zero() -> None:
    found = fitted(lambda p: 0.1 * math.log2(p), 1, 1, ranks=(1, 2, 4, 8, 16), noise=0.0)
    assert form_text(found.model, ["p"]) == "log2(p)"


@pytest.mark.parametrize(
    ("law", "form"),
    [
        (lambda p, size: 0.001 * size * p, "p size"),
        (lambda p, size: 0.02 * math.log2(p) + 0.001 * size, "size + log2(p)"),
        (lambda p, _: 0.02 * math.log2(p), "log2(p)"),
        (lambda _, size: 0.5 + 0.01 * size**2, "c + size^2"),
    ],
)
def test_two_parameters(law: Callable[[float, float], float], form: str) -> None:
    points = [(float(p), float(size)) for p in (2, 4, 8, 16) for size in (10, 20, 40, 80)]
    found = fit(points, [[law(*point)] for point in points], falls=False)
    assert found is not None
    assert form_text(found.model, ["p", "size"]) == form
    assert found.predict((1024.0, 80.0)).value == pytest.approx(law(1024, 80), rel=1e-2)


def test_text() -> None:
    found = fitted(LAWS["shared work and rest"][0], 1, 1, noise=0.0)
    assert model_text(found.model, ["p"], lambda value: f"{value:.2f} s") == "0.10 s + 6.40 s / p"
    assert [exponent_text(value) for value in (0.0, -0.001, 1.0, 0.934, -0.67)] == [
        "constant",
        "constant",
        "p",
        "p^0.93",
        "p^-0.67",
    ]
    assert Exponents(0.5, 1).of(4.0) == pytest.approx(4.0)


def test_quantiles_of_student() -> None:
    """From tables."""
    known = {1: 12.706, 5: 2.571, 10: 2.228, 11: 2.201, 15: 2.131, 30: 2.042, 120: 1.980}
    for degrees, value in known.items():
        assert student_quantile(degrees) == pytest.approx(value, rel=1e-3)
