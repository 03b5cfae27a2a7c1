"""The error of a sum that is estimated from a sample."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankwise.records import dataclass

Floats = NDArray[np.float64]

_STANDARD_ERRORS = 1.96  # 95 % of a normal distribution


def sampling_error(second: float, third: float) -> float:
    """Return half the width of an interval around an estimate that contains the true value in 95 % of cases.

    If few calls take most of the time, estimates are not normally distributed; both sides of the interval are
    widened by the first term of the Edgeworth expansion, for skewness (Hall, The Bootstrap and Edgeworth
    Expansion, 1992, section 2.3).

    Args:
        second: second central moment of the estimate, its variance, s^2.
        third: third central moment of the estimate, s^3.
    """
    if second <= 0:
        return 0.0
    skewed = (2 * _STANDARD_ERRORS**2 + 1) / 6 * abs(third) / second
    return _STANDARD_ERRORS * math.sqrt(second) + skewed


def few_clusters(count: int) -> float:
    """Return the factor that widens an interval if its variance is estimated from few sums of clusters.

    It is the quantile of Student's t divided by the normal quantile (Cornish-Fisher expansion).
    """
    z, freedom = _STANDARD_ERRORS, count - 1
    first = (z**3 + z) / 4 / freedom
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96 / freedom**2
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / freedom**3
    return 1 + (first + second + third) / z


NO_DOUBTS: Floats = np.zeros(7)
"""Doubts about an exact value."""


@dataclass(frozen=True)
class Sampled:
    """A sample of calls compared with the totals of all calls.

    Attributes:
        unseen: seconds of calls that are not in the sample.
        beyond: seconds that all calls took beyond the time extrapolated from the sample; may be negative.
    """

    unseen: Floats
    beyond: Floats


def compare(
    exact_calls: Floats, exact_seconds: Floats, calls: Floats, seconds: Floats, squares: Floats
) -> Sampled:
    """Compare samples of calls with the exact number and time of all calls.

    The extrapolated time has an error (95 %). The time beyond it is increased by the ratio of this error to
    the exact time: little if both agree, fully if most time is beyond.

    Args:
        exact_calls: number of all calls.
        exact_seconds: of all calls.
        calls: number of calls in the sample.
        seconds: of the calls in the sample.
        squares: sum of the squares of their seconds.
    """
    partly = (calls > 0) & (calls < exact_calls) & (exact_seconds > 0)
    divisor = np.maximum(calls, 1e-9)
    scale = np.where(partly, exact_calls / divisor, 0.0)
    beyond = np.where(partly, exact_seconds - scale * seconds, 0.0)
    error = _STANDARD_ERRORS * scale * np.sqrt(np.maximum(squares - seconds**2 / divisor, 0.0))
    part = np.divide(error, exact_seconds, out=np.zeros_like(error), where=exact_seconds > 0)
    return Sampled(
        np.where(partly, np.maximum(exact_seconds - seconds, 0.0), 0.0),
        beyond * (1.0 + np.minimum(part, 1.0)),
    )


def doubts_of(moments: Floats, share: Floats, sampled: Sampled, clock: Floats) -> Floats:
    """Return all sources of error of estimates: seven rows, and a column for each estimate.

    The sum of several columns applies to the sum of their estimates.

    An estimate is the share of waiting in the sample times the exact time. But all of the time beyond the
    extrapolated time may be waiting, or none of it. The estimate assumes the sample's share, so it may be too
    low by the complement of this share, or too high by this share; and the other way round if there is less
    time than extrapolated. The same values for all time outside the sample are the bounds.

    Args:
        moments: second and third moments of the estimates, as for `sampling_error`.
        share: of waiting in the sample.
        sampled: the sample.
        clock: error of the clocks, seconds.

    Returns:
        both moments; unexplained seconds above and below the estimate; bounds above and below; clock error.
    """
    more, less = _either(share, sampled.beyond)
    most, least = _either(share, sampled.unseen)
    cap = np.maximum(most, least)
    return np.stack([*moments, np.minimum(more, cap), np.minimum(less, cap), most, least, clock])


def _either(share: Floats, seconds: Floats) -> tuple[Floats, Floats]:
    """Return by how much a share of seconds may be too low and too high, as all or none may be waiting."""
    size = np.abs(seconds)
    complement, own = (1.0 - share) * size, share * size
    return np.where(seconds > 0, complement, own), np.where(seconds > 0, own, complement)


def error_of(doubts: Floats) -> float:
    """Return the error of an estimate, on either side.

    It has three parts: sampling, time that the sample does not explain, and clocks. The first two are added
    linearly: if the sample contradicts the exact time, it certainly lacks something, and in simulations of
    rare long calls the root of the sum of squares covered the truth in at most 9 of 10 cases.

    Args:
        doubts: one column of `doubts_of`, or a sum of them.
    """
    second, third, more, less, most, least, clock = doubts.tolist()
    return float(min(sampling_error(second, third) + max(more, less), max(most, least)) + clock)
