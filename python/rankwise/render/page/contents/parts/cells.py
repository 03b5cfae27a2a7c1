"""All calls of a run, by rank, communicator, region, procedure, size and site: what filters choose from."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def cells_data(of: Subject) -> dict[str, Any]:
    """Return the calls; where there would be very many, those of neighbouring ranks are taken together."""
    keys, sums = _rows(of.connection, of.axes)
    together = 1
    while True:
        keys, sums = _added(keys, sums)
        shown = _kept(sums)
        if not keys[-1].any() or _fit(keys, shown):
            return {"together": together, **_columns(keys, shown, of.container)}
        together *= 2
        keys[-1] //= 2


def _columns(
    keys: NDArray[np.int64], sums: NDArray[np.float64], container: Container
) -> dict[str, dict[str, Any]]:
    # Ascending: what differs between neighbours is small, and packs well.
    columns = {name: container.column(row, ascending=True) for name, row in zip(_KEYS, keys, strict=True)}
    return columns | {name: container.column(row) for name, row in zip(_SUMS, sums, strict=True)}


def _kept(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    if sums.shape[1] <= _MOST_EXACT:
        return sums
    found: NDArray[np.float64] = sums.copy()
    found[_TIME] = rounded(sums[_TIME], _KEPT_BITS)
    return found


def _fit(keys: NDArray[np.int64], sums: NDArray[np.float64]) -> bool:
    rows = keys.shape[1]
    if rows > _MOST_ROWS:
        return False
    alone = Container()
    return rows <= _MOST_EXACT or len(alone.packed(_columns(keys, sums, alone))) <= _MOST_PACKED


def _rows(connection: sqlite3.Connection, axes: Axes) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return what tells calls apart, shape (6, N), as indices into the axes, and the sums, shape (5, N)."""
    rows = connection.execute(
        "SELECT procedure, communicator, region, size_bin, site, rank, calls, bytes_sent, bytes_received,"
        " seconds, unfinished FROM calls"
    ).fetchall()
    if not rows:
        return np.empty((len(_KEYS), 0), np.int64), np.empty((len(_SUMS), 0))
    procedure, communicator, region, size, site, rank, *sums = zip(*rows, strict=True)
    keys = [
        [axes.procedure_of[key] for key in procedure],
        [axes.communicator_of[key] for key in communicator],
        [axes.region_of[key] for key in region],
        [axes.size_of[key] for key in size],
        [axes.site_of[key] for key in site],
        rank,
    ]
    return np.array(keys, np.int64), np.array(sums, np.float64)


def _added(
    keys: NDArray[np.int64], sums: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Add up the rows with the same keys; ascending by them."""
    order = np.lexsort(keys[::-1])
    keys, sums = keys[:, order], sums[:, order]
    if not keys.shape[1]:
        return keys, sums
    first = np.flatnonzero(np.append(True, (np.diff(keys) != 0).any(axis=0)))
    return keys[:, first], np.add.reduceat(sums, first, axis=1)
