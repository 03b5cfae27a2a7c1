"""From a measurement to the machine's hierarchy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy import costs
from rankwise.topology.hierarchy.clustering import Groups, class_of
from rankwise.topology.hierarchy.compare import numbered_keys
from rankwise.topology.hierarchy.distances import combine, views
from rankwise.topology.hierarchy.explain import Explanation, explain, settled
from rankwise.topology.hierarchy.levels import Hierarchy, Level
from rankwise.topology.hierarchy.naming import labels, names
from rankwise.topology.hierarchy.outliers import outliers
from rankwise.topology.hierarchy.stability import stabilities
from rankwise.topology.hierarchy.structure import search

STABLE = 0.5
"""Levels that fewer resampled measurements show are noise."""


def find_hierarchy(measurement: Measurement, *, seed: int = 0) -> Hierarchy:
    """Find the levels of a machine, their costs, and outliers.

    Levels come from the measured matrix alone; hosts and bindings only name them.

    Args:
        measurement: of N ranks, N > 1.
        seed: of the resampling; the result depends only on it and the measurement.

    Raises:
        RankwiseError: fewer than two ranks, or nothing was measured between them.
    """
    count = len(measurement.ranks)
    if count < 2:
        raise RankwiseError("a hierarchy needs at least two ranks: measure with more")
    all_views = views(measurement)
    if not all_views:
        raise RankwiseError("the measurement holds no pair: measure again")
    nodes = _nodes(measurement)
    hierarchy = search(all_views, nodes)
    partitions = hierarchy.partitions
    shares = stabilities(combine(settled(all_views, hierarchy)), partitions, seed)
    stable = [
        place
        for place, share in enumerate(shares)
        if share >= STABLE and not _by_chance(measurement, partitions[place])
    ]
    kept = [partitions[place] for place in stable]
    explanation = hierarchy if len(kept) == len(partitions) else explain(all_views, kept, nodes)
    nested = [*kept, np.zeros(count, dtype=np.int64)]
    levels = _levels(measurement, explanation, nested, [*(shares[place] for place in stable), 1.0])
    return Hierarchy(levels, outliers(measurement, all_views, explanation, levels), _order(nested))


def _by_chance(measurement: Measurement, groups: Groups) -> bool:
    """Return whether a partition separates ranks that shared processors of one host by time slicing.

    Which of them are near each other is then the scheduler's doing, however clearly it shows.
    """
    if measurement.about.get("oversubscribed") is not True:
        return False
    hosts = [rank.host for rank in measurement.ranks]
    return len(set(zip(hosts, groups.tolist(), strict=True))) > len(set(hosts))


def _nodes(measurement: Measurement) -> list[Groups]:
    """Return the partition by host, if there are several."""
    hosts = measurement.host_names()
    return [numbered_keys(hosts)] if all(hosts) and len(set(hosts)) > 1 else []


def _levels(
    measurement: Measurement, explanation: Explanation, partitions: Sequence[Groups], shares: Sequence[float]
) -> tuple[Level, ...]:
    """Describe each level: name, groups and cost without outliers."""
    first, second = measurement.pairs.first, measurement.pairs.second
    count = len(measurement.ranks)
    classes = class_of(partitions[:-1], count)
    of_pair = classes[first, second]
    for unit in {effect.unit for effect in explanation.effects}:
        others = ~unit.touches(first, second, count)
        # A level all of whose pairs are slow has no other cost.
        of_pair = np.where(others | ~np.isin(of_pair, of_pair[others]), of_pair, -1)
    number = np.bincount(classes[np.triu_indices(count, 1)], minlength=len(partitions))
    return tuple(
        Level(
            name=name,
            groups=groups,
            labels=labels(measurement, name, groups),
            pairs=int(number[place]),
            cost=costs.cost(measurement, of_pair == place),
            spread=costs.spread(measurement, of_pair == place),
            stability=shares[place],
        )
        for place, (name, groups) in enumerate(zip(names(measurement, partitions), partitions, strict=True))
    )


def _order(partitions: Sequence[Groups]) -> tuple[int, ...]:
    """Return all ranks, sorted so that each group of each level is together."""
    count = len(partitions[0])
    return tuple(np.lexsort((np.arange(count), *partitions)).tolist())
