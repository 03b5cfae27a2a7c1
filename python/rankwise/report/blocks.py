"""Flows for a page: where there are too many, neighbouring ranks are taken together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_ENTRIES = 300_000


@dataclass(frozen=True)
class Blocks:
    """Flows between blocks of ranks: rank r is in block r // together. Ascending by source and destination.

    Attributes:
        together: ranks of a block; 1: nothing was taken together.
        source, destination: shape (E,): blocks.
        group: shape (E,).
        bytes, messages: shape (E,): sums.
    """

    together: int
    source: NDArray[np.int64]
    destination: NDArray[np.int64]
    group: NDArray[np.int64]
    bytes: NDArray[np.float64]
    messages: NDArray[np.float64]


def blocks(
    source: NDArray[np.int64],
    destination: NDArray[np.int64],
    group: NDArray[np.int64],
    amounts: NDArray[np.float64],
    most: int = _MOST_ENTRIES,
) -> Blocks:
    """Double the blocks until there are few enough entries.

    Args:
        source: shape (E,): ranks.
        destination: likewise.
        group: shape (E,).
        amounts: shape (2, E): bytes and messages.
        most: entries.
    """
    together = 1
    found = _added(source, destination, group, amounts)
    while len(found[0]) > most and max(int(found[0].max()), int(found[1].max())) > 0:
        together *= 2
        found = _added(found[0] // 2, found[1] // 2, found[2], found[3])
    return Blocks(together, found[0], found[1], found[2], found[3][0], found[3][1])


def _added(
    source: NDArray[np.int64],
    destination: NDArray[np.int64],
    group: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Add up the entries of the same pair and group; ascending by them."""
    ranks = int(max(source.max(initial=0), destination.max(initial=0))) + 1
    groups = int(group.max(initial=0)) + 1
    keys = (source * ranks + destination) * groups + group
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    pair, of_group = np.divmod(keys[first], groups)
    one, other = np.divmod(pair, ranks)
    sums = np.add.reduceat(amounts[:, order], first, axis=1) if len(first) else amounts[:, :0]
    return one, other, of_group, sums
