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
    while True:
        ranks = int(max(source.max(initial=0), destination.max(initial=0))) // together + 1
        groups = int(group.max(initial=0)) + 1
        keys = ((source // together) * ranks + destination // together) * groups + group
        found, inverse = np.unique(keys, return_inverse=True)
        if len(found) <= most or ranks == 1:
            break
        together *= 2
    pair, of_group = np.divmod(found, groups)
    one, other = np.divmod(pair, ranks)
    sums = [np.bincount(inverse, amount, len(found)).astype(np.float64) for amount in amounts]
    return Blocks(together, one, other, of_group, sums[0], sums[1])
