"""Fewer cells than pairs: each shows the worst of its pairs, as a mean would hide a single bad link."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Pooled:
    """A matrix of K x K cells.

    Attributes:
        together: rows, and columns, of the matrix in one cell; 1: nothing was pooled.
        values: the worst of each cell, shape (K, K); NaN: no value.
        row, column: its place in the matrix, shape (K, K).
        missing: cells that have pairs, but none with a value, shape (K, K).
    """

    together: int
    values: NDArray[np.float64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    missing: NDArray[np.bool_]


def pooled(matrix: NDArray[np.float64], most: int, *, smallest: bool = False, block: int = 1) -> Pooled:
    """Merge blocks until there are at most `most` rows.

    Args:
        matrix: shape (M, M), in the order of the drawing; NaN: no value. The diagonal does not count.
        most: rows.
        smallest: whether the smallest value is the worst (bandwidths), else the largest (times).
        block: ranks of a node; if possible, no cell holds the end of a node and the begin of another.
    """
    size = len(matrix)
    together = _fitting(max(1, ceil(size / most)), block)
    cells = ceil(size / together)
    bad = np.where(np.isnan(matrix), -np.inf, -matrix if smallest else matrix)
    np.fill_diagonal(bad, -np.inf)
    blocks = _blocks(bad, cells, together, -np.inf)
    place = np.argmax(blocks, axis=2)
    worst = np.take_along_axis(blocks, place[:, :, None], axis=2)[:, :, 0]
    values = np.where(np.isinf(worst), np.nan, -worst if smallest else worst)
    start = np.arange(cells) * together
    pairs = np.ones((cells, cells), dtype=bool)
    alone = np.minimum(start + together, size) - start == 1  # a cell of one rank and itself
    pairs[alone, alone] = False
    return Pooled(
        together,
        values,
        np.minimum(start[:, None] + place // together, size - 1),
        np.minimum(start[None, :] + place % together, size - 1),
        pairs & np.isnan(values),
    )


def _fitting(least: int, block: int) -> int:
    """Return a number from `least` to its double that divides `block` or is its multiple; else `least`."""
    if block == 1:
        return least
    fit = (number for number in range(least, 2 * least) if block % number == 0 or number % block == 0)
    return next(fit, least)


def _blocks(matrix: NDArray[Any], cells: int, together: int, outside: Any) -> NDArray[Any]:
    """Return the elements of each cell, shape (cells, cells, together²), row by row."""
    missing = cells * together - len(matrix)
    whole = np.pad(matrix, ((0, missing), (0, missing)), constant_values=outside)
    parts = whole.reshape(cells, together, cells, together).swapaxes(1, 2)
    flat: NDArray[Any] = parts.reshape(cells, cells, together * together)
    return flat
