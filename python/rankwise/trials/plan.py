"""How many pairs are needed, and how many the user and the clock allow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

MOST_PAIRS = 20  # unless the user says more
_EFFICIENCY = 3 / math.pi  # of Hodges' and Lehmann's estimate, for normal scatter
_PART_OF_CHANGE = 0.25
_NOBODY_RUNS_MORE = 1000


@dataclass(frozen=True)
class Aim:
    """What the user wants to know, and what it may cost.

    Attributes:
        confidence: of the interval, between 0 and 1.
        resolve: change that must not be missed, such as 0.05.
        pairs: fixed number of them; None: as many as are needed, up to MOST_PAIRS.
        seconds: for all runs together; None: no limit.
    """

    confidence: float = 0.95
    resolve: float = 0.05
    pairs: int | None = None
    seconds: float | None = None

    @property
    def first_pairs(self) -> int:
        """How many pairs are run before it is known how many are needed."""
        return self.pairs or least_pairs(self.confidence)

    def needed(self, before: Sequence[float], after: Sequence[float]) -> int:
        """Return how many pairs are needed, from the first ones; more than MOST_PAIRS is possible."""
        return self.pairs or pairs_needed(before, after, self.resolve, self.confidence)

    def after(self, seconds: float) -> Aim:
        """Return what is left of it when so many seconds are gone."""
        return self if self.seconds is None else replace(self, seconds=self.seconds - seconds)


def least_pairs(confidence: float) -> int:
    """Return the fewest pairs that can give this confidence; the interval is from the least to the most then.

    All n differences have the same sign by chance with probability 2 / 2^n: 6 pairs give 96.9 %, 5 93.8 %.
    """
    return max(2, math.ceil(1 - math.log2(1 - confidence) - 1e-9))


def pairs_needed(
    before: Sequence[float], after: Sequence[float], resolve: float, confidence: float = 0.95
) -> int:
    """Return the pairs after which the interval is likely to be narrow enough.

    Narrow enough: half of it is no more than the change to resolve, or a quarter of the change that is seen,
    if that is more. The scatter is that of the logarithms of the ratios, taken to be normal.

    Args:
        before: times of the first pairs, s.
        after: likewise.
        resolve: such as 0.05.
        confidence: of the interval.
    """
    logs = np.log(np.asarray(before, dtype=float) / np.asarray(after, dtype=float))
    least = least_pairs(confidence)
    if len(logs) < 2:
        return least
    scatter = float(np.std(logs, ddof=1))
    wanted = max(math.log1p(resolve), _PART_OF_CHANGE * abs(float(np.median(logs))))
    counts = np.arange(least, max(least, _NOBODY_RUNS_MORE) + 1)
    half = _students_t((1 + confidence) / 2, counts - 1) * scatter / np.sqrt(counts * _EFFICIENCY)
    enough = counts[half <= wanted]
    return int(enough[0]) if len(enough) else int(counts[-1])


def _students_t(probability: float, freedom: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return quantiles of Student's t: within 0.1 % where the confidence needs 3 pairs or more.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    x = NormalDist().inv_cdf(probability)
    terms = (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return np.asarray(sum(term / freedom.astype(float) ** power for power, term in enumerate(terms)))
