"""The page of many runs: findings, charts and tables, and without JavaScript the tables alone."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from rankwise.render.page.beside import report_beside
from rankwise.render.page.container import Container
from rankwise.render.page.contents.packed_tables import Linked
from rankwise.render.page.contents.sheet import sheet_data
from rankwise.render.page.html import html_page
from rankwise.views.runs.chart import Chart
from rankwise.views.view import View

_TEMPLATE = "runs.html"
_LONG = 60  # letters of a sentence, as in web/src/ui/table.ts


def runs_page(
    title: str,
    view: View,
    charts: Sequence[Chart] = (),
    lines: Sequence[str] = (),
    warnings: Sequence[str] = (),
    *,
    directory: Path,
) -> bytes:
    """Return the page as UTF-8.

    Args:
        title: the heading.
        view: its title is the result; all its tables are shown.
        charts: above the tables.
        lines: facts, a sentence each, or several two blanks apart.
        warnings: files that were left out, and other reasons for doubt.
        directory: in which the page will be: links to reports are relative to it.
    """
    data = sheet_data(title, view, charts, lines, warnings, _reports(directory))
    return html_page(title, Container().packed(data), _TEMPLATE, plain=_plain(data))


def _reports(directory: Path) -> Linked:
    """Return what links the reports that are beside their profiles."""

    def report(profile: str) -> str:
        return report_beside(Path(profile), directory) or ""

    return report


def _plain(data: dict[str, Any]) -> str:
    """Return a sheet as HTML for browsers that run no scripts."""
    words = [data["finding"], *data["lines"], *data["warnings"]]
    return "".join(
        [
            f"<h1>{escape(data['title'])}</h1>",
            *(f"<p>{escape(word)}</p>" for word in words if word),
            *map(_table, data["tables"]),
        ]
    )


def _table(table: dict[str, Any]) -> str:
    title = f"<h2>{escape(table['title'])}</h2>" if table["title"] else ""
    if not table["rows"]:
        return f'<section class="card">{title}<p>{escape(table["empty"])}</p></section>'
    columns = table["columns"]
    heads = "".join(
        f'<th scope="col"{_class(column)} title="{escape(column["meaning"])}">{escape(column["name"])}</th>'
        for column in columns
    )
    body = "".join(
        f"<tr>{''.join(map(_cell, columns, cells))}</tr>" for cells in [*table["rows"], *table["sums"]]
    )
    notes = "".join(f'<p class="caption">{escape(note)}</p>' for note in table["notes"])
    return (
        f'<section class="card">{title}<div class="scroll-x"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{notes}</section>"
    )


def _cell(column: dict[str, Any], cell: list[Any]) -> str:
    text = escape(cell[0] or "".join(cell[2:3]))
    if len(cell) > 3:
        text = f'<a href="{escape(cell[3])}">{text}</a>'
    return f"<td{_class(column, len(cell[0]) > _LONG)}>{text}</td>"


def _class(column: dict[str, Any], is_long: bool = False) -> str:
    return f' class="{"number" if column["right"] else "name"}{" long" * is_long}"'
