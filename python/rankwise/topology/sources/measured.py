"""A machine from a measurement: its tree, measured or from another machine, and its costs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy import costs
from rankwise.topology.hierarchy.compare import Agreement, compare
from rankwise.topology.hierarchy.levels import Hierarchy
from rankwise.topology.machine.model import Level, Machine, Outlier, Source
from rankwise.topology.sources.found_tree import FoundTree, tree_of
from rankwise.topology.sources.ranks import objects_of_ranks

Rows = NDArray[np.int64]
"""Shape (N, D): the object of each level that each rank is in, negative where that is unknown."""


@dataclass(frozen=True)
class Measured:
    """The result of a measurement.

    Attributes:
        machine: with costs.
        agreements: for each level with a source besides the measurement, the outermost first.
    """

    machine: Machine
    agreements: tuple[Agreement, ...]


def machine_from_latency(
    measurement: Measurement, hierarchy: Hierarchy, file: str, base: Machine | None = None
) -> Measured:
    """Make a machine of a measurement.

    Args:
        measurement: of N ranks.
        hierarchy: that was found in it.
        file: that it comes from.
        base: a machine of other sources, which keeps its tree and gets the costs; None: the tree is made of
            the switches that were found and of what the kernels said of their nodes.

    Raises:
        RankwiseError: a host is not in the base, or its name can't be a node's.
    """
    tree = FoundTree(base) if base else tree_of(measurement, hierarchy)
    machine = tree.machine
    if tree.slots is None:
        rows = objects_of_ranks(machine, measurement)
    else:
        rows = machine.slots.numbers[tree.slots].astype(np.int64)
    source = Source(
        "latency",
        "costs of levels" if base else "tree and costs of levels",
        file,
        str(measurement.about.get("date", "")),
    )
    made = replace(
        machine,
        levels=_with_costs(machine.levels, rows, measurement),
        sources=(*machine.sources, source),
        outliers=_outliers(measurement, hierarchy),
    )
    levels_without = [name for name in machine.level_names() if name not in tree.measured]
    return Measured(made, compare(hierarchy, _partitions(machine, rows, levels_without)))


def _with_costs(levels: Sequence[Level], rows: Rows, measurement: Measurement) -> tuple[Level, ...]:
    """Return the levels with the costs of pairs of ranks that meet at them, if such pairs exist."""
    first, second = measurement.pairs.first, measurement.pairs.second
    meet = (rows[first] == rows[second]).sum(axis=1) - 1
    costed = []
    for place, level in enumerate(levels):
        chosen = meet == place
        costed.append(replace(level, cost=costs.cost(measurement, chosen)) if chosen.any() else level)
    return tuple(costed)


def _partitions(machine: Machine, rows: Rows, names: Sequence[str]) -> dict[str, Sequence[Hashable]]:
    """Return which object each rank is in, for the levels that separate some ranks and join some."""
    partitions: dict[str, Sequence[Hashable]] = {}
    for name in names:
        groups = rows[:, machine.depth(name)].tolist()
        if min(groups) >= 0 and 1 < len(set(groups)) < len(groups):
            partitions[name] = groups
    return partitions


def _outliers(measurement: Measurement, hierarchy: Hierarchy) -> tuple[Outlier, ...]:
    hosts = measurement.host_names()
    return tuple(
        Outlier(
            kind=outlier.kind,
            where=outlier.where,
            hosts=tuple(dict.fromkeys(hosts[rank] for rank in outlier.ranks)),
            what=outlier.what,
            size=outlier.size,
            value=outlier.value,
            expected=outlier.expected,
            level=outlier.level,
            verdict=outlier.verdict,
        )
        for outlier in hierarchy.outliers
        if math.isfinite(outlier.value) and math.isfinite(outlier.expected)  # JSON has no other numbers
    )
