"""How sure a median is: the bootstrap (Efron 1979)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Interval = tuple[float, float]

CONFIDENCE = 0.99
_RESAMPLES = 999
_SEED = 0  # the same measurements always give the same interval
_MOST_VALUES = 2000  # of more, a sample: the interval gets wider, never narrower


def median_interval(values: Values) -> Interval | None:
    """Return the interval that holds the median with CONFIDENCE; None of fewer than two values.

    Args:
        values: shape (V,), without NaN.
    """
    if len(values) < 2:
        return None
    return _interval((_sample(values),), np.median)


def ratio_interval(values: Values, than: Values) -> Interval | None:
    """Return the interval that holds the ratio of two medians; None if one has fewer than two values.

    Args:
        values: shape (V,), without NaN.
        than: shape (W,), without NaN and positive.
    """
    if min(len(values), len(than)) < 2:
        return None
    return _interval((_sample(values), _sample(than)), _ratio_of_medians)


def _ratio_of_medians(values: Values, than: Values, axis: int = -1) -> Values:
    return np.asarray(np.median(values, axis=axis) / np.median(than, axis=axis), dtype=np.float64)


def _sample(values: Values) -> Values:
    random = np.random.default_rng(_SEED)
    return values if len(values) <= _MOST_VALUES else random.choice(values, _MOST_VALUES, replace=False)


def _interval(samples: tuple[Values, ...], statistic: Callable[..., Any]) -> Interval:
    from scipy.stats import bootstrap

    interval = bootstrap(
        samples,
        statistic,
        n_resamples=_RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        random_state=np.random.default_rng(_SEED),
    ).confidence_interval
    return float(interval.low), float(interval.high)
