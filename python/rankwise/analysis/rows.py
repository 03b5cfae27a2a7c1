"""Rows of queries whose values go by the names of their columns."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence


def rows_by_name(
    connection: sqlite3.Connection, query: str, values: Sequence[str | int] = ()
) -> sqlite3.Cursor:
    """Run a query whose rows give their values by the names of the columns: two of them can't be swapped."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, values)
