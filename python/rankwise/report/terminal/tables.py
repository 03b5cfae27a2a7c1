"""Tables without rules: aligned columns, two blanks between them, and never a row left out silently.

With it how many rows are shown, and the notes below that several rows share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.cells import cell_len
from rich.text import Text

from rankwise.report.terminal.page import Page

Row = TypeVar("Row")
AnyRow = TypeVar("AnyRow", contravariant=True)  # a column for general rows also serves special ones

_GAP = 2
_LEAST_FLEXIBLE = 8


@dataclass(frozen=True)
class TextColumn(Generic[AnyRow]):
    """One column.

    Attributes:
        head: its title, with the unit or "% of what".
        cell: the text of a row.
        rest: the text for the rows that are not shown, or None where there is nothing to say.
        right: aligned right.
        flexible: may be narrowed where the page is too narrow.
    """

    head: str
    cell: Callable[[AnyRow], str]
    rest: Callable[[Sequence[AnyRow]], str] | None = None
    right: bool = False
    flexible: bool = False


def label(head: str, cell: Callable[[Row], str]) -> TextColumn[Row]:
    """Return a column of names, which narrows on a narrow page."""
    return TextColumn(head, cell, flexible=True)


def number(head: str, value: Callable[[Row], float], text: Callable[[float], str]) -> TextColumn[Row]:
    """Return a column of numbers that can be added up: the line "others" shows the sum."""
    return TextColumn(
        head, lambda row: text(value(row)), lambda rows: text(sum(value(row) for row in rows)), right=True
    )


def table_lines(
    page: Page,
    columns: Sequence[TextColumn[Row]],
    shown: Sequence[Row],
    rest: Sequence[Row] = (),
    *,
    apart: Sequence[Sequence[str]] = (),
    fold: bool = True,
) -> list[Text]:
    """Return the table as lines: the heads, the rows, one line "others", and what stands apart.

    Args:
        page: that it is made for.
        columns: from left to right.
        shown: rows with a line of their own.
        rest: rows that the line "others" sums up; no such line if empty.
        apart: cells of lines below, which no sum and no share includes.
        fold: whether a name that is too long goes on in the next line, or is cut with an ellipsis (then every
            row is one line).
    """
    heads = [page.text(column.head, "bold") for column in columns]
    table = [heads] + [[page.text(column.cell(row)) for column in columns] for row in shown]
    if rest:
        sums = [column.rest(rest) if column.rest else "" for column in columns]
        sums[0] = f"{len(rest)} other{'s' * (len(rest) > 1)}"
        table.append([page.text(text, "dim") for text in sums])
    table += [[page.text(cell, "dim") for cell in cells] for cells in apart]
    widths = _widths(page, columns, table)
    lines: list[Text] = []
    for cells in table:
        lines += _row_lines(page, columns, cells, widths, fold)
    return lines


def _widths(page: Page, columns: Sequence[TextColumn[Row]], table: list[list[Text]]) -> list[int]:
    """Return the columns' widths, the widest flexible ones narrowed until the table fits, if it can."""
    widths = [max(cells[index].cell_len for cells in table) for index in range(len(columns))]
    least = [max(_LEAST_FLEXIBLE, cell_len(column.head)) for column in columns]
    while sum(widths) + _GAP * (len(widths) - 1) > page.width:
        narrowable = [i for i, column in enumerate(columns) if column.flexible and widths[i] > least[i]]
        if not narrowable:
            break
        widths[max(narrowable, key=lambda i: widths[i])] -= 1
    return widths


def _row_lines(
    page: Page, columns: Sequence[TextColumn[Row]], cells: list[Text], widths: list[int], fold: bool
) -> list[Text]:
    parts = [
        page.folded(cell, width) if fold else [page.shortened(cell, width)]
        for cell, width in zip(cells, widths, strict=True)
    ]
    lines = []
    for height in range(max(len(part) for part in parts)):
        line = Text()
        for index, (part, column, width) in enumerate(zip(parts, columns, widths, strict=True)):
            cell = part[height] if height < len(part) else Text()
            cell.rstrip()
            blanks = " " * (width - cell.cell_len)
            line.append(" " * _GAP if index else "")
            line.append_text(Text(blanks) + cell if column.right else cell + Text(blanks))
        line.rstrip()
        lines.append(line)
    return lines


def cut(rows: Sequence[Row], limit: int) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the first `limit` rows (0 = all) and the rest."""
    return (rows, ()) if limit == 0 else (rows[:limit], rows[limit:])


def fit(rows: Sequence[Row], lines: int) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return as many rows as fit into `lines`, one of them for "others" if any are left, and the rest."""
    return cut(rows, max(lines, 1) if len(rows) <= lines else max(lines - 1, 1))


class Footnotes:
    """Numbers sentences in the order in which they are first asked for."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, sentence: str) -> str:
        """Return the mark of a sentence: `[1]`; nothing for no sentence."""
        return f"[{self._numbers.setdefault(sentence, len(self._numbers) + 1)}]" if sentence else ""

    def text(self) -> str:
        """Return all sentences with their marks, in one paragraph."""
        return " ".join(f"[{number}]: {sentence}." for sentence, number in self._numbers.items())
