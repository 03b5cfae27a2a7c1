"""How many rows are shown, and what is left for the line "others"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Row = TypeVar("Row")


def cut(rows: Sequence[Row], limit: int) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the first `limit` rows (0 = all) and the rest."""
    return (rows, ()) if limit == 0 else (rows[:limit], rows[limit:])


def fit(rows: Sequence[Row], lines: int) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return as many rows as fit into `lines`, one of them for "others" if any are left, and the rest."""
    return cut(rows, max(lines, 1) if len(rows) <= lines else max(lines - 1, 1))
