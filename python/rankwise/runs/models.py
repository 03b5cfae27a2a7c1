"""Models of how a figure grows with the number of ranks, and with a second parameter.

A model is in the performance model normal form of Extra-P: a constant and one or two terms

    c * p^i * log2(p)^j

with exponents of a small set. Two parameters p and q give c0 + c1 f(p) g(q), or c0 + c1 f(p) + c2 g(q), where
f and g are such terms. All coefficients are positive: times and bytes are.

Every combination of exponents is fitted by least squares of the relative errors. From few points, the best
fit is often the most complicated model, so two guards choose: the corrected information criterion of Akaike
(AICc), with an additional cost for each term and for unusual exponents, and leave-one-out cross-validation.
The model is the simplest one that neither guard finds significantly worse than the best. All models that are
about as likely make the interval of a prediction, with their Akaike weights: where six numbers of ranks can't
distinguish log2(p) from p^(1/4), the interval at 1,024 ranks includes both.

Sources: Calotoiu, Hoefler, Poke, Wolf, SC 2013 (normal form, sets of exponents); Calotoiu et al., IEEE
Cluster 2016 (several parameters); Burnham and Anderson, Model Selection and Multimodel Inference, 2002 (AICc,
weights).

RATIONALE: the package `extrap` on PyPI fits the same models, but installs PySide6, matplotlib and Marshmallow
for its graphical interface, and its predictions have no interval. NumPy is enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAST_VALUES = 4
"""Different values of each parameter that a model needs."""
CONFIDENCE = 0.95
"""Of the interval of a prediction."""

_POWERS = tuple(sorted({quarters / 4 for quarters in range(1, 13)} | {thirds / 3 for thirds in range(1, 10)}))
_LOGARITHMS = (0, 1, 2)
_USUAL = {(0.0, 1), (0.5, 0), (1.0, 0), (1.0, 1), (2.0, 0), (-0.5, 0), (-1.0, 0), (-2.0, 0)}
_COST_FACTOR = 4.0  # in units of AICc; with the next one, 2 ln of the number of factors that are tried
_COST_UNUSUAL = 4.0
_AS_GOOD = 6.0  # difference of AICc up to which a simpler model is not significantly worse
_STANDARD_ERRORS = 2.0  # of the mean square error by cross-validation, with the same meaning
_LIKELY = 10.0  # difference of AICc up to which a model is part of the interval
_LEAST_ERROR = 1e-3  # relative: no measurement is more exact
_LEAST_SHARE = 1e-2  # of the largest value: errors of smaller values are relative to this
_NEGLIGIBLE = 0.05  # of the value at a point: a term that is nowhere larger does not exist
_SINGULAR = 1e-9

Floats = NDArray[np.float64]


class Exponents(NamedTuple):
    """A factor x^power * log2(x)^logarithm."""

    power: float
    logarithm: int

    def of(self, value: float) -> float:
        """Return the factor at a value of the parameter, at least 1."""
        return float(value**self.power * math.log2(value) ** self.logarithm)


CONSTANT = Exponents(0.0, 0)
Columns = tuple[tuple[Exponents, ...], ...]
"""Of a hypothesis: for each coefficient the exponents of each parameter."""


@dataclass(frozen=True)
class Term:
    """A term of a model.

    Attributes:
        coefficient: above 0, in the unit of the figure.
        exponents: of each parameter.
    """

    coefficient: float
    exponents: tuple[Exponents, ...]

    def value(self, at: Sequence[float]) -> float:
        """Return the value at a point: a value of each parameter, at least 1."""
        return self.coefficient * math.prod(
            factor.of(value) for factor, value in zip(self.exponents, at, strict=True)
        )


@dataclass(frozen=True)
class Model:
    """A model.

    Attributes:
        constant: in the unit of the figure.
        terms: none, one or two; the fastest growing last.
        cross_validated: root of the mean square of the relative errors at points that were left out.
    """

    constant: float
    terms: tuple[Term, ...]
    cross_validated: float

    def value(self, at: Sequence[float]) -> float:
        """Return the value at a point: a value of each parameter, at least 1."""
        return self.constant + sum(term.value(at) for term in self.terms)


@dataclass(frozen=True)
class Prediction:
    """A figure at a point that was not measured, with the interval of `CONFIDENCE`."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Fit:
    """The chosen model, and all that are about as likely.

    Attributes:
        model: the chosen one.
        likely: the others, in any order.
    """

    model: Model
    likely: tuple[_Likely, ...]

    def predict(self, at: Sequence[float]) -> Prediction:
        """Return the figure at a point."""
        means = np.array([each.model.value(at) for each in self.likely])
        widths = np.array([each.width(at) for each in self.likely])
        weights = np.array([each.weight for each in self.likely])
        value = self.model.value(at)
        tail = (1 - CONFIDENCE) / 2
        low, high = (_quantile(means, widths, weights, share) for share in (tail, 1 - tail))
        return Prediction(value, max(0.0, min(low, value)), max(high, value))


@dataclass(frozen=True)
class _Likely:
    """A model with what its interval needs.

    Attributes:
        model: the model.
        weight: its Akaike weight.
        columns: exponents of each coefficient; the constant has none.
        inverse: inverse of the normal matrix.
        scale: standard deviation of a run, relative, times Student's factor for few runs.
    """

    model: Model
    weight: float
    columns: tuple[tuple[Exponents, ...], ...]
    inverse: Floats
    scale: float

    def width(self, at: Sequence[float]) -> float:
        """Return the standard deviation of a run at a point: of the coefficients, and of a run."""
        row = np.array([Term(1.0, column).value(at) for column in self.columns])
        return float(self.scale * math.sqrt(max(row @ self.inverse @ row, 0.0) + self.model.value(at) ** 2))


def fit(points: Sequence[Sequence[float]], runs: Sequence[Sequence[float]], *, falls: bool) -> Fit | None:
    """Return the model of a figure; None if a parameter has too few different values.

    Args:
        points: values of the parameters, at least 1, of each point.
        runs: the figure in each run at this point, at least one.
        falls: whether the figure may fall with more ranks: then powers below 0 are tried, too.
    """
    parameters = len(points[0]) if points else 0
    if any(len({point[number] for point in points}) < LEAST_VALUES for number in range(parameters)):
        return None
    data = _Data.of(points, runs)
    if data is None:
        return Fit(Model(0.0, (), 0.0), ())
    fitted = [each for group in _groups(parameters, falls) for each in _fitted(data, group)]
    best = min(fitted, key=lambda each: each.criterion)
    as_good = [each for each in fitted if each.criterion <= best.criterion + _AS_GOOD]
    limit = math.sqrt(best.cross_validated**2 + _STANDARD_ERRORS * best.uncertainty)
    simple = [each for each in as_good if each.cross_validated <= limit]
    chosen = min(simple, key=lambda each: (len(each.columns), each.cost, each.criterion))
    likely = [each for each in fitted if each.criterion <= best.criterion + _LIKELY]
    return Fit(chosen.model, tuple(each.likely(best.criterion) for each in likely))


@dataclass(frozen=True)
class _Data:
    """Measurements relative to the median of their point.

    Attributes:
        points: values of the parameters, shape (points, parameters).
        weights: 1 / median; smaller medians count as a hundredth of the largest; shape (points,).
        counts: number of runs, shape (points,).
        means: of the runs, times the weights, shape (points,).
        within: sum of the squares of the runs' deviations from `means`.
    """

    points: Floats
    weights: Floats
    counts: Floats
    means: Floats
    within: float

    @classmethod
    def of(cls, points: Sequence[Sequence[float]], runs: Sequence[Sequence[float]]) -> _Data | None:
        """Return the data; None if all values are 0."""
        medians = np.array([float(np.median(values)) for values in runs])
        largest = float(medians.max())
        if largest <= 0:
            return None
        weights = 1 / np.maximum(medians, _LEAST_SHARE * largest)
        means = np.array([float(np.mean(values)) for values in runs]) * weights
        within = sum(
            float(((np.array(values) * weight - mean) ** 2).sum())
            for values, weight, mean in zip(runs, weights, means, strict=True)
        )
        counts = np.array([float(len(values)) for values in runs])
        return cls(np.array(points, dtype=float), weights, counts, means, within)


@dataclass(frozen=True)
class _Fitted:
    """A hypothesis with its coefficients."""

    model: Model
    columns: tuple[tuple[Exponents, ...], ...]
    cost: float
    criterion: float
    cross_validated: float
    uncertainty: float
    inverse: Floats
    scale: float

    def likely(self, best: float) -> _Likely:
        weight = math.exp(-(self.criterion - best) / 2)
        return _Likely(self.model, weight, self.columns, self.inverse, self.scale)


@cache
def _factors(falls: bool) -> tuple[Exponents, ...]:
    growing = [Exponents(power, logarithm) for power in (0.0, *_POWERS) for logarithm in _LOGARITHMS]
    # (A falling power with a larger logarithm rises from 2 to 4 ranks before it falls: it imitates all laws.)
    falling = [
        Exponents(-power, logarithm) for power in _POWERS for logarithm in _LOGARITHMS if logarithm <= power
    ]
    return (*growing[1:], *(falling if falls else ()))


@cache
def _groups(parameters: int, falls: bool) -> tuple[tuple[Columns, ...], ...]:
    """Return hypotheses by their number of coefficients: exponents of each column."""
    constant = (CONSTANT,) * parameters
    first = _factors(falls)
    single: list[tuple[Exponents, ...]]
    pairs: list[Columns]
    if parameters == 1:
        single = [(factor,) for factor in first]
        pairs = [(one, other) for number, one in enumerate(single) for other in single[number + 1 :]]
    else:
        second = _factors(falls=False)
        alone = [(factor, CONSTANT) for factor in first], [(CONSTANT, factor) for factor in second]
        single = [*alone[0], *alone[1], *product(first, second)]
        pairs = [*product(*alone)]
    return (
        ((constant,), *((column,) for column in single)),
        (*((constant, column) for column in single), *pairs),
        tuple((constant, *pair) for pair in pairs),
    )


@cache
def _design(group: tuple[Columns, ...], points: tuple[tuple[float, ...], ...]) -> Floats:
    """Return the columns of hypotheses at points, shape (hypotheses, points, coefficients)."""
    values: dict[tuple[Exponents, ...], list[float]] = {}
    for columns in group:
        for column in columns:
            if column not in values:
                values[column] = [Term(1.0, column).value(point) for point in points]
    table: Floats = np.array([[values[column] for column in columns] for columns in group])
    return np.ascontiguousarray(table.transpose(0, 2, 1))


@cache
def _costs(group: tuple[Columns, ...]) -> Floats:
    return np.array([_cost(columns) for columns in group])


def _cost(columns: Columns) -> float:
    factors = [factor for column in columns for factor in column if factor != CONSTANT]
    unusual = sum(tuple(factor) not in _USUAL for factor in factors)
    return _COST_FACTOR * len(factors) + _COST_UNUSUAL * unusual


def _fitted(data: _Data, group: tuple[Columns, ...]) -> Iterator[_Fitted]:
    """Fit all hypotheses of one number of coefficients, and give the possible ones."""
    total = float(data.counts.sum())
    coefficients = len(group[0])
    if total - coefficients - 1 <= 0 or len(data.counts) <= coefficients:
        return
    design = _design(group, tuple(map(tuple, data.points.tolist()))) * data.weights[None, :, None]
    norms = np.sqrt((design**2 * data.counts[None, :, None]).sum(axis=1))
    norms[norms == 0] = 1.0
    scaled = design / norms[:, None, :]
    normal = (scaled * data.counts[None, :, None]).transpose(0, 2, 1) @ scaled
    sound = np.linalg.det(normal) > _SINGULAR
    inverse = np.zeros_like(normal)
    inverse[sound] = np.linalg.inv(normal[sound])
    spread = scaled @ inverse
    solved = (data.counts * data.means) @ spread
    errors = (scaled @ solved[:, :, None])[:, :, 0] - data.means
    # A point is left out with all of its runs.
    leverage = (spread * scaled).sum(axis=2) * data.counts
    left_out = errors / np.maximum(1 - leverage, _SINGULAR)
    squares = (errors**2 * data.counts).sum(axis=1) + data.within
    squares_left_out = left_out**2
    variance = np.maximum(squares / total, _LEAST_ERROR**2)
    few = 2 * coefficients * (coefficients + 1) / (total - coefficients - 1)
    costs = _costs(group)
    criterion = total * np.log(variance) + 2 * coefficients + few + costs
    shares = (scaled * solved[:, None, :]).max(axis=1)
    sound &= (shares > _NEGLIGIBLE).all(axis=1) & np.isfinite(criterion)
    if not sound.any():
        return
    sound &= criterion <= criterion[sound].min() + _LIKELY
    student = _student(total - coefficients)
    for number in np.flatnonzero(sound):
        values = solved[number] / norms[number]
        validated = float(np.sqrt(squares_left_out[number].mean()))
        deviation = math.sqrt(max(float(squares[number]) / (total - coefficients), _LEAST_ERROR**2))
        scale = np.outer(norms[number], norms[number])
        yield _Fitted(
            model=_model(group[number], values.tolist(), validated),
            columns=group[number],
            cost=float(costs[number]),
            criterion=float(criterion[number]),
            cross_validated=validated,
            uncertainty=float(squares_left_out[number].std() / math.sqrt(len(data.counts))),
            inverse=inverse[number] / scale,
            scale=deviation * student,
        )


def _model(columns: Columns, values: Sequence[float], validated: float) -> Model:
    constant = sum(value for column, value in zip(columns, values, strict=True) if {*column} == {CONSTANT})
    terms = [
        Term(value, column) for column, value in zip(columns, values, strict=True) if {*column} != {CONSTANT}
    ]
    return Model(constant, tuple(sorted(terms, key=lambda term: term.exponents)), validated)


def _student(degrees: float) -> float:
    """Return the 97.5 % quantile of Student's distribution / the same of the normal distribution."""
    return student_quantile(int(degrees)) / _NORMAL


_NORMAL = 1.959964
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


def student_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's distribution, to 0.1 %.

    Args:
        degrees: of freedom, at least 1.
    """
    if degrees <= len(_STUDENT):
        return _STUDENT[degrees - 1]
    z = _NORMAL
    return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)


def _quantile(means: Floats, widths: Floats, weights: Floats, share: float) -> float:
    """Return a quantile of a mixture of normal distributions, by bisection."""
    if not len(means):
        return 0.0
    low, high = float((means - 12 * widths).min()), float((means + 12 * widths).max())
    total = float(weights.sum())
    for _ in range(60):
        middle = (low + high) / 2
        below = sum(
            weight * _normal_share((middle - mean) / width)
            for mean, width, weight in zip(means.tolist(), widths.tolist(), weights.tolist(), strict=True)
        )
        low, high = (middle, high) if below < share * total else (low, middle)
    return (low + high) / 2


def _normal_share(deviation: float) -> float:
    return 0.5 * math.erfc(-deviation / math.sqrt(2))
