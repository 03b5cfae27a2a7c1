"""From the numbers that processes give to things to those in the profile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def translated(
    known: Sequence[NDArray[np.int64]], owners: NDArray[np.intp], indices: NDArray[np.int64], other: int
) -> NDArray[np.int64]:
    """Translate processes' numbers.

    Args:
        known: for each process, the profile's numbers by its own; at least one.
        owners: places in `known`, whose each index is.
        indices: to translate.
        other: replaces the unknown ones.
    """
    lengths = np.array([len(ids) for ids in known], np.int64)
    starts = np.cumsum(lengths) - lengths
    lengths, starts = lengths[owners], starts[owners]
    flat = np.concatenate(known) if known else np.empty(0, np.int64)
    places = starts + np.clip(indices, 0, lengths - 1)
    return np.where((indices >= 0) & (indices < lengths), flat[places], other)


def own_ids(known: NDArray[np.int64], indices: NDArray[np.int64], other: int) -> NDArray[np.int64]:
    """Translate the numbers of one process, in the same way."""
    return translated([known], np.zeros(len(indices), np.intp), indices, other)
