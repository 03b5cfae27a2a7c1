"""Strong or weak scaling: by the useful time of all ranks together.

If the problem is the same for any number of ranks (strong scaling), the useful time of all ranks together
stays the same; if each rank has the same problem (weak scaling), it grows with the number of ranks. It also
grows if more ranks share the same processors: so it counts as far as ranks had a processor. How much of the
lack was outside of MPI is unknown: it has an upper and a lower bound.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rankwise.errors import RankwiseError
from rankwise.runs.scaling_figures import ScalingRun
from rankwise.runs.scaling_points import Point
from rankwise.runs.scaling_shortage import lacking, without
from rankwise.text.units import percent_text

Kind = Literal["strong", "weak"]

_CLOSE = 0.35
"""Largest exponent of strong scaling, and largest difference of the exponent of weak scaling from 1."""
_LESS = 0.99
"""Of the useful time: only less than this is worth a word."""


@dataclass(frozen=True)
class KindFound:
    """The kind of scaling.

    Attributes:
        kind: strong or weak.
        given: the user named it.
        exponent: of the useful time of all ranks together as a power of the number of ranks. Here and below:
            the upper bound of that with a processor.
        useful_ratio: useful time of all ranks together with most ranks / with fewest.
        without_waiting: waiting for a processor was left out.
        ranks_ratio: most ranks / fewest ranks.
    """

    kind: Kind
    given: bool
    exponent: float
    useful_ratio: float
    without_waiting: bool
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
    useful, least, whole = (
        [point.ranks * statistics.median(point.values(figure)) for point in points]
        for figure in (_most_computing, _least_computing, _useful)
    )
    exponent = slope(ranks, useful)
    found = KindFound(
        kind=given or "strong",
        given=given is not None,
        exponent=exponent,
        useful_ratio=useful[-1] / useful[0],
        without_waiting=any(one < _LESS * other for one, other in zip(useful, whole, strict=True)),
        ranks_ratio=ranks[-1] / ranks[0],
    )
    # Strong scaling also where it falls, because of larger caches: no problem that grows does that. Without
    # processors, it is an upper bound.
    if given or exponent <= _CLOSE or (lacking(points) and exponent < 1 - _CLOSE):
        return found
    is_weak = abs(exponent - 1) <= _CLOSE
    is_sure = all(least) and abs(slope(ranks, least) - 1) <= _CLOSE
    if is_weak and (is_sure or not lacking(points)):
        return replace(found, kind="weak")
    more, ratio = f"{found.ranks_ratio:.3g}", f"{found.useful_ratio:.3g}"
    why = f"; 1 x would be strong scaling, {more} x weak scaling"
    if worst := max(lacking(points), key=without, default=None):
        why = (
            f", but with {worst.ranks} ranks they had no processor for "
            f"{percent_text(100 * without(worst), decimals=0)} % of the run"
        )
    raise RankwiseError(
        f"strong or weak scaling? With {more} x the ranks, the useful time of all ranks together is "
        f"{ratio} x as long{why}: give --strong or --weak"
    )


def _useful(run: ScalingRun) -> float:
    return run.efficiency.useful_mean_seconds


def _most_computing(run: ScalingRun) -> float:
    return run.most_computing_seconds


def _least_computing(run: ScalingRun) -> float:
    return run.least_computing_seconds


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the exponent of y as a power of x, by least squares of the logarithms; all are above 0."""
    logs = [math.log(value) for value in x], [math.log(value) for value in y]
    means = [statistics.fmean(values) for values in logs]
    over = sum((one - means[0]) * (other - means[1]) for one, other in zip(*logs, strict=True))
    below = sum((one - means[0]) ** 2 for one in logs[0])
    return over / below
