"""The page that lists runs: each line opens the run's report, if there is one beside the profile."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rankwise.runs.headline import Headline
from rankwise.text.safe import safe
from rankwise.views.runs.list import VERDICT
from rankwise.views.view import TEXT, Column, Detail, Table, View, legend

_TEMPLATE = Path(__file__).with_name("index.html")
_REPORT = ".html"  # as `rankwise report` names it


def index_page(view: View, directory: Path) -> bytes:
    """Return the page as UTF-8.

    Args:
        view: the list of runs.
        directory: in which the page will be.
    """
    (table,) = view.tables
    parts = {
        "title": _text(view.title or "Runs"),
        "table": _table(table, directory),
        "notes": _text(" ".join(filter(None, [legend(_columns(table)), *table.notes]))),
    }
    page = _TEMPLATE.read_text(encoding="utf-8")
    pieces = page.split("<!--")  # split, not replaced, so that no inserted text is taken for another part
    whole = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("-->")
        whole += [parts[name], rest]
    return "".join(whole).encode("utf-8")


def _table(table: Table, directory: Path) -> str:
    if not table.rows:
        return f"<p>{_text(table.empty)}</p>"
    columns = _columns(table)
    heads = "".join(
        f'<th scope="col"{_class(column)} title="{_text(column.meaning)}">{_text(column.name)}</th>'
        for column in columns
    )
    body = "".join(f"<tr>{_line(columns, run, directory)}</tr>" for run in table.rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _columns(table: Table) -> list[Column[Any]]:
    """Return what a terminal shows, and the verdicts: a page has room for sentences."""
    brief = table.columns_in(Detail.BRIEF)
    return [*brief, *(column for column in table.columns if column.name == VERDICT)]


def _line(columns: list[Column[Any]], run: Headline, directory: Path) -> str:
    first, *others = columns
    name = _text(first.cell(run).text)
    report = Path(run.file).with_suffix(_REPORT)
    if report.is_file():
        link = quote(os.path.relpath(report.resolve(), directory.resolve()))
        name = f'<a href="{escape(link)}">{name}</a>'
    cells = "".join(f"<td{_class(column)}>{_text(column.cell(run).text)}</td>" for column in others)
    return f'<th scope="row">{name}</th>{cells}'


def _class(column: Column[Any]) -> str:
    name = "number" if column.format.right else "sentence" if column.format is TEXT else ""
    return f' class="{name}"' if name else ""


def _text(text: str) -> str:
    """Return a foreign text as HTML that only shows it."""
    return escape(safe(text, "utf-8"))
