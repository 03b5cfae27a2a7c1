"""The errors of sums that are estimated from a sample."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankwise.records import dataclass

Floats = NDArray[np.float64]

_STANDARD_ERRORS = 1.96  # 95 % of a normal distribution


def sampling_error(second: float, third: float) -> float:
    """Return half the width of an interval around an estimate that has the true value in about 95 % of cases.

    Where few calls have most of the time, estimates are not normally distributed; both sides of the interval
    are widened by the first term of the Edgeworth expansion (Hall, The Bootstrap and Edgeworth Expansion,
    1992, section 2.3), that of the skewness.

    Args:
        second: central moment of the estimate, its variance, s^2.
        third: likewise, s^3.
    """
    if second <= 0:
        return 0.0
    skewed = (2 * _STANDARD_ERRORS**2 + 1) / 6 * abs(third) / second
    return _STANDARD_ERRORS * math.sqrt(second) + skewed


def few_clusters(count: int) -> float:
    """Return how many times wider an interval is whose variance was estimated from few sums of clusters.

    That is the quantile of Student's t over that of the normal distribution (the Cornish-Fisher expansion).
    """
    z, freedom = _STANDARD_ERRORS, count - 1
    first = (z**3 + z) / 4 / freedom
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96 / freedom**2
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / freedom**3
    return 1 + (first + second + third) / z


NO_DOUBTS: Floats = np.zeros(7)
"""The sources of error of an exact value."""


@dataclass(frozen=True)
class Sampled:
    """How a sample of calls compares with the exact number and time of all calls.

    Attributes:
        unseen: seconds of calls that are not in the sample.
        beyond: seconds of all calls beyond the expectation from the sample; negative: fewer.
    """

    unseen: Floats
    beyond: Floats


def compare(
    exact_calls: Floats, exact_seconds: Floats, calls: Floats, seconds: Floats, squares: Floats
) -> Sampled:
    """Compare samples of calls with the number and time of all of them, which are exact.

    The expectation is estimated from the sample, so it has an error itself (95 %). Therefore the time beyond
    it is multiplied by 1 + this error / the exact time (at most 2).

    Args:
        exact_calls: all.
        exact_seconds: likewise.
        calls: in the sample.
        seconds: likewise.
        squares: sum of the squares of these.
    """
    partly = (calls > 0) & (calls < exact_calls) & (exact_seconds > 0)
    some = np.maximum(calls, 1e-9)
    scale = np.where(partly, exact_calls / some, 0.0)
    beyond = np.where(partly, exact_seconds - scale * seconds, 0.0)
    error = _STANDARD_ERRORS * scale * np.sqrt(np.maximum(squares - seconds**2 / some, 0.0))
    part = np.divide(error, exact_seconds, out=np.zeros_like(error), where=exact_seconds > 0)
    return Sampled(
        np.where(partly, np.maximum(exact_seconds - seconds, 0.0), 0.0),
        beyond * (1.0 + np.minimum(part, 1.0)),
    )


def doubts_of(moments: Floats, share: Floats, sampled: Sampled, clock: Floats) -> Floats:
    """Return the sources of error of estimates in seven rows, with a column for each; columns can be added.

    An estimate is the share of waiting in the sample times the exact time. But the time beyond the
    expectation may be all waiting, or none. The estimate takes the same share of it, so it may be too low by
    the rest of that time, or too high by this share; and the other way round if there is less time than
    expected. The same, for all time that is not in the sample, gives the bounds.

    Args:
        moments: second and third of the estimates, as of `sampling_error`.
        share: of waiting in the sample.
        sampled: the sample.
        clock: error of the clocks, seconds.

    Returns:
        moments; more and less than the estimate by what is unexplained; at most more and less; clock.
    """
    more, less = _either(share, sampled.beyond)
    most, least = _either(share, sampled.unseen)
    cap = np.maximum(most, least)
    return np.stack([*moments, np.minimum(more, cap), np.minimum(less, cap), most, least, clock])


def _either(share: Floats, seconds: Floats) -> tuple[Floats, Floats]:
    """Return by how much a share of seconds may be too low and too high, if all or none are waiting."""
    size = np.abs(seconds)
    rest, own = (1.0 - share) * size, share * size
    return np.where(seconds > 0, rest, own), np.where(seconds > 0, own, rest)


def error_of(doubts: Floats) -> float:
    """Return the error of an estimate, on either side.

    It has three sources: sampling, time that the sample does not explain, and the clocks. The first two are
    added, not their squares: if the sample contradicts the exact time, something is certainly missing in it,
    and in simulations of rare long calls the root of the squares contained the true value in at most 9 of 10
    cases.

    Args:
        doubts: one column of `doubts_of`, or a sum of them.
    """
    second, third, more, less, most, least, clock = doubts.tolist()
    return float(min(sampling_error(second, third) + max(more, less), max(most, least)) + clock)
