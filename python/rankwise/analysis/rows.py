"""Rows of queries with access by column name."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence


def rows_by_name(
    connection: sqlite3.Connection, query: str, values: Sequence[str | int] = ()
) -> sqlite3.Cursor:
    """Run a query with rows indexed by column name, so that columns can't be swapped by mistake."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, values)
