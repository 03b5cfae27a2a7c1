"""Messages between ranks for a page: where there are too many, neighbouring ranks are taken together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_ENTRIES = 300_000

_Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""Source, destination and group, shape (E,); bytes and messages, shape (2, E)."""


@dataclass(frozen=True)
class Blocks:
    """Messages between blocks of ranks: rank r is in block r // together. Ascending by source, destination.

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


class BlockSums:
    """Adds up what comes in portions; of those before, it has the sums alone."""

    def __init__(self, most: int = _MOST_ENTRIES) -> None:
        """Keep `most` entries at most, if blocks of two or more ranks do."""
        self._most = most
        self._together = 1
        nothing = np.zeros(0, np.int64)
        self._found: _Entries = (nothing, nothing, nothing, np.zeros((2, 0)))

    def add(
        self,
        source: NDArray[np.int64],
        destination: NDArray[np.int64],
        group: NDArray[np.int64],
        amounts: NDArray[np.float64],
    ) -> None:
        """Take a portion.

        Args:
            source: shape (E,): ranks.
            destination: likewise.
            group: shape (E,).
            amounts: shape (2, E): bytes and messages.
        """
        portion = _added(source // self._together, destination // self._together, group, amounts)
        found = tuple(np.concatenate(both, axis=-1) for both in zip(self._found, portion, strict=True))
        self._found = _added(*found)
        while len(self._found[0]) > self._most and max(map(int, map(np.max, self._found[:2]))) > 0:
            self._together *= 2
            source, destination, group, amounts = self._found
            self._found = _added(source // 2, destination // 2, group, amounts)

    @property
    def found(self) -> Blocks:
        """What has come so far."""
        source, destination, group, (sizes, messages) = self._found
        return Blocks(self._together, source, destination, group, sizes, messages)


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
    sums = BlockSums(most)
    sums.add(source, destination, group, amounts)
    return sums.found


def _added(
    source: NDArray[np.int64],
    destination: NDArray[np.int64],
    group: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> _Entries:
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
