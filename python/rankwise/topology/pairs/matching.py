"""Matches the pairs of two measurements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.pairs.medians import group_medians
from rankwise.topology.pairs.relative import levels_of

MATCHES = ("rank", "host")
INSIDE, BETWEEN, APART, TOGETHER = "inside a node", "between nodes", "moved apart", "moved together"

Column = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Matched:
    """Pairs that are in both measurements.

    Attributes:
        by: `rank`, or `host`: then a pair stands for all pairs of ranks on two hosts, or on one.
        ends: shape (U, 2): ranks, or places in `hosts`.
        hosts: names of hosts.
        host_of: shape (U, 2): the hosts of both ends, as places in `hosts`; of the first measurement.
        moved: ranks that are on another host in the second measurement.
        classes: names of kinds of pairs.
        class_of: shape (U,): place in `classes`.
        before, after: give the values of the U pairs from those of all pairs of a measurement.
        samples: place in `classes` of all pairs of both measurements, -1 for other hosts; None if
            each of the U pairs is a single pair in both.
    """

    by: str
    ends: NDArray[np.int64]
    hosts: tuple[str, ...]
    host_of: NDArray[np.int64]
    moved: int
    classes: tuple[str, ...]
    class_of: NDArray[np.int64]
    before: Callable[[Column], Column]
    after: Callable[[Column], Column]
    samples: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.ends)


def match(before: Measurement, after: Measurement, by: str | None = None) -> Matched:
    """Match the pairs of two measurements.

    Args:
        before: the first measurement.
        after: the second measurement.
        by: one of MATCHES; None: by rank if there are as many, else by host.

    Raises:
        RankwiseError: nothing matches.
    """
    counts = len(before.ranks), len(after.ranks)
    if by == "rank" and counts[0] != counts[1]:
        raise RankwiseError(
            f"one measurement is of {counts[0]} ranks, the other of {counts[1]}: they can't be matched by "
            "rank; use --match host, or measure with as many ranks"
        )
    by = by or ("rank" if counts[0] == counts[1] else "host")
    matched = _by_rank(before, after) if by == "rank" else _by_host(before, after)
    if not len(matched):
        raise RankwiseError("no pair is in both measurements: measure the same ranks or hosts")
    return matched


def _by_rank(before: Measurement, after: Measurement) -> Matched:
    count = len(before.ranks)
    numbers = [m.pairs.first * count + m.pairs.second for m in (before, after)]
    keys, old, new = np.intersect1d(numbers[0], numbers[1], return_indices=True)
    ends = np.stack([keys // count, keys % count], axis=1)
    names = before.host_names(), after.host_names()
    hosts = tuple(dict.fromkeys(names[0]))
    places = {name: place for place, name in enumerate(hosts)}
    host_of = np.array([places[name] for name in names[0]], dtype=np.int64)[ends]
    moved = sum(old_name != new_name for old_name, new_name in zip(*names, strict=True))
    if moved:
        classes: tuple[str, ...] = (INSIDE, BETWEEN, APART, TOGETHER)
        now = np.unique(names[1], return_inverse=True)[1].astype(np.int64)[ends]
        was_apart, is_apart = host_of[:, 0] != host_of[:, 1], now[:, 0] != now[:, 1]
        class_of = np.select([was_apart & is_apart, is_apart, was_apart], [1, 2, 3], 0).astype(np.int64)
    else:
        hierarchy = find_hierarchy(before)
        classes = tuple(level.name for level in hierarchy.levels)
        class_of = levels_of(before, hierarchy)[old]
    return Matched(
        by="rank",
        ends=ends,
        hosts=hosts,
        host_of=host_of,
        moved=moved,
        classes=classes,
        class_of=class_of,
        before=lambda values: values[old],
        after=lambda values: values[new],
    )


def _by_host(before: Measurement, after: Measurement) -> Matched:
    common = {host.name for host in before.hosts} & {host.name for host in after.hosts}
    hosts = tuple(host.name for host in before.hosts if host.name in common)
    if not hosts:
        counts = f"{len(before.ranks)} and {len(after.ranks)} ranks"
        raise RankwiseError(
            f"the measurements, of {counts}, have no host in common: measure the same hosts, or as many ranks"
        )
    groups = [_host_pairs(measurement, hosts) for measurement in (before, after)]
    both = np.intersect1d(groups[0][groups[0] >= 0], groups[1][groups[1] >= 0])
    ends = np.stack([both // len(hosts), both % len(hosts)], axis=1)

    def medians(group: NDArray[np.int64]) -> Callable[[Column], Column]:
        # Pairs of other hosts go into an additional group, which is ignored.
        place = np.searchsorted(both, group)
        there = np.isin(group, both)
        numbers = np.where(there, place, len(both)).astype(np.int64)
        return lambda values: group_medians(numbers, values, len(both) + 1)[:-1]

    def classes(group: NDArray[np.int64]) -> NDArray[np.int64]:
        apart = (group // len(hosts) != group % len(hosts)).astype(np.int64)
        return np.where(np.isin(group, both), apart, -1)

    return Matched(
        by="host",
        ends=ends,
        hosts=hosts,
        host_of=ends,
        moved=0,
        classes=(INSIDE, BETWEEN),
        class_of=(ends[:, 0] != ends[:, 1]).astype(np.int64),
        before=medians(groups[0]),
        after=medians(groups[1]),
        samples=(classes(groups[0]), classes(groups[1])),
    )


def _host_pairs(measurement: Measurement, hosts: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for the two hosts of each pair, shape (P,); -1 if a host is not in `hosts`."""
    places = {name: place for place, name in enumerate(hosts)}
    host = np.array([places.get(name, -1) for name in measurement.host_names()], dtype=np.int64)
    first_host, second_host = host[measurement.pairs.first], host[measurement.pairs.second]
    low, high = np.minimum(first_host, second_host), np.maximum(first_host, second_host)
    return np.where(low < 0, -1, low * len(hosts) + high)
