"""Finds where a series changes its level, with a stated rate of false alarms for the whole series.

All splits of the series into two parts, and all intervals against the rest, are compared by sums of ranks
(Wilcoxon, Mann and Whitney). The most unlikely one is judged by permutations of the series, so the search
itself is accounted for. A change splits the series, and its parts are searched in the same way: circular
binary segmentation (Olshen et al., Biostatistics 5, 2004), by ranks.

A part with a share of the values gets this share of the permitted rate. So the rate of the whole series, in
which any number of changes may be real, stays below it (Meinshausen, Biometrika 95, 2008).

Nothing is assumed of the noise except that it does not depend on the order: without a change, any order of
the values is equally likely.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FALSE_ALARMS = 0.05
"""Highest probability of one or more changes that do not exist, in the whole series."""

LEAST_POINTS = 10
"""With fewer values, even a perfect step is not rare enough among permutations for `FALSE_ALARMS`."""

_PERMUTATIONS = 4999
_BLOCK = 500  # permutations that are in memory at once
_EXACT, _EXACT_OF = 12, 400  # ranks, of how many: the sum of more of them is nearly normal
_MOST_ENDS = 200  # of intervals; in longer series, only some values are ends
_SEED = 20_260_801

Series = NDArray[np.float64]
Ranks = NDArray[np.int64]


class ChangePoint(NamedTuple):
    """A change of the level.

    Attributes:
        begin: index of the first value after it.
        chance: upper bound of the probability to find such a change in a series without changes.
    """

    begin: int
    chance: float


def change_points(values: Sequence[float]) -> list[ChangePoint]:
    """Return the changes of the level in the order of the values.

    Args:
        values: one for each point of time, in this order.
    """
    series = np.asarray(values, dtype=np.float64)
    return sorted(_changes(series, 0, len(series)))


def _changes(series: Series, begin: int, of_all: int) -> Iterator[ChangePoint]:
    n = len(series)
    if n < LEAST_POINTS or series.min() == series.max():
        return
    splits, intervals = _chances(series)
    chance = 2 * min(splits, intervals) * of_all / n  # of two tests
    if chance > FALSE_ALARMS:
        return
    cuts = _located(series, _best_cuts(_twice_the_ranks(series), interval=intervals < splits))
    if len(cuts) > 1:
        cuts = _located(series, _sure_ends(series, cuts, of_all))
    yield from (ChangePoint(begin + cut, chance) for cut in cuts)
    for first, last in pairwise([0, *cuts, n]):
        yield from _changes(series[first:last], begin + first, of_all)


def _chances(series: Series) -> tuple[float, float]:
    """Return the probabilities of the most unlikely split and interval, if all orders are equally likely."""
    splits, intervals = (
        float((1 + np.count_nonzero(null >= scores[0])) / (1 + len(null)))
        for scores, null in zip(_scan(_twice_the_ranks(series)[None, :]), _null(len(series)), strict=True)
    )
    return splits, intervals


def _sure_ends(series: Series, cuts: Sequence[int], of_all: int) -> list[int]:
    """Return the ends of an interval that are changes by themselves, at least one.

    That the interval differs from the rest does not tell that both ends are real: a step and some of the last
    values, which are like the first by chance, make an interval, too.
    """
    chances = []
    for first, last in ((0, cuts[1]), (cuts[0], len(series))):
        part = series[first:last]
        splits = _chances(part)[0] if len(part) >= LEAST_POINTS else 1.0
        chances.append(splits * of_all / len(part))
    sure = [cut for cut, chance in zip(cuts, chances, strict=True) if chance <= FALSE_ALARMS]
    return sure or [cuts[int(np.argmin(chances))]]


def _located(series: Series, cuts: Sequence[int]) -> list[int]:
    """Return the cuts at their most likely places: ranks say that there is a change, and only about where.

    There, the sum of the distances from the medians of both sides is least.
    """
    at = [0, *cuts, len(series)]
    for place in range(1, len(at) - 1):
        first, last = at[place - 1], at[place + 1]
        part = series[first:last]
        distances = [_distance(part[:cut]) + _distance(part[cut:]) for cut in range(1, len(part))]
        at[place] = first + 1 + int(np.argmin(distances))
    return at[1:-1]


def _distance(series: Series) -> float:
    return float(np.abs(series - np.median(series)).sum())


def _twice_the_ranks(values: Series) -> Ranks:
    """Return twice the rank of each value, from 2; equal values share the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    shared: Ranks = (2 * ends - counts + 1)[places]
    return shared


@cache
def _null(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the scores of `_scan` of many permutations."""
    random = np.random.default_rng(_SEED)
    parts = []
    for begin in range(0, _PERMUTATIONS, _BLOCK):
        rows = min(_BLOCK, _PERMUTATIONS - begin)
        parts.append(_scan(random.permuted(np.tile(2 * np.arange(1, n + 1), (rows, 1)), axis=1)))
    splits, intervals = (np.concatenate(each) for each in zip(*parts, strict=True))
    return splits, intervals


def _scan(ranks: Ranks) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the highest scores of all splits and of all intervals.

    Args:
        ranks: twice the ranks, shape (series, n).

    Returns:
        Two arrays of shape (series,).
    """
    rows, n = ranks.shape
    sums = np.concatenate((np.zeros((rows, 1), np.int64), np.cumsum(ranks, axis=1)), axis=1)
    splits, intervals = np.zeros(rows), np.zeros(rows)
    step = -(-n // _MOST_ENDS)
    at_ends = sums[:, ::step]
    for length in range(1, n):
        middle = length * (n + 1)
        np.maximum(splits, _scores(np.abs(sums[:, length] - middle), length, n), out=splits)
        if length % step == 0:
            of_length = at_ends[:, length // step :] - at_ends[:, : -(length // step)]
            distance = np.maximum(of_length.max(axis=1) - middle, middle - of_length.min(axis=1))
            np.maximum(intervals, _scores(distance, length, n), out=intervals)
    return splits, intervals


def _best_cuts(ranks: Ranks, *, interval: bool) -> list[int]:
    """Return where the part begins and ends whose ranks are farthest from the mean, in units of the noise."""
    n = len(ranks)
    sums = np.concatenate(([0], np.cumsum(ranks)))
    best, cuts = -1.0, (0, 0)
    for length in range(1, n):
        distances = np.abs(sums[length:] - sums[:-length] - length * (n + 1))
        begin = int(distances.argmax()) if interval else 0
        height = float(distances[begin]) / math.sqrt(length * (n - length))
        if height > best:
            best, cuts = height, (begin, begin + length)
    return [cut for cut in cuts if 0 < cut < n]


def _scores(distance: NDArray[np.int64], length: int, n: int) -> NDArray[np.float64]:
    """Return the negative logarithm of the probability of sums of ranks, both tails.

    Args:
        distance: of the sums from their mean, times two.
        length: number of ranks in the sum.
        n: number of ranks.
    """
    few = min(length, n - length)
    if few <= _EXACT and n <= _EXACT_OF:
        return _exact_scores(few, n)[distance]
    deviation = math.sqrt(length * (n - length) * (n + 1) / 12)
    z = np.maximum(distance - 1, 0) / (2 * deviation)
    # Bounds of the normal tail that differ by 1 %: Sampford, Annals of Mathematical Statistics 24, 1953.
    scores: NDArray[np.float64] = z**2 / 2 - np.log(8 / math.sqrt(2 * math.pi) / (3 * z + np.sqrt(z**2 + 8)))
    return scores


@cache
def _exact_scores(length: int, n: int) -> NDArray[np.float64]:
    """Return the scores for each distance from 0."""
    counts = _sum_counts(n)[length]
    distances = np.abs(2 * np.arange(len(counts)) - length * (n + 1))
    size = length * (n - length) + 2
    of_distance = np.bincount(distances[counts > 0], counts[counts > 0], minlength=size)
    tail = of_distance[::-1].cumsum()[::-1]
    scores: NDArray[np.float64] = -np.log(np.maximum(tail / tail[0], np.finfo(float).tiny))
    return scores


@cache
def _sum_counts(n: int) -> NDArray[np.float64]:
    """Return in how many ways ranks from 1 to n have a sum, shape (number of ranks, sum)."""
    most = min(_EXACT, n)
    counts = np.zeros((most + 1, most * n + 1))
    counts[0, 0] = 1.0
    for rank in range(1, n + 1):
        counts[1:, rank:] += counts[:-1, :-rank].copy()
    return counts
