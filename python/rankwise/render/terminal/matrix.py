"""A matrix of messages as text: numbers if they fit, else a shade for each cell."""

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


def matrix_lines(page: Page, matrix: Matrix, measure: str) -> list[Text]:
    """Return title, matrix and legend.

    Args:
        page: to write to.
        matrix: to write.
        measure: `bytes` or `messages`.
    """
    unit: Unit = byte_text if measure == "bytes" else count_text
    cells = {(cell.source, cell.destination): int(getattr(cell, measure)) for cell in matrix.cells}
    lines = page.wrapped(_title(matrix, measure), "bold", indent=2)
    if cells:
        lines += _numbers(page, matrix, cells, unit) or _shades(page, matrix, cells, unit)
    else:
        lines += page.wrapped("There are no such messages; --by collective shows what is visible.")
    if cells and matrix.hidden_collectives:
        lines += page.wrapped("Not all messages of collectives are visible: see --by collective.", "dim")
    if matrix.unplaced_messages:
        sums = f"{count_text(matrix.unplaced_messages)} messages ({byte_text(matrix.unplaced_bytes)})"
        lines += page.wrapped(f"Not shown: {sums} from or to processes without a row.", "dim")
    return lines


def _title(matrix: Matrix, measure: str) -> str:
    kinds = {"all": "messages", "in-collective": "messages inside collectives"}
    kind = kinds.get(matrix.kind, f"{matrix.kind} messages")
    what = f"Bytes of {kind}" if measure == "bytes" else f"Number of {kind}"
    return f"{what}: from {matrix.ends} (row) to {matrix.ends} (column)"


def _name(page: Page, matrix: Matrix, place: int) -> str:
    """Return the name of a row: the rank, or the node and its place."""
    name = f"{place} {matrix.nodes[place]}" if matrix.nodes else str(place)
    return page.shortened(page.text(name), _LONGEST_NAME).plain


def _numbers(page: Page, matrix: Matrix, cells: Cells, unit: Unit) -> list[Text]:
    """Return a table of numbers; empty if it does not fit."""
    if 2 * matrix.size > page.width:  # a digit and a blank
        return []
    columns: list[TextColumn[int]] = [TextColumn("", lambda row: _name(page, matrix, row))]
    columns += [_number_column(place, cells, unit) for place in range(matrix.size)]
    lines = table_lines(page, columns, range(matrix.size))
    return lines if max(line.cell_len for line in lines) <= page.width else []


def _number_column(place: int, cells: Cells, unit: Unit) -> TextColumn[int]:
    return TextColumn(
        str(place), lambda row: unit(cells[row, place]) if (row, place) in cells else "-", right=True
    )


def _shades(page: Page, matrix: Matrix, cells: Cells, unit: Unit) -> list[Text]:
    """Return a shade for each cell, by the logarithm of its number, and a legend."""
    at_most = min(matrix.size, page.width)
    margin = max(len(_name(page, matrix, place)) for place in (*range(at_most), matrix.size - 1)) + 1
    room = page.width - margin
    together = ceil(matrix.size / room)  # ranks in one row, and in one column
    rows = ceil(matrix.size / together)
    wide = 2 if 2 * rows <= room else 1
    sums: dict[tuple[int, int], int] = {}
    for (source, destination), value in cells.items():
        block = source // together, destination // together
        sums[block] = sums.get(block, 0) + value
    scale = _Scale(list(sums.values()), shades_of(page))
    lines = [page.text(" " * margin + ticks(rows, together, wide), "dim")]
    for row in range(rows):
        name = _name(page, matrix, row * together)
        shown = "".join(scale.shade(sums.get((row, column))) * wide for column in range(rows))
        lines.append(page.text(f"{name:<{margin}}{shown}".rstrip()))
    several = f"each row and column: {together} {matrix.ends}s" if together > 1 else ""
    return [*lines, *page.joined([*scale.legend(unit), "blank: none", several], "   ")]


class _Scale:
    """Assigns shades to numbers, in equal steps of the logarithm."""

    def __init__(self, values: list[int], shades: str) -> None:
        self._shades = shades if max(values) > min(values) else shades[-1]
        self._least = max(min(values), 1)
        self._ratio = max(max(values) / self._least, 1.0)

    def shade(self, value: int | None) -> str:
        """Return the shade of a number: a blank without a number, the lightest for 0."""
        if value is None:
            return " "
        if value < self._least:
            return self._shades[0]
        height = log(value / self._least) / log(self._ratio) if self._ratio > 1 else 1.0
        return shade(height, self._shades)

    def legend(self, unit: Unit) -> list[str]:
        """Return the largest number of each shade."""
        steps = len(self._shades)
        return [
            f"{shade} to {unit(self._least * self._ratio ** ((step + 1) / steps))}"
            for step, shade in enumerate(self._shades)
        ]
