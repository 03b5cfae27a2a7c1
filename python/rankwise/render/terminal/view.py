"""A view on a terminal: its tables, cut, with explanations and a sentence if a table is empty."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import Footnotes, TextColumn, cut, table_lines
from rankwise.views.view import Cell, Column, Detail, Table, Value, View, legend


def show_view(page: Page, view: View, detail: Detail, limit: int, option: str = "--limit") -> None:
    """Write the tables of an answer, each with at most `limit` rows (0 = all) and the sums of the others.

    Args:
        page: to write to.
        view: the answer.
        detail: of columns and tables.
        limit: rows of a table.
        option: that sets `limit`.
    """
    if view.title:
        page.write(*page.wrapped(f"{view.title}.", "bold", indent=2, units=True), Text())
    explained: set[tuple[str, str]] = set()
    tables = [part for table in view.tables if table.detail & detail for part in _parts(table, limit)]
    for number, table in enumerate(tables):
        if number:
            page.write(Text())
        show_table(page, _explaining(table, explained), detail, limit, option)
        explained |= {(column.name, column.meaning) for column in table.columns if not column.obvious}
    if view.nodes:
        # It needs the C library and numpy, whose loading takes longer than the rest of a view.
        from rankwise.render.terminal.node_picture import node_lines

        page.write(*node_lines(page, view.nodes, limit))


def _parts(table: Table, limit: int) -> list[Table]:
    """Return tables of the first `limit` parts, and one of all others; the last explains the columns."""
    if not table.parts:
        return [table]
    by, *others = table.columns
    rows: dict[Value, list[Any]] = {}
    for row in table.rows:
        rows.setdefault(by.value(row), []).append(row)
    shown, rest = cut(list(table.parts), limit)
    parts = [
        replace(table, columns=others, rows=rows[key], title=table.parts[key], parts={}) for key in shown
    ]
    if rest:
        rows_left = [row for key in rest for row in rows.get(key, [])]
        title = f"{len(rest)} other {by.name}{'s' * (len(rest) > 1)}"
        parts.append(replace(table, rows=rows_left, title=title, parts={}))
    everything = {(column.name, column.meaning) for column in table.columns}
    return [*(_explaining(part, everything) for part in parts[:-1]), *parts[-1:]]


def _explaining(table: Table, explained: set[tuple[str, str]]) -> Table:
    """Return the table without explanations that were given before."""
    columns = [
        replace(column, obvious=column.obvious or (column.name, column.meaning) in explained)
        for column in table.columns
    ]
    return replace(table, columns=columns)


def show_table(page: Page, table: Table, detail: Detail, limit: int, option: str = "--limit") -> None:
    """Write a table; see `show_view`."""
    if table.title:
        page.write(*page.wrapped(table.title, "bold", indent=2))
    if not table.rows and not table.apart:
        page.write(*page.wrapped(table.empty))
        return
    columns, notes = table.columns_in(detail), Footnotes()
    texts = text_columns(columns, notes, page)
    for row in table.rows:  # numbered in their order, including cut ones
        for column in columns:
            if column.note:
                notes.mark(column.note(row))
    shown, rest = cut(table.rows, 0 if table.whole else limit)
    sums, apart = (
        [[_text(cells.get(column.name), notes) for column in columns] for cells in lines]
        for lines in (table.total_lines(), table.apart)
    )
    page.write(*table_lines(page, texts, shown, rest, sums=sums, apart=apart, split=True))
    if rest:
        page.write(*page.wrapped(f"{option} 0 shows all rows.", "dim"))
    if caption := " ".join(filter(None, [legend(columns), *table.notes, notes.text()])):
        page.write(*page.wrapped(caption, "dim"))


def text_columns(
    columns: Sequence[Column[Any]], notes: Footnotes | None = None, page: Page | None = None
) -> list[TextColumn[Any]]:
    """Return columns of a view as columns of a table of texts.

    Args:
        columns: of the view.
        notes: numbers the sentences on single cells; None = no sentences.
        page: whose characters are used for drawn cells; None = only digits.
    """
    return [_text_column(column, notes, page) for column in columns]


def _text_column(column: Column[Any], notes: Footnotes | None, page: Page | None) -> TextColumn[Any]:
    drawn = column.format.drawn
    if drawn and page and page.shows(drawn):
        table = str.maketrans(string.digits, drawn)
        return TextColumn(column.name, lambda row: column.cell(row).text.translate(table), flexible=True)
    return TextColumn(
        column.name,
        lambda row: _text(column.cell(row), notes),
        lambda rows: column.total_cell(rows).text,
        right=column.format.right,
        flexible=column.format.flexible,
        whole=column.format.whole,
        key=column.key,
    )


def _text(cell: Cell | None, notes: Footnotes | None) -> str:
    if cell is None:
        return ""
    return " ".join(filter(None, (cell.text, notes.mark(cell.note) if notes else "")))
