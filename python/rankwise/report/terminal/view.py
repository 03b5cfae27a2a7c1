"""One table of a report with its title, what to say if it is empty, and how to read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankwise.report.terminal.page import Page
from rankwise.report.terminal.tables import TextColumn, cut, table_lines


@dataclass(frozen=True)
class Section:
    """A table to show.

    Attributes:
        rows: all rows, in the order of showing; they are cut when shown.
        empty: the sentence in place of a table without rows: why, and the cure.
        apart: cells of lines below the rows, which are in no sum and no share, and never cut.
        title: a line above, or ''.
        caption: how to read it, or ''.
    """

    columns: Sequence[TextColumn[Any]]
    rows: Sequence[Any]
    empty: str
    apart: Sequence[Sequence[str]] = ()
    title: str = ""
    caption: str = ""


def show_section(page: Page, section: Section, limit: int) -> None:
    """Write the section with at most `limit` rows (0 = all) and the sums of the others."""
    if section.title:
        page.write(*page.wrapped(section.title, "bold", indent=2))
    if not section.rows and not section.apart:
        page.write(*page.wrapped(section.empty))
        return
    shown, rest = cut(section.rows, limit)
    page.write(*table_lines(page, section.columns, shown, rest, apart=section.apart))
    if rest:
        page.write(*page.wrapped("--limit 0 shows all rows.", "dim"))
    if section.caption:
        page.write(*page.wrapped(section.caption, "dim"))
