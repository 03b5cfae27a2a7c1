"""Nested groups of ranks with the shortest description of a matrix of distances."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rankwise.topology.hierarchy.distances import Matrix
from rankwise.topology.machine.slots import numbered

FLOOR = 0.05
"""Resolution of distances (logarithms of costs)."""

_MOST_CUTS = 500
"""At most this many places for levels are considered."""

Groups = NDArray[np.int64]


def nested_partitions(distances: Matrix) -> list[Groups]:
    """Find the nested partitions with the shortest description of distances.

    Average linkage makes a tree of all ranks. Cuts through it split the pairs into classes. The cuts are
    chosen that need the fewest nats to write down: the partitions, and the distances given the class of each
    pair (normal, each class with its own mean and spread). Where noise makes the tree, the partitions cost
    more than they save.

    Args:
        distances: shape (N, N), symmetric, complete, 0 on the diagonal.

    Returns:
        partitions from the innermost to the outermost; without single ranks and without the set of all ranks.
    """
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage

    count = len(distances)
    if count < 3:
        return []
    shifted = distances[np.triu_indices(count, 1)].astype(np.float64)
    shifted -= shifted.min()
    tree = linkage(shifted, "average")
    cuts = _cuts(*_merged(distances, tree, leaves_list(tree)))
    return [numbered(fcluster(tree, count - cut, "maxclust")) for cut in cuts]


def _merged(
    distances: Matrix, tree: NDArray[np.float64], leaves: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return number, sum and sum of squares of the distances between the two sides of each merge."""
    count = len(leaves)
    sorted_ = distances[np.ix_(leaves, leaves)].astype(np.float64)
    begin = np.empty(2 * count - 1, dtype=np.int64)
    end = np.empty_like(begin)
    begin[leaves] = np.arange(count)
    end[leaves] = begin[leaves] + 1
    sides = tree[:, :2].astype(np.int64)
    for step, (first, second) in enumerate(sides):
        begin[count + step] = min(begin[first], begin[second])
        end[count + step] = max(end[first], end[second])
    first, second = sides.T
    numbers = ((end - begin)[first] * (end - begin)[second]).astype(np.float64)

    def blocks(values: NDArray[np.float64]) -> NDArray[np.float64]:
        table = np.zeros((count + 1, count + 1))
        table[1:, 1:] = values
        np.cumsum(table, axis=0, out=table)
        np.cumsum(table, axis=1, out=table)
        return np.asarray(
            table[end[first], end[second]]
            - table[begin[first], end[second]]
            - table[end[first], begin[second]]
            + table[begin[first], begin[second]]
        )

    return numbers, blocks(sorted_), blocks(sorted_**2)


def _cuts(numbers: NDArray[np.float64], sums: NDArray[np.float64], squares: NDArray[np.float64]) -> list[int]:
    """Return after which merges to cut: the shortest description, by dynamic programming."""
    last = len(numbers)
    n, s, q = (np.concatenate([[0.0], np.cumsum(column)]) for column in (numbers, sums, squares))
    places = _gaps(sums / numbers)
    best = np.zeros(len(places))
    before = np.zeros(len(places), dtype=np.int64)
    for at, end in enumerate(places[1:].tolist(), 1):
        begin = places[:at]
        many = n[end] - n[begin]
        variance = np.maximum((q[end] - q[begin]) / many - ((s[end] - s[begin]) / many) ** 2, 0)
        total = best[:at] + _spread_cost(many, variance) + partition_cost(last + 1 - begin, last + 1 - end)
        before[at] = np.argmin(total)
        best[at] = total[before[at]]
    cuts = []
    at = int(before[-1])
    while at > 0:
        cuts.append(int(places[at]))
        at = int(before[at])
    return cuts[::-1]


def _gaps(heights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return where to consider a cut: before the largest steps between merges, first and last among them."""
    inside = np.arange(1, len(heights))
    if len(inside) > _MOST_CUTS:
        inside = np.sort(np.argpartition(-np.diff(heights), _MOST_CUTS)[:_MOST_CUTS] + 1)
    return np.concatenate([[0], inside, [len(heights)]])


def _spread_cost(many: NDArray[np.float64], variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nats that distances of a class need; a small class borrows some spread."""
    prior = 2.0
    guarded = (many * (variance + FLOOR**2) + prior * 0.15**2) / (many + prior)
    return np.asarray(many / 2 * np.log(guarded) + np.log(many + 1) + 2.0)


def partition_cost(items: NDArray[np.int64], groups: int) -> NDArray[np.float64]:
    """Return the nats of one way to group items, as if all groups had the same size.

    Twice: groups of unequal sizes need more, and a tree was grown to fit.
    """
    from scipy.special import gammaln

    if groups == 1:
        return np.zeros(len(items))
    log_factorial = _log_factorial(int(items.max()) + 1)
    ways = log_factorial[items] - groups * gammaln(items / groups + 1) - log_factorial[groups]
    return np.asarray(2 * ways)


@cache
def _log_factorial(count: int) -> NDArray[np.float64]:
    """Return the logarithm of n! for n below count."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, max(count, 2))))])


def class_of(partitions: Sequence[Groups], count: int) -> NDArray[np.int8]:
    """Return the class of each pair: shape (N, N), place of the innermost partition that holds both."""
    classes = np.full((count, count), len(partitions), dtype=np.int8)
    for place in range(len(partitions) - 1, -1, -1):
        groups = partitions[place]
        classes[groups[:, None] == groups[None, :]] = place
    return classes
