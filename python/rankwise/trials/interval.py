"""How much faster a job has become: the ratio of paired times, with a confidence interval.

The logarithms of the ratios before / after are taken to scatter symmetrically about the true one. If the
change does nothing, that holds for any distribution of the times, because each run could as well belong to
the other side; so the risk of seeing a gain without one is exactly what the confidence says. Estimate
and interval: Hodges and Lehmann 1963, from the exact distribution of Wilcoxon's signed-rank statistic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Interval:
    """The ratio of times before / after: above 1 the job has become faster.

    Attributes:
        pairs: that it is from.
        ratio: estimated.
        low: of the interval.
        high: of the interval.
        wanted: confidence that was asked for, between 0 and 1.
        confidence: of this interval: the least possible above the wanted one; below it if so few pairs can't
            give more.
    """

    pairs: int
    ratio: float
    low: float
    high: float
    wanted: float
    confidence: float

    @property
    def reached(self) -> bool:
        """Whether there were pairs enough for the wanted confidence."""
        return self.confidence >= self.wanted

    def within(self, change: float) -> bool:
        """Return whether the whole interval is within a change such as 0.05: then the sides count as equal.

        Two one-sided tests, each with half of the risk; source: Schuirmann, Journal of Pharmacokinetics and
        Biopharmaceutics 15, 1987.
        """
        return self.low >= 1 / (1 + change) and self.high <= 1 + change

    @property
    def verdict(self) -> str:
        """'faster', 'slower', or 'no difference shown'."""
        if self.reached and self.low > 1:
            return "faster"
        return "slower" if self.reached and self.high < 1 else "no difference shown"


def ratio_interval(before: Sequence[float], after: Sequence[float], confidence: float = 0.95) -> Interval:
    """Return the interval of the ratio before / after.

    Args:
        before: times, s.
        after: the second times of the pairs, s.
        confidence: that is wanted.

    Raises:
        ValueError: there is no pair, or a time is not above 0.
    """
    times = np.array([before, after], dtype=float)
    if not times.size or not (times > 0).all():
        raise ValueError("pairs of times above 0 are needed")
    logs = np.log(times[0] / times[1])
    upper = np.triu_indices(len(logs))
    averages = np.sort((logs[upper[0]] + logs[upper[1]]) / 2)
    below = _signed_rank(len(logs)).cumsum()
    # This many averages are left out at either end.
    left_out = max(0, int(np.searchsorted(below, (1 - confidence) / 2, side="right")) - 1)
    low, middle, high = np.exp([averages[left_out], np.median(averages), averages[-1 - left_out]]).tolist()
    return Interval(len(logs), middle, low, high, confidence, max(0.0, 1 - 2 * float(below[left_out])))


@cache
def _signed_rank(pairs: int) -> NDArray[np.float64]:
    """Return the probability of each value, from 0, of the sum of ranks of the positive differences."""
    chances = np.ones(1)
    for rank in range(1, pairs + 1):
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    return chances
