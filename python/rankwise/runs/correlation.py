"""Rank correlation of many candidates with one quantity, with probabilities by permutation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

_ALL_ORDERS_OF = 8  # values: of more, a sample of the orders is looked at
_SAMPLE, _SAMPLE_OF_CANDIDATE = 9999, 100  # orders
_BLOCK = 2000  # orders that are in memory at once
_SEED = 20_260_801
_NORMAL_95 = 1.959964
_DIGITS, _ROUNDING = 12, 1e-9
_INTERVAL_FROM = 4  # values


def rank_correlations(quantity: Values, candidates: Values) -> tuple[Values, Values]:
    """Return Spearman's rank correlation of each candidate with a quantity, and its probability by chance.

    How likely is a correlation this far from 0, in any direction, if each order of the quantity is equally
    likely? Exact for few values, from a sample of the orders otherwise.

    Args:
        quantity: shape (n,).
        candidates: shape (candidates, n); in none are all values equal.

    Returns:
        Two arrays of shape (candidates,).
    """
    n = len(quantity)
    own = _standard_ranks(quantity)
    others = np.array([_standard_ranks(values) for values in candidates])
    correlations = np.clip(np.round(others @ own, _DIGITS), -1.0, 1.0)
    beyond = np.abs(correlations) - _ROUNDING
    counts, orders = np.zeros(len(candidates)), 0
    for block in _orders(n, len(candidates)):
        counts += (np.abs(own[block] @ others.T) >= beyond).sum(axis=0)
        orders += len(block)
    if n <= _ALL_ORDERS_OF:
        return correlations, counts / orders
    return correlations, (1 + counts) / (1 + orders)


def interval_95(correlation: float, n: int) -> tuple[float, float] | None:
    """Return the confidence interval of 95 % of a rank correlation; None = too few values.

    Fisher's transformation, with the variance for ranks of Bonett and Wright, Psychometrika 65, 2000.

    Args:
        correlation: from -1 to 1.
        n: number of values.
    """
    if n < _INTERVAL_FROM:
        return None
    next_to_1 = 1 - 12 / (n * (n**2 - 1))  # two neighbours in the wrong order
    inner = min(max(correlation, -next_to_1), next_to_1)
    half = _NORMAL_95 * math.sqrt((1 + inner**2 / 2) / (n - 3))
    low, high = math.tanh(math.atanh(inner) - half), math.tanh(math.atanh(inner) + half)
    return min(low, correlation), max(high, correlation)


def least_values(candidates: int, level: float) -> int:
    """Return how many values are needed for a perfect correlation to be significant among candidates."""
    n = 2
    while candidates * 2 / math.factorial(n) > level:
        n += 1
    return n


def slope(x: Values, y: Values) -> float:
    """Return the median slope of y over x of all pairs: Theil and Sen's; 0 if all x are equal."""
    rises = _rises(x, y)
    return float(np.median(rises)) if len(rises) else 0.0


def slope_interval_95(x: Values, y: Values) -> tuple[float, float]:
    """Return the confidence interval of 95 % of this slope: infinite with too few values.

    Sen, Journal of the American Statistical Association 63, 1968: the slopes of so many pairs around the
    median as Kendall's correlation varies by chance.
    """
    rises, n = np.sort(_rises(x, y)), len(x)
    outside = (len(rises) - _NORMAL_95 * math.sqrt(n * (n - 1) * (2 * n + 5) / 18)) / 2
    if outside < 1:
        return -math.inf, math.inf
    beyond = math.floor(outside) - 1
    return float(rises[beyond]), float(rises[-1 - beyond])


def _rises(x: Values, y: Values) -> Values:
    """Return the slopes of y over x of all pairs whose x differ."""
    first, second = np.triu_indices(len(x), 1)
    run = x[second] - x[first]
    apart = run != 0
    rises: Values = (y[second] - y[first])[apart] / run[apart]
    return rises


def trend(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return the offset and the slope of the line with the median slope of all pairs."""
    at, values = np.array(x), np.array(y)
    rise = slope(at, values)
    return float(np.median(values - rise * at)), rise


def _standard_ranks(values: Values) -> Values:
    """Return ranks, equal values sharing theirs, with mean 0 and length 1."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    centred = ranks - ranks.mean()
    scaled: Values = centred / np.linalg.norm(centred)
    return scaled


def _orders(n: int, candidates: int) -> Iterator[NDArray[np.int64]]:
    """Give orders of n values, in blocks of shape (orders, n)."""
    if n <= _ALL_ORDERS_OF:
        yield np.array(list(permutations(range(n))))
        return
    random = np.random.default_rng(_SEED)
    left = max(_SAMPLE, _SAMPLE_OF_CANDIDATE * candidates)
    while left > 0:
        rows = min(_BLOCK, left)
        yield random.permuted(np.tile(np.arange(n), (rows, 1)), axis=1)
        left -= rows
