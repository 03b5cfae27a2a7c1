"""Which distribution of a launcher comes close to a placement, predicted without a launch."""

from __future__ import annotations

from typing import NamedTuple

from rankwise.launchers.placing import Distribution, Relaunching
from rankwise.placement.mapping import Mapping

_LEAST_SHARE = 0.5


class Predicted(NamedTuple):
    """A distribution, and its share of the placement's saving, from 0 to 1."""

    distribution: Distribution
    share: float


def predicted(mapping: Mapping, placing: Relaunching) -> Predicted | None:
    """Return the distribution that saves most of what the placement saves.

    It can only predict distributions that fill one node after the other, or go to the nodes in turn.

    Args:
        mapping: the placement.
        placing: of the launcher of the run.

    Returns:
        None if none of them saves half as much, or nothing is saved.
    """
    if mapping.present is None or mapping.found.cost >= mapping.present.cost:
        return None
    present = mapping.present.cost
    costs = {"block": mapping.natural.cost, "cyclic": mapping.cyclic.cost}
    shares = [
        Predicted(each, (present - costs[each.order]) / (present - mapping.found.cost))
        for each in placing.distributions
        if each.order in costs
    ]
    best = max(shares, key=lambda each: each.share, default=None)
    return best if best and best.share >= _LEAST_SHARE else None
