"""Finds where series change their level, with the fewest steps that explain them.

Optimal partitioning (Jackson et al. 2005): the segmentation that minimises the sum of squared distances from
the segments' means, in units of the noise, plus a penalty for each segment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MAD = 0.6745  # median of the absolute values of normal numbers with deviation 1
_STRICTER = 1.6


def change_points(
    series: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    least: int = 2,
    most: int = 12,
    floor: float = 0.1,
) -> list[int]:
    """Return where the segments begin, the first at 0.

    Args:
        series: shape (n, k): k series of n values, each about 0 to 1.
        weights: shape (n): of the values.
        least: smallest number of values in a segment.
        most: largest number of segments. If there are more, the penalty grows: a series that always goes up
            and down is one segment.
        floor: smaller deviations are no change.
    """
    n, k = series.shape
    if n < 2 * least:
        return [0] if n else []
    # Estimated from the differences of neighbours, which steps hardly affect.
    noise = np.median(np.abs(np.diff(series, axis=0)), axis=0) / (_MAD * np.sqrt(2))
    scaled = series / np.maximum(noise, floor)
    # (Schwarz: the parameters of a segment are k levels and a place.)
    penalty = 2 * (k + 1) * np.log(n)
    while True:
        starts = _partition(scaled, weights, least, penalty)
        if len(starts) <= most:
            return starts
        penalty *= _STRICTER


def _partition(
    series: NDArray[np.float64], weights: NDArray[np.float64], least: int, penalty: float
) -> list[int]:
    n = len(series)
    weight = np.concatenate(([0.0], np.cumsum(weights)))
    first = np.concatenate((np.zeros((1, series.shape[1])), np.cumsum(weights[:, None] * series, axis=0)))
    second = np.concatenate(([0.0], np.cumsum(weights * (series**2).sum(axis=1))))
    best = np.full(n + 1, np.inf)
    best[0] = -penalty
    latest = np.zeros(n + 1, np.int64)
    for end in range(least, n + 1):
        starts = np.arange(end - least + 1)
        total = weight[end] - weight[starts]
        squares = ((first[end] - first[starts]) ** 2).sum(axis=1)
        cost = (
            second[end]
            - second[starts]
            - np.divide(squares, total, out=np.zeros(end - least + 1), where=total > 0)
        )
        sums = best[starts] + cost + penalty
        latest[end] = np.argmin(sums)
        best[end] = sums[latest[end]]
    ends = []
    end = n
    while end > 0:
        end = int(latest[end])
        ends.append(end)
    return ends[::-1]
