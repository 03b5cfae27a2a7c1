"""Matrices of characters: the shades of their cells, and the numbers above their columns."""

from __future__ import annotations

from rankwise.render.terminal.page import Page

_SHADES = ("░▒▓█", ".:-=+*#%@")  # in order of preference
_TICKS_APART = 10  # columns at least


def shades_of(page: Page) -> str:
    """Return the shades that the page can show, the lightest first."""
    return next((shades for shades in _SHADES if page.shows(shades)), _SHADES[-1])


def ticks(rows: int, together: int, wide: int) -> str:
    """Return the numbers of some columns, each above its column.

    Args:
        rows: number of columns of the matrix.
        together: the difference between the numbers of adjacent columns.
        wide: characters of a column.
    """
    line = ""
    for column in range(rows):
        if column == 0 or column * wide - len(line) >= _TICKS_APART - len(str(column * together)):
            line = f"{line:<{column * wide}}{column * together}"
    return line[: rows * wide]


def shade(height: float, shades: str) -> str:
    """Return the shade of a height from 0 to 1; heights beyond have the shade of the end."""
    return shades[min(max(int(height * len(shades)), 0), len(shades) - 1)]
