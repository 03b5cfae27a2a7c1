"""How much longer the runs of one side take than those of the other, without pairs.

Estimate and interval: Hodges and Lehmann 1963, of all differences between a run of one side and a run of the
other, from the exact distribution of Mann and Whitney's statistic (Annals of Mathematical Statistics 18,
1947), or its normal limit for many runs. Nothing is assumed of the noise but that it is the same on both
sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import NormalDist

_NEARLY_NORMAL, _FEW = 2500, 12
"""Pairs of runs, and runs of a side: above both, the exact distribution takes long, and is nearly normal."""


@dataclass(frozen=True)
class Shift:
    """The difference after - before, in the unit of the values.

    Attributes:
        low: of the interval.
        high: of the interval.
        confidence: of the interval: the least possible above the wanted one.
    """

    low: float
    high: float
    confidence: float


def shift_interval(before: Sequence[float], after: Sequence[float], confidence: float) -> Shift | None:
    """Return the interval of the difference after - before; None of too few runs for this confidence.

    Args:
        before: values of runs.
        after: of the others.
        confidence: that is wanted of the interval, between 0 and 1.
    """
    differences = sorted(late - early for late in after for early in before)
    chances = rank_sum_chances(len(before), len(after))
    left_out, below = 0, 0.0
    for chance in chances:  # this many differences are left out at either end
        if below + chance > (1 - confidence) / 2 * (1 + 1e-9):
            break
        below += chance
        left_out += 1
    if not left_out:
        return None
    return Shift(differences[left_out - 1], differences[-left_out], 1 - 2 * below)


@cache
def rank_sum_chances(first_count: int, second_count: int) -> tuple[float, ...]:
    """Return the probability of each value, from 0, of Mann and Whitney's statistic for two equal sides."""
    pairs = first_count * second_count
    if pairs > _NEARLY_NORMAL and min(first_count, second_count) > _FEW:
        normal = NormalDist(pairs / 2, math.sqrt(pairs * (first_count + second_count + 1) / 12))
        up_to = [0.0, *(normal.cdf(value + 0.5) for value in range(pairs)), 1.0]
        return tuple(late - early for early, late in pairwise(up_to))
    counts = {(0, n): [1] for n in range(second_count + 1)} | {(m, 0): [1] for m in range(first_count + 1)}
    for m in range(1, first_count + 1):
        for n in range(1, second_count + 1):
            # The largest value is on the first side (above n of the second), or on the second side.
            above, below = [0] * n + counts[m - 1, n], counts[m, n - 1]
            size = max(len(above), len(below))
            ways = zip(above + [0] * (size - len(above)), below + [0] * (size - len(below)), strict=True)
            counts[m, n] = [first + second for first, second in ways]
    total = sum(counts[first_count, second_count])
    return tuple(count / total for count in counts[first_count, second_count])
