"""Compares the measured levels with the machine as hwloc, Slurm or others describe it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.measurement import Measurement, Processor, Rank
from rankwise.topology.hierarchy.levels import Hierarchy
from rankwise.topology.machine.slots import numbered


@dataclass(frozen=True)
class Agreement:
    """How a given partition of ranks compares with the measured level that is most like it.

    Attributes:
        given: name of the given partition, such as `package`.
        level: name of the most similar measured level; '' if there is no level.
        index: adjusted Rand index (Hubert and Arabie 1985): 1 = the same groups, about 0 = by chance.
        differ: ranks that would have to change their group.
    """

    given: str
    level: str
    index: float
    differ: tuple[int, ...]


def compare(hierarchy: Hierarchy, partitions: Mapping[str, Sequence[Hashable]]) -> tuple[Agreement, ...]:
    """Compare given partitions with the measured levels.

    Args:
        hierarchy: of N ranks.
        partitions: for each name, the group of each rank, length N.

    Returns:
        one for each partition, in their order.
    """
    agreements = []
    for name, keys in partitions.items():
        given = numbered_keys(keys)
        scored = [(adjusted_rand(given, level.groups), level) for level in hierarchy.levels]
        if not scored:
            agreements.append(Agreement(name, "", 0.0, ()))
            continue
        index, level = max(scored, key=lambda pair: pair[0])
        agreements.append(Agreement(name, level.name, index, _differing(given, level.groups)))
    return tuple(agreements)


def hwloc_partitions(measurement: Measurement) -> dict[str, list[Hashable]]:
    """Return which core, cache, memory, package and node each rank was bound to, from small to large.

    A part is left out if the kernel does not report it, or if a rank may run on several such parts.
    """
    partitions: dict[str, list[Hashable]] = {}
    for name, part_of in (
        ("core", lambda processor: (processor.package, processor.core)),
        ("l3", lambda processor: (processor.package, processor.l3)),
        ("numa", lambda processor: processor.numa),
        ("package", lambda processor: processor.package),
    ):
        keys: list[Hashable] = []
        for rank in measurement.ranks:
            parts = {part_of(processor) for processor in _allowed(measurement, rank)}
            part = parts.pop() if len(parts) == 1 else -1
            if (part[-1] if isinstance(part, tuple) else part) < 0:
                break
            keys.append((rank.host, part))
        else:
            partitions[name] = keys
    if measurement.ranks and all(host.name for host in measurement.hosts):
        partitions["node"] = [rank.host for rank in measurement.ranks]
    return partitions


def _allowed(measurement: Measurement, rank: Rank) -> list[Processor]:
    """Return the processors that a rank may run on; none if unknown."""
    cpus = set(rank.cpus)
    return [processor for processor in measurement.hosts[rank.host].processors if processor.os in cpus]


def numbered_keys(keys: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return the groups that keys make, numbered from 0 in the order of their first rank."""
    numbers: dict[Hashable, int] = {}
    return numbered([numbers.setdefault(key, len(numbers)) for key in keys])


def adjusted_rand(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Return the adjusted Rand index: 1 = same partitions, about 0 = chance (Hubert and Arabie 1985)."""
    table = _table(first, second)

    def pairs(counts: NDArray[np.int64]) -> float:
        return float((counts * (counts - 1) / 2).sum())

    both, first_pairs, second_pairs = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    everything = len(first) * (len(first) - 1) / 2
    chance = first_pairs * second_pairs / everything if everything else 0.0
    most = (first_pairs + second_pairs) / 2
    return 1.0 if most == chance else (both - chance) / (most - chance)


def _table(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many ranks each pair of groups shares."""
    table = np.zeros((int(first.max()) + 1, int(second.max()) + 1), dtype=np.int64)
    np.add.at(table, (first, second), 1)
    return table


def _differing(given: NDArray[np.int64], levels: NDArray[np.int64]) -> tuple[int, ...]:
    """Return the ranks outside the best match of groups."""
    from scipy.optimize import linear_sum_assignment

    table = _table(given, levels)
    rows, columns = linear_sum_assignment(-table)
    match = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    return tuple(
        rank
        for rank, (a, b) in enumerate(zip(given.tolist(), levels.tolist(), strict=True))
        if match.get(a) != b
    )
