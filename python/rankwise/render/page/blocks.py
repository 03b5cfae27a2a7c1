"""Messages between ranks for a page; if there are too many, neighbouring ranks are merged."""

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
        together: ranks of a block; 1: nothing was merged.
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
    """Sums up portions of messages; it keeps only the sums."""

    def __init__(self, most: int = _MOST_ENTRIES) -> None:
        """Keep at most `most` entries, by merging ranks into blocks."""
        self._most = most
        self._together = 1
        nothing = np.zeros(0, np.int64)
        self._sums: _Entries = (nothing, nothing, nothing, np.zeros((2, 0)))

    def add(
        self,
        source: NDArray[np.int64],
        destination: NDArray[np.int64],
        group: NDArray[np.int64],
        amounts: NDArray[np.float64],
    ) -> None:
        """Add a portion.

        Args:
            source: shape (E,): ranks.
            destination: shape (E,): ranks.
            group: shape (E,).
            amounts: shape (2, E): bytes and messages.
        """
        portion = _added(source // self._together, destination // self._together, group, amounts)
        joined = tuple(np.concatenate(both, axis=-1) for both in zip(self._sums, portion, strict=True))
        self._sums = _added(*joined)
        while len(self._sums[0]) > self._most and max(map(int, map(np.max, self._sums[:2]))) > 0:
            self._together *= 2
            source, destination, group, amounts = self._sums
            self._sums = _added(source // 2, destination // 2, group, amounts)

    @property
    def sums(self) -> Blocks:
        """The sums so far."""
        source, destination, group, (sizes, messages) = self._sums
        return Blocks(self._together, source, destination, group, sizes, messages)


def blocks(
    source: NDArray[np.int64],
    destination: NDArray[np.int64],
    group: NDArray[np.int64],
    amounts: NDArray[np.float64],
    most: int = _MOST_ENTRIES,
) -> Blocks:
    """Double the size of blocks until there are few enough entries.

    Args:
        source: shape (E,): ranks.
        destination: shape (E,): ranks.
        group: shape (E,).
        amounts: shape (2, E): bytes and messages.
        most: largest number of entries.
    """
    all_sums = BlockSums(most)
    all_sums.add(source, destination, group, amounts)
    return all_sums.sums


def _added(
    source: NDArray[np.int64],
    destination: NDArray[np.int64],
    group: NDArray[np.int64],
    amounts: NDArray[np.float64],
) -> _Entries:
    """Sum up the entries of each pair and group, in ascending order."""
    ranks = int(max(source.max(initial=0), destination.max(initial=0))) + 1
    groups = int(group.max(initial=0)) + 1
    keys = (source * ranks + destination) * groups + group
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    pair, of_group = np.divmod(keys[first], groups)
    first_rank, second_rank = np.divmod(pair, ranks)
    sums = np.add.reduceat(amounts[:, order], first, axis=1) if len(first) else amounts[:, :0]
    return first_rank, second_rank, of_group, sums
