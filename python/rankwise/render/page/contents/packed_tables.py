"""Tables of views for a page: the columns, and the text and the value of each cell."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rankwise.text.safe import safe
from rankwise.views.view import Cell, Column, Detail, Line, Table, View, line

Linked = Callable[[str], str]
"""Path of a profile → address of its report; '' = it has none."""


def no_links(_profile: str) -> str:
    """Link no profile."""
    return ""


def tables_data(view: View, detail: Detail, linked: Linked = no_links) -> list[dict[str, Any]]:
    """Return the tables of a view for a level of detail, as web/src/ui/data.ts declares them."""
    return [table_data(table, detail, linked=linked) for table in view.tables if table.detail & detail]


def table_data(
    table: Table, detail: Detail, most: int | None = None, linked: Linked = no_links
) -> dict[str, Any]:
    """Return a table, as web/src/ui/data.ts declares it.

    Args:
        table: of a view.
        detail: of the answer.
        most: rows; a note says if there are more. The sums include all rows.
        linked: the reports of the profiles that cells name.
    """
    columns = table.columns_in(detail)
    names = [column.name for column in columns]
    return {
        "title": _safe(table.title),
        "columns": [_column(column) for column in columns],
        "rows": [_cells(names, _drawn(columns, line(columns, row)), linked) for row in table.rows[:most]],
        "sums": [_cells(names, sums, linked) for sums in [*table.total_lines(), *table.apart]],
        "empty": _safe(table.empty),
        "notes": [_safe(note) for note in [*table.notes, *_cut(len(table.rows), most)]],
    }


def _column(column: Column[Any]) -> dict[str, Any]:
    packed = {
        "name": _safe(column.name),
        "meaning": _safe(column.meaning),
        "right": column.format.right,
        "unit": column.format.unit,
    }
    return {**packed, "choice": True} if column.choice else packed


def _cut(rows: int, most: int | None) -> list[str]:
    if most is None or rows <= most:
        return []
    return [f"The first {most} of {rows} rows; `rankwise show --limit 0` has all."]


def _drawn(columns: Sequence[Column[Any]], of: Line) -> Line:
    """Return a line with the characters that stand for digits: a browser shows all of them."""
    drawn = {column.name: column.format.drawn for column in columns if column.format.drawn}
    return {
        name: replace(cell, text=cell.text.translate(str.maketrans(string.digits, drawn[name])))
        if name in drawn
        else cell
        for name, cell in of.items()
    }


def _cells(names: list[str], of: Line, linked: Linked) -> list[Any]:
    return [_cell(of.get(name, Cell()), linked) for name in names]


def _cell(cell: Cell, linked: Linked) -> list[Any]:
    value = _safe(cell.value) if isinstance(cell.value, str) else cell.value
    link = linked(cell.file) if cell.file else ""
    if link:
        return [_safe(cell.text), value, _safe(cell.note), link]
    return [_safe(cell.text), value, *([_safe(cell.note)] if cell.note else [])]


def _safe(text: str) -> str:
    return safe(text, "utf-8")
