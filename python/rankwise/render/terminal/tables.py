"""Tables without rules: aligned columns, two blanks between them, and no silently omitted row.

Also the number of shown rows, and footnotes that rows share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Generic, TypeVar

from rich.cells import cell_len
from rich.text import Text

from rankwise.records import dataclass
from rankwise.render.terminal.page import Page

Row = TypeVar("Row")
AnyRow = TypeVar("AnyRow", contravariant=True)  # a column for general rows also serves special ones

_EMPTY = Text()
_GAP = 2
_LEAST_FLEXIBLE = 8


@dataclass(frozen=True)
class TextColumn(Generic[AnyRow]):
    """A column.

    Attributes:
        head: its title, with the unit or "% of what".
        cell: the text of a row.
        rest: the text for the rows that are not shown; None: no text.
        right: aligned right.
        flexible: may be narrowed on a narrow page.
        whole: has names, which are not broken if avoidable.
        key: right of the names, and distinguishes rows together with them.
    """

    head: str
    cell: Callable[[AnyRow], str]
    rest: Callable[[Sequence[AnyRow]], str] | None = None
    right: bool = False
    flexible: bool = False
    whole: bool = False
    key: bool = False


def label(head: str, cell: Callable[[Row], str]) -> TextColumn[Row]:
    """Return a column of names, which narrows on a narrow page."""
    return TextColumn(head, cell, flexible=True)


def number(head: str, value: Callable[[Row], float], text: Callable[[float], str]) -> TextColumn[Row]:
    """Return a column of numbers with a sum in the line "others"."""
    return TextColumn(
        head, lambda row: text(value(row)), lambda rows: text(sum(value(row) for row in rows)), right=True
    )


def table_lines(
    page: Page,
    columns: Sequence[TextColumn[Row]],
    shown: Sequence[Row],
    rest: Sequence[Row] = (),
    *,
    sums: Sequence[Sequence[str]] = (),
    apart: Sequence[Sequence[str]] = (),
    fold: bool = True,
    split: bool = False,
) -> list[Text]:
    """Return the table as lines: the heads, the rows, a line "others", the sums, and separate lines.

    Args:
        page: to write to.
        columns: from left to right.
        shown: rows with their own line.
        rest: rows that the line "others" sums up; no such line if empty.
        sums: cells of lines below, for all rows together.
        apart: cells of lines below these, not included in any sum or share.
        fold: whether a name that is too long continues in the next line; else it is cut with an ellipsis, and
            every row is one line.
        split: whether columns that don't fit go into a table below with the same names and keys.
    """
    heads = [page.text(column.head, "bold") for column in columns]
    table = [heads] + [[page.text(column.cell(row)) for column in columns] for row in shown]
    if rest:
        others = [column.rest(rest) if column.rest else "" for column in columns]
        others[0] = f"{len(rest)} other{'s' * (len(rest) > 1)}"
        table.append([page.text(text, "dim") for text in others])
    table += [[page.text(cell, "bold") for cell in cells] for cells in sums]
    table += [[page.text(cell, "dim") for cell in cells] for cells in apart]
    lines: list[Text] = []
    for chosen in _blocks(page, columns, table) if split else [range(len(columns))]:
        lines += [Text()] * bool(lines)
        block = [columns[index] for index in chosen]
        rows = [[row[index] for index in chosen] for row in table]
        if lines:  # a sum may be empty in these columns
            names = len(_names(columns))
            rows = [row for row in rows if any(cell.plain for cell in row[names:])]
        widths = _widths(page, block, rows, split)
        for row in rows:
            lines += _row_lines(page, block, row, widths, fold)
    return lines


def _blocks(page: Page, columns: Sequence[TextColumn[Row]], table: list[list[Text]]) -> list[list[int]]:
    """Distribute the columns over tables as wide as the page, each beginning with the names."""
    natural, least = _natural_widths(columns, table), _least_widths(page, columns, table, split=True)
    needed = [
        min(wide, narrow) if column.flexible else wide
        for column, wide, narrow in zip(columns, natural, least, strict=True)
    ]
    names = range(len(_names(columns)))
    blocks = [list(names)]
    for index in range(len(names), len(columns)):
        wide = sum(needed[each] + _GAP for each in blocks[-1]) + needed[index]
        if wide > page.width and len(blocks[-1]) > len(names):
            blocks.append(list(names))
        blocks[-1].append(index)
    return blocks


def _names(columns: Sequence[TextColumn[Row]]) -> list[TextColumn[Row]]:
    """Return the first columns that distinguish rows; at least one."""
    return list(takewhile(lambda column: column.flexible or column.key, columns)) or list(columns[:1])


def _natural_widths(columns: Sequence[TextColumn[Row]], table: list[list[Text]]) -> list[int]:
    return [max(cells[index].cell_len for cells in table) for index in range(len(columns))]


def _least_widths(
    page: Page, columns: Sequence[TextColumn[Row]], table: list[list[Text]], split: bool
) -> list[int]:
    """Return the least widths of the columns.

    If columns can go into another table, no name is broken, and other texts only between words, unless that
    takes more than a third of the page.
    """
    least = [max(_LEAST_FLEXIBLE, cell_len(column.head)) for column in columns]
    if not split:
        return least
    texts = [[cells[index].plain for cells in table] for index in range(len(columns))]
    parts = [
        each if column.whole else [word for text in each for word in text.split()]
        for column, each in zip(columns, texts, strict=True)
    ]
    longest = [max(map(cell_len, each), default=0) for each in parts]
    return [max(width, min(most, page.width // 3)) for width, most in zip(least, longest, strict=True)]


def _widths(
    page: Page, columns: Sequence[TextColumn[Row]], table: list[list[Text]], split: bool
) -> list[int]:
    """Return the columns' widths, the widest flexible ones narrowed until the table fits, if it can."""
    widths, least = _natural_widths(columns, table), _least_widths(page, columns, table, split)
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
        page.folded(cell, width, units=True) if fold else [page.shortened(cell, width)]
        for cell, width in zip(cells, widths, strict=True)
    ]
    lines = []
    for height in range(max(len(part) for part in parts)):
        line = Text()
        for index, (part, column, width) in enumerate(zip(parts, columns, widths, strict=True)):
            cell = part[height] if height < len(part) else _EMPTY
            text = cell.plain.rstrip()
            blanks = " " * (width - cell_len(text) + _GAP * (column.right and index > 0))
            if column.right:
                line.append(blanks).append(text, cell.style)
            else:
                line.append(" " * _GAP * (index > 0)).append(text + blanks, cell.style)
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
    """Numbers sentences in the order of their first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, sentence: str) -> str:
        """Return the mark of a sentence: `[1]`; '' for no sentence."""
        return f"[{self._numbers.setdefault(sentence, len(self._numbers) + 1)}]" if sentence else ""

    def text(self) -> str:
        """Return all sentences with their marks, in one paragraph."""
        return " ".join(f"[{number}]: {sentence}." for sentence, number in self._numbers.items())
