"""A view as HTML for notebooks: its tables, cut; column heads explain themselves on hover."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from rankwise.text.safe import safe
from rankwise.views.view import Cell, Column, Detail, Line, Table, View, legend, line

_LEFT, _RIGHT = "text-align:left", "text-align:right;font-variant-numeric:tabular-nums"
_BOLD = ' style="font-weight:bold"'
_PLAIN = "white-space:nowrap;padding:.15em .8em .15em 0"


def view_html(view: View, detail: Detail, limit: int, head: Sequence[str] = ()) -> str:
    """Return the tables of an answer, each with at most `limit` rows (0 = all) and the sums of the others.

    Args:
        view: to show.
        detail: the answer.
        limit: of the rows.
        head: sentences before the tables, on missing data and the selection.
    """
    parts = [f"<p><b>{_text(sentence)}</b></p>" for sentence in head]
    if view.title:
        parts.append(f"<p><b>{_text(view.title)}.</b></p>")
    parts += [_table(table, detail, limit) for table in view.tables if table.detail & detail]
    return f"<div>{''.join(parts)}</div>"


def text_html(text: str) -> str:
    """Return lines of text as they are."""
    return f"<pre>{escape(text)}</pre>"


def _table(table: Table, detail: Detail, limit: int) -> str:
    if not table.rows and not table.apart:
        return f"<p>{_text(table.empty)}</p>"
    columns = table.columns_in(detail)
    shown = table.rows[:limit] if limit and not table.whole else table.rows
    unlisted = table.rows[len(shown) :]
    heads = "".join(
        f'<th style="{_PLAIN};{_side(column)}" title="{_text(column.meaning)}">{_text(column.name)}</th>'
        for column in columns
    )
    lines: list[Line] = [line(columns, row) for row in shown]
    if unlisted:
        others = {column.name: column.total_cell(unlisted) for column in columns}
        lines.append({**others, columns[0].name: Cell(f"{len(unlisted)} other{'s' * (len(unlisted) > 1)}")})
    sums = len(lines)
    lines += [*table.total_lines(), *table.apart]
    body = "".join(
        f"<tr{_BOLD * (place >= sums)}>"
        f"{''.join(_cell(cells.get(column.name), column) for column in columns)}</tr>"
        for place, cells in enumerate(lines)
    )
    title = f"<p><b>{_text(table.title)}</b></p>" if table.title else ""
    notes = " ".join(filter(None, [legend(columns), *table.notes]))
    below = f"<p><small>{_text(notes)}</small></p>" if notes else ""
    return f"{title}<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{below}"


def _cell(cell: Cell | None, column: Column[Any]) -> str:
    text, note = (cell.text, cell.note) if cell else ("", "")
    hint = f' title="{_text(note)}"' if note else ""
    return f'<td style="{_PLAIN};{_side(column)}"{hint}>{_text(text or note)}</td>'


def _side(column: Column[Any]) -> str:
    return _RIGHT if column.format.right else _LEFT


def _text(text: str) -> str:
    """Return a foreign text as HTML that only shows it."""
    return escape(safe(text, "utf-8"))
