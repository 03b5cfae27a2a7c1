"""Groups and sums rows of tables by some columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = dict[str, NDArray[Any]]
"""A table: arrays of the same length, by the name of the column."""

LARGEST = 2**63 - 1
"""That SQLite stores. Only damaged numbers come near."""


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers that there are, sorted, each once.

    (np.unique does the same, and loads `numpy.ma` first: 20 ms of CPU time.)
    """
    ordered = np.sort(numbers)
    return ordered[_firsts(ordered)]


def _firsts(ordered: NDArray[Any]) -> NDArray[np.intp]:
    return np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)])


class Groups:
    """Groups of rows with equal keys.

    Attributes:
        keys: one row a group, sorted.
    """

    def __init__(self, table: Mapping[str, NDArray[Any]], keys: Sequence[str]) -> None:
        """Sort a table by some of its columns, the first column first."""
        packed = _packed([table[key] for key in keys])
        self._order = np.argsort(packed, kind="stable")
        ordered = packed[self._order]
        self._starts = _firsts(ordered)
        firsts = self._order[self._starts]
        self.keys: Columns = {key: table[key][firsts] for key in keys}

    def count(self) -> NDArray[np.int64]:
        """Return the number of rows of each group."""
        return np.diff(self._starts, append=len(self._order)).astype(np.int64)

    def total(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the sums; integer sums never exceed what can be stored."""
        sums = self._reduced(np.add, column)
        if column.dtype.kind == "f":
            return sums
        roughly = self._reduced(np.add, column.astype(np.float64))
        return np.where(roughly > LARGEST / 1.001, LARGEST, sums) if (roughly > 2**62).any() else sums

    def least(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the smallest value of each group."""
        return self._reduced(np.minimum, column)

    def most(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return the largest value of each group."""
        return self._reduced(np.maximum, column)

    def of_each_row(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return for each row of the table the value of its group."""
        values_of_rows = np.empty(len(self._order), values.dtype)
        values_of_rows[self._order] = np.repeat(values, self.count())
        return values_of_rows

    def lists(self, column: NDArray[Any]) -> list[list[Any]]:
        """Return the values of each group, in the order of the rows."""
        values, starts = column[self._order].tolist(), self._starts.tolist()
        return [values[start:end] for start, end in zip(starts, [*starts[1:], None], strict=False)]

    def _reduced(self, function: np.ufunc, column: NDArray[Any]) -> NDArray[Any]:
        if not len(self._starts):
            return column[:0]
        reduced: NDArray[Any] = function.reduceat(column[self._order], self._starts)
        return reduced


def _packed(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Pack the numbers of each row into one, in the same order: sorting a single column is faster."""
    packed = np.zeros(len(columns[0]), np.int64)
    room = 63
    for column in columns:
        if not len(column):
            continue
        least = int(column.min())
        bits = (int(column.max()) - least).bit_length()
        room -= bits
        if room < 0:  # their places take less than the numbers themselves
            places = [
                np.unique(values, return_inverse=True)[1].astype(np.int64) for values in (packed, column)
            ]
            packed = places[0]
            column, least, bits = places[1], 0, int(places[1].max()).bit_length()
            room = 63 - int(packed.max()).bit_length() - bits
        packed = packed << bits | (column - least)
    return packed
