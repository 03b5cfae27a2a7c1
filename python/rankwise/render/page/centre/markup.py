"""The HTML of static pages: texts, tables, facts. All names come from strangers and are only shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rankwise.records import dataclass
from rankwise.render.page.html import html_text
from rankwise.views.centre.common import COMMAND
from rankwise.views.view import MISSING, NAME, TEXT, Column, Detail, Table, legend

Links = Mapping[str, Callable[[Any], str | None]]
"""Name of a column -> the address that the cell of a row leads to; None = none."""

_COMMAND = re.compile("`([^`]+)`")

Fact = tuple[str, str]
"""A name, and HTML."""


@dataclass(frozen=True)
class Section:
    """A part of a page.

    Attributes:
        title: its heading, which no other section of the page has.
        html: its content.
    """

    title: str
    html: str


def sections_html(sections: Iterable[Section]) -> str:
    """Return sections with their headings."""
    return "\n".join(
        f"<section><h2>{html_text(section.title)}</h2>{section.html}</section>" for section in sections
    )


def table_section(table: Table, links: Links, *, also: Sequence[str] = (), title: str = "") -> Section:
    """Return a table, and below it what its columns mean.

    Args:
        table: to show, with the columns of a brief answer.
        links: of its cells.
        also: names of columns that are shown as well.
        title: of the section; '' = the table's.
    """
    title = title or table.title
    if not table.rows:
        return Section(title, paragraph(table.empty))
    columns = [column for column in table.columns if column.detail & Detail.BRIEF or column.name in also]
    heads = "".join(
        f'<th scope="col"{_class(column)} title="{html_text(column.meaning)}">{html_text(column.name)}</th>'
        for column in columns
    )
    body = "".join(f"<tr>{_line(columns, row, links)}</tr>" for row in table.rows)
    whole = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    notes = " ".join(filter(None, [legend(columns), *table.notes]))
    return Section(title, scrolled(whole, title) + (paragraph(notes, "note") if notes else ""))


def scrolled(html: str, name: str) -> str:
    """Return what may be wider than the window, which it then scrolls in.

    Args:
        html: the content.
        name: for screen readers; no other such part of a page has it.
    """
    return f'<div class="wide" tabindex="0" role="region" aria-label="{html_text(name)}">{html}</div>'


def paragraph(text: str, kind: str = "") -> str:
    """Return a text as a paragraph; backquotes mark a command."""
    return f"<p{_of_class(kind)}>{_with_commands(text)}</p>"


def link(address: str, text: str) -> str:
    """Return a link.

    Args:
        address: relative; its characters are quoted.
        text: that is shown.
    """
    return f'<a href="{html_text(address)}">{html_text(text)}</a>'


def code(text: str) -> str:
    """Return a command."""
    return f"<code>{html_text(text)}</code>"


def facts_html(facts: Iterable[Fact]) -> str:
    """Return facts as a list of names and values."""
    return f"<dl>{''.join(f'<dt>{html_text(name)}</dt><dd>{value}</dd>' for name, value in facts)}</dl>"


def _line(columns: Sequence[Column[Any]], row: Any, links: Links) -> str:
    cells = []
    for place, column in enumerate(columns):
        cell = column.cell(row)
        address = links[column.name](row) if column.name in links else None
        content = link(address, cell.text) if address else _content(column, cell.text)
        known = isinstance(cell.value, int | float)
        value = f' data-value="{cell.value!r}"' if column.format.right and known else ""
        scope, tag = (' scope="row"', "th") if place == 0 else ("", "td")
        cells.append(f"<{tag}{scope}{_class(column)}{value}>{content}</{tag}>")
    return "".join(cells)


def _content(column: Column[Any], text: str) -> str:
    if column.format is COMMAND and text != MISSING:
        return code(text)
    return _with_commands(text) if column.format is TEXT else html_text(text)


def _with_commands(text: str) -> str:
    return _COMMAND.sub(r"<code>\1</code>", html_text(text))


def _class(column: Column[Any]) -> str:
    if column.format.right:
        return _of_class("number")
    return _of_class({TEXT: "sentence", COMMAND: "sentence", NAME: "name"}.get(column.format, ""))


def _of_class(name: str) -> str:
    return f' class="{name}"' if name else ""
