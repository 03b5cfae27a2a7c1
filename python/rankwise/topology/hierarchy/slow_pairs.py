"""Single pairs that are far slower than the others of their level."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rankwise.topology.hierarchy.effects import Fit, Unit, Values

PAIRS = 1000
"""No more single pairs than these are listed, the slowest."""

_RATIO = float(np.log(1.5))
_SIGMAS = 6.0
_BORROWED = 10
_SHARE = 0.02


def slow_pairs(fits: Sequence[Fit]) -> dict[Unit, list[int]]:
    """Return single pairs far outside their class, the slowest first, and the views that show it.

    Where more than a few pairs of a class are far outside, it has a long tail, and none is singled out.
    """
    places: dict[Unit, list[int]] = {}
    worst: dict[Unit, float] = {}
    for place, fit in enumerate(fits):
        residual = fit.residual()
        for begin, end in pairwise(fit.bounds):
            values = residual[begin:end]
            number = len(values)
            if number < 8:
                continue
            limit = max(_RATIO, _scale(values) * max(_SIGMAS, float(np.sqrt(2 * np.log(number))) + 2))
            far = np.flatnonzero(values > limit)
            if len(far) > max(1, _SHARE * number):
                continue
            for pair in far.tolist():
                ends = ((int(fit.first[begin + pair]),), (int(fit.second[begin + pair]),))
                unit = Unit(ends, -1)
                places.setdefault(unit, []).append(place)
                worst[unit] = max(worst.get(unit, 0.0), float(values[pair]))
    chosen = sorted(places, key=lambda unit: -worst[unit])[:PAIRS]
    return {unit: places[unit] for unit in chosen}


def _scale(values: Values) -> float:
    """Return the robust standard deviation; few values are taken together with some that are usual."""
    own = 1.4826 * float(np.median(np.abs(values - np.median(values))))
    number = len(values)
    return max(0.05, float(np.sqrt((number * own**2 + _BORROWED * 0.3**2) / (number + _BORROWED))))
