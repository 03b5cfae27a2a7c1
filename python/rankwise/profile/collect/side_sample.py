"""Which messages stay in a sample that is made smaller, as processes choose them (src/runtime/streams.h)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SCATTER = np.uint64(0x9E3779B97F4A7C15)  # of src/runtime/hash.h


def chosen_numbers(numbers: NDArray[Any], most: int) -> NDArray[np.bool_]:
    """Tell which messages stay, by their numbers in their streams: at most `most`.

    Whoever chooses among the same numbers keeps the same ones, or half of them, a quarter, ...
    """
    with np.errstate(over="ignore"):
        places = (numbers.astype(np.uint64) + np.uint64(1)) * _SCATTER
    limit = 2**64 - 1
    kept = np.ones(len(places), bool)
    while int(kept.sum()) > most and limit:
        limit //= 2
        kept = places <= np.uint64(limit)
    return kept
