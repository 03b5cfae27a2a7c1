"""The search for the partitions and effects that describe all views shortest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np

from rankwise.topology.hierarchy.clustering import Groups, nested_partitions
from rankwise.topology.hierarchy.depth import indices_of_levels
from rankwise.topology.hierarchy.distances import Matrix, View, combine, fill
from rankwise.topology.hierarchy.effects import LEAST, LEAST_INSIDE
from rankwise.topology.hierarchy.explain import Explanation, cleaned, explain
from rankwise.topology.hierarchy.unmeasured import measured, spread

_GAP = float(np.log(1.15))
"""Levels differ at least that much (logarithm of the ratio of costs) in some view."""

_ROUNDS = 3
_FEW_RANKS = 128
"""Among more ranks than these, one tree shows enough to start from."""

_SEVERAL_RANKS = 512
"""Among more ranks than these, a level hardly takes the place of a single slow node."""

_FEW_GROUPS = 64
"""Among more groups, a slow one stands out anyway."""


def search(views: Sequence[View], units: Sequence[Groups]) -> Explanation:
    """Find the nested partitions and effects with the shortest description of all views.

    Slow nodes bend the tree, and a bent tree hides slow nodes. Several trees are made: of all views together,
    of each view alone, of views without the common part of each row, and of views without the common part of
    the inside of each node. The tree with the shortest description, including its effects, wins; then it is
    made once more from the distances without the effects.

    Args:
        views: of N ranks.
        units: partitions whose groups may be slow, besides the detected ones; nodes, if they are known.
    """
    tried: dict[tuple[bytes, ...], Explanation] = {}

    def attempt(shown: Sequence[View]) -> Explanation:
        """Describe views by the partitions that the shown views suggest."""
        distances = combine(shown)
        known = measured(distances)
        cuts = nested_partitions(fill(distances[np.ix_(known, known)]))
        cuts = spread(cuts, known, units[0] if units else None, len(distances))
        levels = [cuts[index] for index in indices_of_levels(cuts, known=units)]
        key = tuple(groups.tobytes() for groups in levels)
        if key not in tried:
            tried[key] = describe(views, levels, units)
        return tried[key]

    best = attempt(views)
    if 3 < len(views[0].cost) <= _FEW_RANKS:
        others = list(map(attempt, _alternatives(views, best.partitions)))
        best = min([best, *others], key=attrgetter("nats"))
    for nodes in units:
        if even := _evened(views, nodes):
            best = min(best, attempt(even), key=attrgetter("nats"))
    for _ in range(_ROUNDS):
        if not best.effects:
            break
        again = min(map(attempt, _settled(views, best, units)), key=attrgetter("nats"))
        if again.nats >= best.nats:
            break
        best = again
    return best


def describe(views: Sequence[View], partitions: Sequence[Groups], units: Sequence[Groups]) -> Explanation:
    """Describe views by partitions, without levels that cost the same as the next one."""
    explanation = explain(views, partitions, units)
    while explanation.partitions:
        centres = np.array([fit.centres() for fit in explanation.fits])
        gaps = np.nan_to_num(np.diff(centres, axis=1), nan=0.0).max(axis=0)
        # Unmeasured effects (all pairs of a class missing) can't be separated, and stay.
        gaps[np.isnan(centres).all(axis=0)[:-1]] = np.inf
        if gaps.min() >= _GAP:
            break
        same = int(gaps.argmin())
        kept = [groups for place, groups in enumerate(explanation.partitions) if place != same]
        explanation = explain(views, kept, units)
    return explanation


def _settled(
    views: Sequence[View], explanation: Explanation, units: Sequence[Groups]
) -> Iterator[tuple[View, ...]]:
    """Yield views without the slow places, also where a level replaces a slow place.

    A slow node that a level sets apart is not slow as long as this level is there.
    """
    without = cleaned(views, explanation.effects)
    yield without
    yield from (even for nodes in units if (even := _evened(without, nodes)))
    if len(views[0].cost) > _SEVERAL_RANKS:
        return
    for groups in explanation.partitions:
        if not any(np.array_equal(groups, nodes) for nodes in units):
            kept = [other for other in explanation.partitions if other is not groups]
            yield cleaned(views, describe(views, kept, units).effects)


def _alternatives(views: Sequence[View], partitions: Sequence[Groups]) -> Iterator[tuple[View, ...]]:
    """Yield views that may show more than all of them together."""
    if len(views) > 1:
        yield from ((view,) for view in views)
    for groups in (np.arange(len(views[0].cost)), *partitions):
        if 2 < groups.max() < _FEW_GROUPS:
            yield tuple(replace(view, cost=_centred(view.cost, groups)) for view in views)


def _centred(cost: Matrix, groups: Groups) -> Matrix:
    """Return costs without the delay that each group adds to all its messages.

    In a tree of K groups, a delay r in front of one adds r (K - 2) to the sum of its row, and r to each sum
    (but not to their median), as in neighbour joining (Saitou and Nei 1987).
    """
    many = int(groups.max()) + 1
    inside = np.zeros((len(groups), many), dtype=np.float32)
    inside[np.arange(len(groups)), groups] = 1
    known = np.isfinite(cost)
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = inside.T @ np.where(known, np.log(cost), 0) @ inside
        block = np.exp(logs / (inside.T @ known @ inside))
    np.fill_diagonal(block, np.nan)
    sums = np.nansum(block, axis=1) * many / np.maximum(np.isfinite(block).sum(axis=1), 1)
    delay = np.maximum(0, (sums - np.nanmedian(sums)) / (many - 2))
    both = (delay[:, None] + delay[None, :])[np.ix_(groups, groups)].astype(np.float32)
    without = cost - both
    outside = groups[:, None] != groups[None, :]
    return np.where(outside & (without > 0.05 * cost), without, cost)


def _evened(views: Sequence[View], nodes: Groups) -> tuple[View, ...]:
    """Return views in which no node is slower inside than most nodes are; nothing if none is.

    The ranks of a node that is slow inside are as far from each other as from those of other nodes. A tree of
    the measured distances does not have this node.

    Args:
        views: of N ranks.
        nodes: the partition by host; shape (N,).
    """
    cleaned_views, changed = [], False
    for view in views:
        cost = view.cost.copy()
        medians = {}
        for node in range(int(nodes.max()) + 1):
            members = np.flatnonzero(nodes == node)
            values = cost[np.ix_(members, members)]
            values = values[np.isfinite(values)]
            if len(values) >= 2 * LEAST_INSIDE:
                medians[node] = float(np.median(np.log(values)))
        usual = float(np.median(list(medians.values()))) if medians else 0.0
        for node, median in medians.items():
            if median > usual + LEAST:
                members = np.flatnonzero(nodes == node)
                cost[np.ix_(members, members)] /= np.float32(np.exp(median - usual))
                changed = True
        cleaned_views.append(replace(view, cost=cost))
    return tuple(cleaned_views) if changed else ()
