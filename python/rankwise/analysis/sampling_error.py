"""By how much a sum that was taken from a sample may be wrong."""

from __future__ import annotations

import math

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
