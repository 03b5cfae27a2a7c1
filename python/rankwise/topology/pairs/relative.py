"""Compares each pair with its level: pairs, ranks and nodes that are slower than they should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.latency.measurement import BANDWIDTHS, Measurement, Pairs
from rankwise.topology.hierarchy.distances import best_statistic, mean_rate
from rankwise.topology.hierarchy.levels import Hierarchy
from rankwise.topology.pairs.medians import group_medians


@dataclass(frozen=True)
class Values:
    """One value of each pair of a measurement.

    Attributes:
        what: `latency` (half a round trip) or `bandwidth` (of both directions).
        size: of the messages, bytes.
        of: shape (P,): us, or MB/s; NaN where not measured.
    """

    what: str
    size: int
    of: NDArray[np.float64]

    def slowness(self, value: NDArray[np.float64], than: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how many times slower `of` is than `than`, whichever way the values go."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = than / value if self.what == "bandwidth" else value / than
        return np.asarray(np.where(np.isfinite(ratios), ratios, np.nan), dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class PairRow:
    """One pair.

    Attributes:
        first, second: ranks.
        hosts: of both.
        level: name of the smallest level that holds both.
        value: us or MB/s; None if not measured.
        expected: median of the level.
        slowness: how many times slower than the median.
        alone: value when it was measured once more alone, if it was.
        repeats: round trips that the value is from.
    """

    first: int
    second: int
    hosts: tuple[str, str]
    level: str
    value: float | None
    expected: float | None
    slowness: float | None
    alone: float | None
    repeats: int


@dataclass(frozen=True)
class RankRow:
    """One rank.

    Attributes:
        host: where it ran.
        cpus: processors that it may run on.
        slowness: median over its pairs.
        worst: the slowest rank to talk to.
        worst_slowness: of that pair.
    """

    rank: int
    host: str
    cpus: tuple[int, ...]
    slowness: float | None
    worst: int | None
    worst_slowness: float | None


@dataclass(frozen=True)
class NodeRow:
    """One node.

    Attributes:
        ranks: on it.
        inside: median of the pairs on it, us or MB/s.
        outside: median of the pairs with one rank on it.
        slowness: median over all its pairs.
    """

    host: str
    ranks: tuple[int, ...]
    inside: float | None
    outside: float | None
    slowness: float | None


def values(measurement: Measurement, size: int | None = None) -> Values:
    """Return the most useful value of each pair: the latency, or the bandwidth without one.

    Args:
        measurement: P pairs.
        size: in bytes; None: the smallest that was measured.

    Raises:
        RankwiseError: no such size, or nothing was measured with it.
    """
    if size is not None and size not in measurement.sizes:
        known = ", ".join(map(str, measurement.sizes))
        raise RankwiseError(f"messages of {size} bytes were not measured: choose --size from {known}")
    for chosen in sorted(measurement.sizes) if size is None else [size]:
        for what in ("latency", "bandwidth"):
            pair_medians = pair_values(measurement, measurement.pairs, what, chosen)
            if not np.isnan(pair_medians).all():
                return Values(what, chosen, pair_medians)
    raise RankwiseError("there is no measured pair in this file: measure again")


def pair_values(
    measurement: Measurement, pairs: Pairs, what: str, size: int, statistic: str | None = None
) -> NDArray[np.float64]:
    """Return latency or bandwidth of pairs of a measurement, shape (P,).

    Args:
        measurement: that they belong to.
        pairs: its pairs, or those measured alone.
        what: `latency` or `bandwidth`.
        size: of the messages, one of the measured sizes.
        statistic: of the latency; None: the one with the least noise.
    """
    column = measurement.sizes.index(size)
    if what == "latency":
        return pairs.times[statistic or best_statistic(measurement)][:, column]
    forward, backward = (pairs.bandwidths[name][:, column] for name in BANDWIDTHS)
    return mean_rate(forward, backward)


def levels_of(measurement: Measurement, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the place in `hierarchy.levels` of each measured pair, shape (P,)."""
    first, second = measurement.pairs.first, measurement.pairs.second
    level_indices = np.full(len(first), len(hierarchy.levels) - 1)
    for place in range(len(hierarchy.levels) - 1, -1, -1):
        groups = hierarchy.levels[place].groups
        level_indices[groups[first] == groups[second]] = place
    return level_indices


class Relative:
    """All pairs of a measurement, compared with the medians of their levels."""

    def __init__(self, measurement: Measurement, hierarchy: Hierarchy, size: int | None = None) -> None:
        self.values = values(measurement, size)
        self._measurement = measurement
        self._names = [level.name for level in hierarchy.levels]
        self._level = levels_of(measurement, hierarchy)
        self._expected = group_medians(self._level, self.values.of, len(self._names))[self._level]
        self._slowness = self.values.slowness(self.values.of, self._expected)

    def pairs(self, limit: int = 0) -> list[PairRow]:
        """Return the slowest pairs, the worst first; 0 = all."""
        order = np.argsort(np.where(np.isnan(self._slowness), np.inf, -self._slowness), kind="stable")
        pairs, hosts = self._measurement.pairs, self._measurement.host_names()
        alone = self._alone()
        repeats = pairs.repeats[:, self._measurement.sizes.index(self.values.size)]
        rows = []
        for place in order[: limit or len(order)].tolist():
            first, second = int(pairs.first[place]), int(pairs.second[place])
            rows.append(
                PairRow(
                    first=first,
                    second=second,
                    hosts=(hosts[first], hosts[second]),
                    level=self._names[self._level[place]],
                    value=_known(self.values.of[place]),
                    expected=_known(self._expected[place]),
                    slowness=_known(self._slowness[place]),
                    alone=_known(alone.get((first, second), np.nan)),
                    repeats=int(repeats[place]),
                )
            )
        return rows

    def ranks(self) -> list[RankRow]:
        """Return all ranks, the slowest first."""
        pairs, ranks = self._measurement.pairs, self._measurement.ranks
        ends, others = np.r_[pairs.first, pairs.second], np.r_[pairs.second, pairs.first]
        slowness = np.r_[self._slowness, self._slowness]
        medians = group_medians(ends, slowness, len(ranks))
        worst = np.full(len(ranks), -1)
        order = np.argsort(slowness, kind="stable")  # NaN last
        order = order[~np.isnan(slowness[order])]
        worst[ends[order]] = order  # of several assignments to one rank, the last one stays
        rows = [
            RankRow(
                rank,
                host,
                ranks[rank].cpus,
                _known(medians[rank]),
                int(others[worst[rank]]) if worst[rank] >= 0 else None,
                _known(slowness[worst[rank]]) if worst[rank] >= 0 else None,
            )
            for rank, host in enumerate(self._measurement.host_names())
        ]
        return sorted(rows, key=lambda row: -(row.slowness or 0.0))

    def nodes(self) -> list[NodeRow]:
        """Return all nodes, the slowest first."""
        count = len(self._measurement.hosts)
        host = np.array([rank.host for rank in self._measurement.ranks], dtype=np.int64)
        first_node, second_node = host[self._measurement.pairs.first], host[self._measurement.pairs.second]
        apart = first_node != second_node
        values = self.values.of
        inside = group_medians(first_node[~apart], values[~apart], count)
        outside = group_medians(
            np.r_[first_node[apart], second_node[apart]], np.r_[values[apart], values[apart]], count
        )
        # A pair inside a node counts once.
        slowness = group_medians(
            np.r_[first_node, second_node[apart]], np.r_[self._slowness, self._slowness[apart]], count
        )
        rows = [
            NodeRow(
                self._measurement.hosts[place].name,
                tuple(np.flatnonzero(host == place).tolist()),
                _known(inside[place]),
                _known(outside[place]),
                _known(slowness[place]),
            )
            for place in range(count)
        ]
        return sorted(rows, key=lambda row: -(row.slowness or 0.0))

    def _alone(self) -> dict[tuple[int, int], float]:
        alone = self._measurement.alone
        alone_values = pair_values(self._measurement, alone, self.values.what, self.values.size)
        ends = zip(alone.first.tolist(), alone.second.tolist(), strict=True)
        return dict(zip(ends, alone_values.tolist(), strict=True))


def rank_groups(groups: NDArray[np.int64], labels: Sequence[str]) -> list[tuple[str, tuple[int, ...]]]:
    """Return the ranks of each group of a level, with the group's label."""
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(groups, minlength=len(labels)))[:-1])
    return [(label, tuple(part.tolist())) for label, part in zip(labels, parts, strict=True)]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
