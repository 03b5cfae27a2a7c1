"""A matrix of messages as text: numbers where there is room for them, else a shade for each cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, log

from rich.text import Text

from rankwise.analysis.messages.matrix import Matrix
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.shades import shade, shades_of, ticks
from rankwise.render.terminal.tables import TextColumn, table_lines
from rankwise.text.units import byte_text, count_text

_LONGEST_NAME = 20  # columns

Cells = Mapping[tuple[int, int], int]
Unit = Callable[[float], str]


def matrix_lines(page: Page, found: Matrix, measure: str) -> list[Text]:
    """Return title, matrix and legend.

    Args:
        page: that it is made for.
        found: the matrix.
        measure: `bytes` or `messages`.
    """
    unit: Unit = byte_text if measure == "bytes" else count_text
    cells = {(cell.source, cell.destination): int(getattr(cell, measure)) for cell in found.cells}
    lines = page.wrapped(_title(found, measure), "bold", indent=2)
    if cells:
        lines += _numbers(page, found, cells, unit) or _shades(page, found, cells, unit)
    else:
        lines += page.wrapped("There are no such messages; --by collective shows what is visible.")
    if cells and found.hidden_collectives:
        lines += page.wrapped("Not all messages of collectives are visible: see --by collective.", "dim")
    if found.unplaced_messages:
        sums = f"{count_text(found.unplaced_messages)} messages ({byte_text(found.unplaced_bytes)})"
        lines += page.wrapped(f"Not shown: {sums} from or to processes without a row.", "dim")
    return lines


def _title(found: Matrix, measure: str) -> str:
    kinds = {"all": "messages", "in-collective": "messages inside collectives"}
    kind = kinds.get(found.kind, f"{found.kind} messages")
    what = f"Bytes of {kind}" if measure == "bytes" else f"Number of {kind}"
    return f"{what}: from {found.ends} (row) to {found.ends} (column)"


def _name(page: Page, found: Matrix, place: int) -> str:
    """Return the name of a row: the rank, or the node and its place."""
    name = f"{place} {found.nodes[place]}" if found.nodes else str(place)
    return page.shortened(page.text(name), _LONGEST_NAME).plain


def _numbers(page: Page, found: Matrix, cells: Cells, unit: Unit) -> list[Text]:
    """Return a table of numbers; nothing if it does not fit."""
    if 2 * found.size > page.width:  # a digit and a blank
        return []
    columns: list[TextColumn[int]] = [TextColumn("", lambda row: _name(page, found, row))]
    columns += [_number_column(place, cells, unit) for place in range(found.size)]
    lines = table_lines(page, columns, range(found.size))
    return lines if max(line.cell_len for line in lines) <= page.width else []


def _number_column(place: int, cells: Cells, unit: Unit) -> TextColumn[int]:
    return TextColumn(
        str(place), lambda row: unit(cells[row, place]) if (row, place) in cells else "-", right=True
    )


def _shades(page: Page, found: Matrix, cells: Cells, unit: Unit) -> list[Text]:
    """Return one shade a cell, by the logarithm of its number, and a legend."""
    at_most = min(found.size, page.width)
    margin = max(len(_name(page, found, place)) for place in (*range(at_most), found.size - 1)) + 1
    room = page.width - margin
    together = ceil(found.size / room)  # ranks in one row, and in one column
    rows = ceil(found.size / together)
    wide = 2 if 2 * rows <= room else 1
    sums: dict[tuple[int, int], int] = {}
    for (source, destination), value in cells.items():
        block = source // together, destination // together
        sums[block] = sums.get(block, 0) + value
    scale = _Scale(list(sums.values()), shades_of(page))
    lines = [page.text(" " * margin + ticks(rows, together, wide), "dim")]
    for row in range(rows):
        name = _name(page, found, row * together)
        shown = "".join(scale.shade(sums.get((row, column))) * wide for column in range(rows))
        lines.append(page.text(f"{name:<{margin}}{shown}".rstrip()))
    several = f"each row and column: {together} {found.ends}s" if together > 1 else ""
    return [*lines, *page.joined([*scale.legend(unit), "blank: none", several], "   ")]


class _Scale:
    """Gives numbers shades, equal steps of the logarithm apart."""

    def __init__(self, values: list[int], shades: str) -> None:
        self._shades = shades if max(values) > min(values) else shades[-1]
        self._least = max(min(values), 1)
        self._ratio = max(max(values) / self._least, 1.0)

    def shade(self, value: int | None) -> str:
        """Return the shade of a number: of none a blank, of 0 the lightest."""
        if value is None:
            return " "
        if value < self._least:
            return self._shades[0]
        height = log(value / self._least) / log(self._ratio) if self._ratio > 1 else 1.0
        return shade(height, self._shades)

    def legend(self, unit: Unit) -> list[str]:
        """Return up to which number each shade reaches."""
        steps = len(self._shades)
        return [
            f"{shade} to {unit(self._least * self._ratio ** ((step + 1) / steps))}"
            for step, shade in enumerate(self._shades)
        ]
