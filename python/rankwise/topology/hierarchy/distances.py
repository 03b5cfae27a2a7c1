"""Distances of ranks: the measurements as costs, and all of them combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.measurement import Measurement

SMALL = 4096
"""Bytes: round trips of smaller messages measure the latency; from this size also the rate."""

_NEIGHBOURS = 8
Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class View:
    """One quantity measured for all pairs.

    Attributes:
        what: `latency` or `bandwidth`.
        size: message size in bytes.
        cost: shape (N, N), symmetric: us, or us per byte; NaN where not measured, and on the diagonal.
    """

    what: str
    size: int
    cost: Matrix

    @property
    def tells_rate(self) -> bool:
        """Whether the size of the message matters to the cost."""
        return self.what == "bandwidth" or self.size >= SMALL


def best_statistic(measurement: Measurement) -> str:
    """Return the statistic with the least noise, of the measured ones."""
    times = measurement.pairs.times
    for name in ("min", "median", "mean"):
        if np.isfinite(times[name]).any():
            return name
    return "mean"


def views(measurement: Measurement) -> tuple[View, ...]:
    """Return all measurements, one view for each kind and size: shape (N, N) each."""
    statistic = best_statistic(measurement)
    pairs, count = measurement.pairs, len(measurement.ranks)

    def spread(column: NDArray[np.float64]) -> Matrix:
        good = np.isfinite(column) & (column > 0)
        cost = np.full((count, count), np.nan, dtype=np.float32)
        first, second = pairs.first[good], pairs.second[good]
        cost[first, second] = cost[second, first] = column[good]
        return cost

    all_views = []
    for place, size in enumerate(measurement.sizes):
        all_views.append(View("latency", size, spread(pairs.times[statistic][:, place])))
        rate = mean_rate(pairs.bandwidths["forward"][:, place], pairs.bandwidths["backward"][:, place])
        all_views.append(View("bandwidth", size, spread(1 / rate)))
    return tuple(view for view in all_views if np.isfinite(view.cost).any())


def mean_rate(forward: NDArray[np.float64], backward: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the geometric mean of both directions, or the only one present; NaN without any."""
    with np.errstate(divide="ignore", invalid="ignore"):
        there, back = np.log(forward), np.log(backward)
        there, back = np.where(np.isfinite(there), there, back), np.where(np.isfinite(back), back, there)
        return np.asarray(np.exp((there + back) / 2), dtype=np.float64)


def combine(costs: Sequence[View]) -> Matrix:
    """Return the combined distance: the mean logarithm of latencies, plus that of rates, over two.

    A level that only one of the two shows (a shaped uplink: the rate; a long cable: the latency) stays
    visible, however many sizes were measured. Each view is centred, so that a pair which one view misses is
    not moved.

    Returns:
        shape (N, N), symmetric, 0 on the diagonal, NaN where nothing was measured.
    """
    kinds = [
        chosen for rate in (False, True) if (chosen := [view for view in costs if view.tells_rate is rate])
    ]
    total = np.zeros_like(costs[0].cost)
    known = np.zeros(total.shape, dtype=np.int8)
    for chosen in kinds:
        part, counts = np.zeros_like(total), np.zeros(total.shape, dtype=np.int8)
        for view in chosen:
            logs: Matrix = np.log(view.cost)
            logs -= np.nanmedian(logs)
            there = np.isfinite(logs)
            part[there] += logs[there]
            counts += there
        there = counts > 0
        total[there] += part[there] / counts[there]
        known += there
    with np.errstate(invalid="ignore"):
        total /= known
    np.fill_diagonal(total, 0)
    return total


def fill(distances: Matrix) -> Matrix:
    """Estimate missing distances: as far as from the nearest ranks of one to the other.

    Args:
        distances: shape (N, N), symmetric, NaN where unknown.

    Returns:
        the same, complete.
    """
    missing = np.isnan(distances)
    if not missing.any():
        return distances
    count = len(distances)
    ranked = np.where(missing, np.float32(np.inf), distances)
    np.fill_diagonal(ranked, np.inf)
    near = np.argsort(ranked, axis=1)[:, : min(_NEIGHBOURS, count - 1)]
    guess = np.full_like(distances, np.nan)
    for rank in np.flatnonzero(missing.any(axis=1)):
        chosen = near[rank][np.isfinite(ranked[rank, near[rank]])]
        if len(chosen):
            holes = np.flatnonzero(missing[rank])
            guess[rank, holes] = _nanmedian(distances[np.ix_(chosen, holes)])
    both = np.stack([guess[missing], guess.T[missing]])
    complete = distances.copy()
    complete[missing] = np.where(
        np.isnan(both[0]), both[1], np.where(np.isnan(both[1]), both[0], both.mean(0))
    )
    complete[np.isnan(complete)] = np.nanmedian(distances[~np.eye(count, dtype=bool)])
    return np.asarray(complete, dtype=np.float32)


def _nanmedian(values: Matrix) -> Matrix:
    """Return the median of each column; NaN, without a warning, where nothing is known."""
    known = np.isfinite(values).any(axis=0)
    medians: Matrix = np.full(values.shape[1], np.nan, dtype=np.float32)
    if known.any():
        medians[known] = np.nanmedian(values[:, known], axis=0)
    return medians
