"""Of groups of ranks that send nothing to any other, which go where: it is all the same for the cost.

What is found puts each of them together; which of several equal ones gets which place is left to chance.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.engine import choose_pairs

Ranks = NDArray[np.int64]


def exchanged(
    traffic: Traffic, node: NDArray[np.int32], found: NDArray[np.int64], present: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Exchange groups of as many ranks, each on one node, so that the most ranks stay on their nodes.

    Groups may differ in who sends to whom inside of them: whether the cost is the same, the caller sees.

    Args:
        traffic: what ranks send each other.
        node: of each place, shape (N,).
        found: place of each rank, shape (R,).
        present: likewise, where they are now.

    Returns:
        as `found`.
    """
    alike: dict[int, list[Ranks]] = defaultdict(list)
    for group in _groups(traffic):
        if len(set(node[found[group]].tolist())) == 1:
            alike[len(group)].append(group)
    places: NDArray[np.int64] = found.copy()
    for groups in alike.values():
        targets = [found[group] for group in groups]
        for group, target in zip(groups, _assigned(groups, targets, node, present), strict=True):
            places[group] = targets[target]
    return places


def _groups(traffic: Traffic) -> list[Ranks]:
    """Return the connected components of who sends to whom, each with its ranks in order."""
    weights = [np.asarray(values) for values in (traffic.bytes, traffic.messages) if values is not None]
    sent = np.any([weight > 0 for weight in weights], axis=0)
    one, other = np.asarray(traffic.source)[sent], np.asarray(traffic.destination)[sent]
    label = np.arange(traffic.ranks)
    while True:
        lower = np.minimum(label[one], label[other])
        new = label.copy()
        np.minimum.at(new, label[one], lower)
        np.minimum.at(new, label[other], lower)
        new = new[new]
        if np.array_equal(new, label):
            break
        label = new
    order = np.argsort(label, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)


def _assigned(
    groups: list[Ranks], targets: list[Ranks], node: NDArray[np.int32], present: NDArray[np.int64]
) -> list[int]:
    """Return for each group which of the targets it gets."""
    on: dict[int, list[int]] = defaultdict(list)
    for number, target in enumerate(targets):
        on[int(node[target[0]])].append(number)
    stay = {
        (number, target): count
        for number, group in enumerate(groups)
        for where, count in Counter(node[present[group]].tolist()).items()
        for target in on.get(where, ())
    }
    if not stay:
        return list(range(len(groups)))
    rows, columns = np.array(list(stay)).T
    chosen = choose_pairs(rows, columns, np.array(list(stay.values()), dtype=np.float64))
    given = dict(zip(rows[chosen].tolist(), columns[chosen].tolist(), strict=True))
    free = sorted(set(range(len(groups))) - set(given.values()), reverse=True)
    return [given[number] if number in given else free.pop() for number in range(len(groups))]
