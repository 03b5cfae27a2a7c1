"""All calls of a run, by rank, communicator, region, procedure, size and site, for the filters."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.join.grouping import Groups
from rankwise.render.page.container import Container, rounded
from rankwise.render.page.contents.axes import Axes
from rankwise.render.page.contents.subject import Subject

_MOST_ROWS = 400_000
_MOST_PACKED = 1_600_000  # bytes of the file
_MOST_EXACT = 100_000  # rows: of more, times have _KEPT_BITS
_KEPT_BITS = 16
_KEYS = ("procedure", "communicator", "region", "size", "site", "rank")  # from the slowest to the fastest
_SUMS = ("calls", "sent", "received", "seconds", "unfinished")
_TIME = _SUMS.index("seconds")
_PORTION = 200_000  # rows at a time
_NO_SITE = -1


def cells_data(of: Subject) -> dict[str, Any]:
    """Return the calls; if there are very many, neighbouring ranks are merged."""
    cells = _Cells(of.axes)
    for portion in _portions(of.connection):
        cells.add(portion)
    while True:
        keys, sums = cells.keys, _kept(cells.sums)
        if not keys[-1].any() or _fit(keys, sums):
            return {"together": cells.together, **_columns(keys, sums, of.container)}
        cells.join_neighbours()


class _Cells:
    """Calls that are summed up while they are read: all rows of a large job would take too much memory.

    Attributes:
        keys: shape (6, N), ascending.
        sums: shape (5, N).
        together: the number of merged neighbouring ranks.
    """

    def __init__(self, axes: Axes) -> None:
        self.keys = np.empty((len(_KEYS), 0), np.int64)
        self.sums = np.empty((len(_SUMS), 0))
        self.together = 1
        self._axes = axes

    def add(self, rows: NDArray[np.float64]) -> None:
        """Add rows, shape (N, 11): keys of the profile, and sums."""
        axes = self._axes
        whole = rows[:, : len(_KEYS)].astype(np.int64).T
        indices = (axes.procedure_of, axes.communicator_of, axes.region_of, axes.size_of)
        keys = [_translated(column, of) for column, of in zip(whole, indices, strict=False)]
        site_of = {_NO_SITE if site is None else site: index for site, index in axes.site_of.items()}
        keys += [_translated(whole[len(indices)], site_of), whole[-1] // self.together]
        self._take(np.stack(keys), rows[:, len(_KEYS) :].T)
        while self.keys.shape[1] > _MOST_ROWS and self.keys[-1].any():
            self.join_neighbours()

    def join_neighbours(self) -> None:
        """Merge twice as many ranks."""
        keys, sums = self.keys.copy(), self.sums
        keys[-1] //= 2
        self.together *= 2
        self.keys, self.sums = _added(keys, sums)

    def _take(self, keys: NDArray[np.int64], sums: NDArray[np.float64]) -> None:
        self.keys, self.sums = _added(
            np.concatenate([self.keys, keys], axis=1), np.concatenate([self.sums, sums], axis=1)
        )


def _translated(keys: NDArray[np.int64], index_of: Mapping[int, int]) -> NDArray[np.int64]:
    """Return the indices of keys, each looked up once."""
    unique, places = np.unique(keys, return_inverse=True)
    return np.array([index_of[key] for key in unique.tolist()], np.int64)[places.reshape(-1)]


def _columns(
    keys: NDArray[np.int64], sums: NDArray[np.float64], container: Container
) -> dict[str, dict[str, Any]]:
    # Ascending: differences between neighbours are small and pack well.
    columns = {name: container.column(row, ascending=True) for name, row in zip(_KEYS, keys, strict=True)}
    return columns | {name: container.column(row) for name, row in zip(_SUMS, sums, strict=True)}


def _kept(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    if sums.shape[1] <= _MOST_EXACT:
        return sums
    kept: NDArray[np.float64] = sums.copy()
    kept[_TIME] = rounded(sums[_TIME], _KEPT_BITS)
    return kept


def _fit(keys: NDArray[np.int64], sums: NDArray[np.float64]) -> bool:
    rows = keys.shape[1]
    if rows > _MOST_ROWS:
        return False
    alone = Container()
    return rows <= _MOST_EXACT or len(alone.packed(_columns(keys, sums, alone))) <= _MOST_PACKED


def _portions(connection: sqlite3.Connection) -> Iterator[NDArray[np.float64]]:
    """Read the calls, which may be many millions of rows."""
    rows = connection.execute(
        f"SELECT procedure, communicator, region, size_bin, COALESCE(site, {_NO_SITE}), rank, calls,"
        " bytes_sent, bytes_received, seconds, unfinished FROM calls"
    )
    while len(table := np.fromiter(chain.from_iterable(islice(rows, _PORTION)), np.float64)):
        yield table.reshape(-1, len(_KEYS) + len(_SUMS))


def _added(
    keys: NDArray[np.int64], sums: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Sum up the rows with the same keys, in ascending order."""
    if not keys.shape[1]:
        return keys, sums
    groups = Groups(dict(zip(_KEYS, keys, strict=True)), _KEYS)
    return np.stack([*groups.keys.values()]), np.stack([groups.total(row) for row in sums])
