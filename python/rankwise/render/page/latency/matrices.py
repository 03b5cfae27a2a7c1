"""The matrices of a page: as many cells and digits as a browser can load at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.render.figures.heatmap.pooling import pooled
from rankwise.render.figures.heatmap.view import View
from rankwise.render.page.container import Container
from rankwise.render.page.container import rounded as rounded_to

_LEAST_CELLS = 256  # rows
_MOST_VALUES = 9_000_000  # of the first matrix, or of all: those of 4,096 ranks
_MOST_OTHERS = 4_000_000  # of all others, if these are too many
_MOST_EXACT = 2_000_000
_KEPT_BITS = 11
ROUNDING = 2.0**-_KEPT_BITS
"""The largest relative error of values that are rounded."""


def values_of(cells: int, view: View) -> int:
    """Return the number of values of a matrix with so many rows: half of them if it is symmetric."""
    return cells * cells if view.smallest else cells * (cells + 1) // 2


def most_cells(ranks: int, views: list[View], start: int) -> list[int]:
    """Return how many rows of cells each matrix of a page may have; the first view's gets most.

    Args:
        ranks: to draw.
        views: of the page.
        start: index of the first view.
    """
    if _sum([ranks] * len(views), views) <= _MOST_VALUES:
        return [ranks] * len(views)
    others = _halved(ranks, [view for place, view in enumerate(views) if place != start], _MOST_OTHERS)
    rows = [others] * len(views)
    rows[start] = _halved(ranks, [views[start]], _MOST_VALUES)
    return rows


def _halved(ranks: int, views: list[View], most: int) -> int:
    cells = ranks
    while cells > _LEAST_CELLS and _sum([cells] * len(views), views) > most:
        cells = -(-cells // 2)
    return cells


def _sum(cells: list[int], views: list[View]) -> int:
    return sum(values_of(rows, view) for rows, view in zip(cells, views, strict=True))


def is_rounded(cells: list[int], views: list[View]) -> bool:
    """Return whether matrices of so many rows are kept with fewer digits."""
    return _sum(cells, views) > _MOST_EXACT


def matrix_data(view: View, cells: int, container: Container, *, rounded: bool) -> dict[str, Any]:
    """Return the cells of a matrix.

    A symmetric matrix has only the upper triangle with the diagonal, row by row. `where`: the place of the
    worst pair in its cell, row by row, if several pairs share a cell.

    Args:
        view: of the matrix.
        cells: largest number of rows.
        container: for the numbers.
        rounded: whether the values are kept to ROUNDING.
    """
    cells_of_view = pooled(view.matrix, cells, smallest=view.smallest, block=view.ordering.node_size())
    symmetric = not view.smallest
    count = len(cells_of_view.values)
    picked = np.triu_indices(count) if symmetric else tuple(np.indices((count, count)).reshape(2, -1))
    values = cells_of_view.values[picked]
    together = cells_of_view.together
    where = (cells_of_view.row % together) * together + cells_of_view.column % together
    return {
        "symmetric": symmetric,
        "together": together,
        "cells": count,
        "values": container.column(rounded_to(values, _KEPT_BITS) if rounded else values),
        "where": container.column(where[picked]) if together > 1 else None,
    }
