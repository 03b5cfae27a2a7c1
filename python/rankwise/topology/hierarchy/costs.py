"""The cost of a message at each level: the parameters of LogGP."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy.distances import best_statistic
from rankwise.topology.machine.model import Cost

Mask = NDArray[np.bool_]


def cost(measurement: Measurement, chosen: Mask) -> Cost:
    """Return the cost of a message between chosen pairs: medians over the pairs.

    Args:
        measurement: P pairs, S sizes.
        chosen: shape (P,), pairs of one level that are no outliers.
    """
    sizes = np.array(measurement.sizes, dtype=np.float64)
    times = median_columns(measurement.pairs.times[best_statistic(measurement)][chosen])
    rates = median_columns(
        np.concatenate([column[chosen] for column in measurement.pairs.bandwidths.values()])
    )
    overhead = median_columns(measurement.pairs.overhead[chosen][:, None])[0]
    smallest = int(np.argmin(sizes))
    known = np.isfinite(rates)
    return Cost(
        latency_us=_number(times[smallest]),
        overhead_us=_number(overhead),
        us_per_byte=_slope(sizes, times),
        bandwidth_mb_s=float(rates[known][np.argmax(sizes[known])]) if known.any() else None,
    )


def spread(measurement: Measurement, chosen: Mask) -> float:
    """Return the robust standard deviation of chosen pairs' latency over its median; NaN if unknown."""
    column = int(np.argmin(measurement.sizes))
    values = measurement.pairs.times[best_statistic(measurement)][chosen, column]
    values = values[np.isfinite(values)]
    if not len(values) or not (middle := float(np.median(values))):
        return float("nan")
    return float(1.4826 * np.median(np.abs(values - middle)) / middle)


def median_columns(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of each column, NaN where nothing is known."""
    medians = np.full(values.shape[1], np.nan)
    for place in range(values.shape[1]):
        column = values[:, place]
        column = column[np.isfinite(column)]
        if len(column):
            medians[place] = np.median(column)
    return medians


def _slope(sizes: NDArray[np.float64], times: NDArray[np.float64]) -> float | None:
    """Return us per byte: least squares over the times of all sizes; None if there is no slope."""
    known = np.isfinite(times)
    if np.unique(sizes[known]).size < 2:
        return None
    slope = float(np.polyfit(sizes[known], times[known], 1)[0])
    return slope if slope > 0 else None


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
