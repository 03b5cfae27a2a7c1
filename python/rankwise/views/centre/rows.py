"""The answer to a user's query: a table with its columns."""

from __future__ import annotations

from typing import Any

from rankwise.centre.engines.engine import Rows
from rankwise.views.centre.common import in_json
from rankwise.views.view import NAME, Column, Format, Table, View

_NUMBER = Format(
    "number", lambda value: f"{value:,.6g}" if isinstance(value, float) else str(value), right=True
)


def view(found: Rows) -> View:
    """Return the rows; the names of columns are made to differ."""
    names: list[str] = []
    for name in found.columns:
        names.append(name if name not in names else f"{name} ({len(names) + 1})")
    rows = [dict(zip(names, row, strict=True)) for row in found.rows]
    return View(
        "",
        [Table([_column(name, rows) for name in names], rows, "No rows.")],
        {"rows": [in_json(row) for row in rows]},
    )


def _column(name: str, rows: list[dict[str, Any]]) -> Column[dict[str, Any]]:
    values = [row[name] for row in rows if row[name] is not None]
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    kind = _NUMBER if values and numbers else NAME
    return Column(name, lambda row: row[name], kind, "", obvious=True)
