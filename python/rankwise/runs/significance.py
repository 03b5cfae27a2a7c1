"""How likely differences and correlations are by chance, and the correction for looking at many of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankwise.trials.shift import rank_sum_chances

LEVEL = 0.05
"""Highest probability that one or more of the reported differences, of all candidates, are by chance."""
_NEARLY_NORMAL = 2000
"""Coins: with more, the exact distribution takes long, and is nearly normal."""


def rank_sum_chance(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the probability of such a difference, or a larger one, between runs of equal kinds.

    Mann and Whitney's test, both directions; equal values count half.
    """
    above = sum((late > early) + (late == early) / 2 for late in after for early in before)
    most = len(before) * len(after)
    chances = rank_sum_chances(len(before), len(after))
    less = int(min(above, most - above) + 0.5)
    return min(1.0, 2 * sum(chances[: less + 1]))


def sign_chance(positive: int, of_all: int) -> float:
    """Return the probability of so many heads or more of fair coins: the sign test, one direction."""
    if of_all > _NEARLY_NORMAL:
        return math.erfc((2 * positive - 1 - of_all) / math.sqrt(2 * of_all)) / 2
    ways, total = 1, 0
    for heads in range(of_all, positive - 1, -1):  # of_all choose heads
        total += ways
        ways = ways * heads // (of_all - heads + 1)
    return float(total / 2**of_all)


def corrected(chances: Sequence[float]) -> list[float]:
    """Return probabilities that account for the number of candidates.

    Source: Holm, Scandinavian Journal of Statistics 6, 1979.
    """
    result = [1.0] * len(chances)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(chances)), key=lambda index: chances[index])):
        highest = max(highest, min(1.0, (len(chances) - place) * chances[index]))
        result[index] = highest
    return result
