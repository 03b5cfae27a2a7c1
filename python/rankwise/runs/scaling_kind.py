"""Strong or weak scaling: by the useful time of all ranks together.

If the problem is the same for any number of ranks (strong scaling), the useful time of all ranks together
stays the same; if each rank has the same problem (weak scaling), it grows with the number of ranks.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rankwise.errors import RankwiseError
from rankwise.runs.scaling_points import Point

Kind = Literal["strong", "weak"]

_CLOSE = 0.35
"""Largest exponent of strong scaling, and largest difference of the exponent of weak scaling from 1."""


@dataclass(frozen=True)
class KindFound:
    """The kind of scaling.

    Attributes:
        kind: strong or weak.
        given: the user named it.
        exponent: of the useful time of all ranks together as a power of the number of ranks.
        useful_ratio: useful time of all ranks together with most ranks / with fewest.
        ranks_ratio: most ranks / fewest ranks.
    """

    kind: Kind
    given: bool
    exponent: float
    useful_ratio: float
    ranks_ratio: float


def kind_of(points: Sequence[Point], given: Kind | None) -> KindFound:
    """Return the kind of scaling.

    Args:
        points: by ascending number of ranks, at least two numbers.
        given: by the user; None = it is found.

    Raises:
        RankwiseError: it is neither.
    """
    ranks = [float(point.ranks) for point in points]
    useful = [
        point.ranks * statistics.median(point.values(lambda run: run.efficiency.useful_mean_seconds))
        for point in points
    ]
    exponent = slope(ranks, useful)
    ratio, more = useful[-1] / useful[0], ranks[-1] / ranks[0]
    if given:
        return KindFound(given, True, exponent, ratio, more)
    if exponent <= _CLOSE:  # also where it falls, because of larger caches: no problem that grows does that
        return KindFound("strong", False, exponent, ratio, more)
    if abs(exponent - 1) <= _CLOSE:
        return KindFound("weak", False, exponent, ratio, more)
    raise RankwiseError(
        f"strong or weak scaling? With {more:.3g} x the ranks, the useful time of all ranks together is "
        f"{ratio:.3g} x as long; 1 x would be strong scaling, {more:.3g} x weak scaling: give --strong or "
        "--weak"
    )


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the exponent of y as a power of x, by least squares of the logarithms; all are above 0."""
    logs = [math.log(value) for value in x], [math.log(value) for value in y]
    means = [statistics.fmean(values) for values in logs]
    over = sum((one - means[0]) * (other - means[1]) for one, other in zip(*logs, strict=True))
    below = sum((one - means[0]) ** 2 for one in logs[0])
    return over / below
