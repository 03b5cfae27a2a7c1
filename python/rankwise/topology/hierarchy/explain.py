"""The description of all views together: by classes of pairs, and by effects that deviate from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.topology.hierarchy.clustering import Groups, class_of, partition_cost
from rankwise.topology.hierarchy.distances import View
from rankwise.topology.hierarchy.effects import Effect, Fit, Trial, Unit

_NATS = 8.0
"""A slow unit must make the description shorter by that much: it costs as much to write down."""

_VIEW_NATS = 4.0
_HIDES = 0.25
"""After a delay is subtracted, less than this share of the cost is noise."""

Costs = NDArray[np.float32]


@dataclass(frozen=True)
class Explanation:
    """All views, described by nested partitions and by effects.

    Attributes:
        partitions: nested, from the innermost, without the set of all ranks.
        nats: length of the description.
        effects: the strongest first.
        fits: one for each view.
    """

    partitions: tuple[Groups, ...]
    nats: float
    effects: tuple[Effect, ...]
    fits: tuple[Fit, ...]


def explain(views: Sequence[View], partitions: Sequence[Groups], nodes: Sequence[Groups]) -> Explanation:
    """Describe all views; slow units are added while each makes the description clearly shorter.

    Args:
        views: of N ranks.
        partitions: nested groups of the ranks, which may be slow.
        nodes: the partition by host, if it is known: nodes may be slow, outside and inside.
    """
    count = len(views[0].cost)
    units = [*partitions, *nodes]
    classes = class_of(partitions, count)
    fits = [Fit(place, view, classes, len(partitions) + 1) for place, view in enumerate(views)]
    effects: list[Effect] = []
    slow = 0
    while slow < max(1, count // 8):
        suspects = dict.fromkeys(unit for fit in fits for unit in fit.suspects(units, nodes))
        # Where only one rank of a node was measured, either may be slow: choose the node.
        gain, _, trials = max(
            ((gain, len(unit.ends[0]), trials) for unit in suspects for gain, trials in (_gain(fits, unit),)),
            key=lambda best: best[:2],
            default=(0.0, 0, {}),
        )
        if gain < _NATS:
            break
        slow += 1
        for place, trial in trials.items():
            fits[place].accept(trial)
            effects.append(trial.effect)
    nats = sum(fit.nats for fit in fits) + _NATS * slow + partition_nats(partitions)
    return Explanation(tuple(partitions), nats, tuple(effects), tuple(fits))


def _gain(fits: Sequence[Fit], unit: Unit) -> tuple[float, dict[int, Trial]]:
    """Return how much shorter all views together are with a unit slow, and the fits that it changes."""
    trials = {place: trial for place, fit in enumerate(fits) if (trial := fit.attempt(unit))}
    gains = {place: fits[place].nats - trial.nats for place, trial in trials.items()}
    better = {place: trial for place, trial in trials.items() if gains[place] > _VIEW_NATS}
    return sum(gains[place] for place in better), better


def partition_nats(partitions: Sequence[Groups]) -> float:
    """Return the length of a description of nested partitions."""
    numbers = [len(partitions[0]), *(int(groups.max()) + 1 for groups in partitions)] if partitions else []
    return float(sum(partition_cost(np.array([many]), few)[0] for many, few in pairwise(numbers)))


def cleaned(views: Sequence[View], effects: Sequence[Effect]) -> tuple[View, ...]:
    """Return views without effects; unknown where an effect hides what the cost was, and other views tell."""
    ranks = np.arange(len(views[0].cost))
    costs = [view.cost.copy() for view in views]
    hidden = [np.zeros(cost.shape, dtype=bool) for cost in costs]
    for effect in effects:
        cost = costs[effect.view]
        mine = effect.unit.touches(ranks[:, None], ranks[None, :], len(ranks))
        without = _without(cost[mine], effect)
        hidden[effect.view][mine] |= without < _HIDES * cost[mine]
        cost[mine] = without
    unknown = np.logical_and.reduce([np.isnan(cost) | mask for cost, mask in zip(costs, hidden, strict=True)])
    for cost, mask in zip(costs, hidden, strict=True):
        cost[mask & ~unknown] = np.nan
    return tuple(replace(view, cost=cost) for view, cost in zip(views, costs, strict=True))


def settled(views: Sequence[View], explanation: Explanation) -> tuple[View, ...]:
    """Return views as they would be if no unit were slow, given the classes of pairs."""
    costs = [view.cost.copy() for view in views]
    for cost, fit in zip(costs, explanation.fits, strict=True):
        cost[fit.first, fit.second] = cost[fit.second, fit.first] = np.exp(fit.settled())
    return tuple(replace(view, cost=cost) for view, cost in zip(views, costs, strict=True))


def _without(cost: Costs, effect: Effect) -> Costs:
    """Return costs of pairs that an effect touches as if it were not there."""
    if effect.kind == "factor":
        return np.asarray(cost / effect.amount, dtype=np.float32)
    if effect.kind == "cap":
        # All that is known is that they are not larger.
        return np.where(cost < 1.5 * effect.amount, np.minimum(cost, np.float32(effect.least)), cost)
    # Not `least` where the rest is more than noise: it belongs to the levels found so far.
    without = cost - effect.amount
    return np.where(without < _HIDES * cost, np.maximum(without, effect.least), without).astype(np.float32)
