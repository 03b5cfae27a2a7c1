"""The destination of text output: its width, its colours, and its characters."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from rankwise.text.safe import safe

PLAIN_WIDTH = 100  # columns, if no terminal reports its width
_LEAST_WIDTH = 40
_MAY_BREAK = "\x1f"  # where lines may be broken; it has no width, and harmless texts don't contain it
_NO_BREAK = "\ufdd0"  # a blank where lines may not be broken; it is no character, and in no text
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:[kMGT]|x|[num]?s|(?:[KMGTP]i)?B)\b|%)")


class Page:
    """A stream for lines of text.

    On a terminal: its width, its colours and the characters of its encoding. Elsewhere, or with NO_COLOR:
    ASCII without colours, 100 columns wide. COLUMNS overrides the width.
    """

    def __init__(self, file: TextIO) -> None:
        terminal = file.isatty()
        plain = not terminal or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        self.encoding = "ascii" if plain else (file.encoding or "ascii")
        self.width = _width(file, terminal)
        self._console = _Console(
            file=file,
            width=self.width,
            force_terminal=terminal,
            color_system=None if plain else "auto",
            highlight=False,
            markup=False,
            emoji=False,
        )

    @property
    def colours(self) -> bool:
        """Whether the stream shows colours."""
        return self._console.color_system is not None

    def shows(self, characters: str) -> bool:
        """Return whether the stream can show all of `characters`."""
        return safe(characters, self.encoding) == characters

    def text(self, text: str, style: str = "") -> Text:
        """Return `text` as one line, made harmless for the terminal."""
        return Text(safe(text, self.encoding), style)

    def wrapped(self, text: str, style: str = "", indent: int = 0, *, units: bool = False) -> list[Text]:
        """Return `text` broken between words into lines of the page's width, all but the first indented.

        Args:
            text: to write.
            style: of the text.
            indent: of the lines below the first.
            units: whether to keep numbers and their units together.
        """
        whole = self.text(text, style)
        if whole.cell_len <= self.width:
            return [whole]
        lines = self.folded(whole, max(self.width - indent, _LEAST_WIDTH // 2), units=units)
        for line in lines:
            line.rstrip()
        return [line if number == 0 else Text(" " * indent) + line for number, line in enumerate(lines)]

    def joined(self, fields: Sequence[str], apart: str, indent: int = 0) -> list[Text]:
        """Return the fields, `apart` between them, as lines broken only between fields if possible."""
        rows: list[str] = []
        for field in filter(None, fields):
            longer = f"{rows[-1]}{apart}{field}" if rows else ""
            if rows and cell_len(safe(longer, self.encoding)) <= self.width:
                rows[-1] = longer
            else:
                rows.append(" " * indent * bool(rows) + field)
        ends = [apart.rstrip()] * (len(rows) - 1) + [""]
        return [
            line
            for row, end in zip(rows, ends, strict=True)
            for line in self.wrapped(row + end, indent=indent)
        ]

    def folded(self, text: Text, width: int, *, units: bool = False) -> list[Text]:
        """Return `text` as lines of `width` columns, broken between words, or after /, commas and ::.

        Args:
            text: one line.
            width: columns.
            units: whether to keep numbers and their units together.
        """
        if cell_len(text.plain) <= width and "\n" not in text.plain:  # as most cells of a table
            return [Text(text.plain.rstrip(), text.style)]
        plain = _BEFORE_UNIT.sub(_NO_BREAK, text.plain) if units else text.plain
        words = [
            re.sub("[/,]|::", rf"\g<0>{_MAY_BREAK}", word) if cell_len(word) > width else word
            for word in plain.split(" ")
        ]
        lines = Text(" ".join(words), text.style).wrap(self._console, width)
        blanks = str.maketrans({_MAY_BREAK: "", _NO_BREAK: " "})
        return [Text(line.plain.translate(blanks), line.style) for line in lines] or [Text("")]

    def shortened(self, text: Text, width: int) -> Text:
        """Return `text` cut to `width` columns, with an ellipsis if it is cut."""
        if text.cell_len <= width:
            return text
        mark = "…" if self.shows("…") else "..."
        return Text(set_cell_size(text.plain, width - len(mark)).rstrip() + mark, text.style)

    def height(self, lines: Sequence[Text]) -> int:
        """Return how many lines of the screen the lines take, including those that it breaks itself."""
        return sum(max(1, -(-line.cell_len // self.width)) for line in lines)

    def write(self, *lines: Text) -> None:
        """Write the lines in full: the terminal may break them, but nothing is left out."""
        if lines:  # (At once: a call for each line takes most of the time of a long table.)
            self._console.print(Text("\n").join(lines), soft_wrap=True)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command line, which knows the exit status; rich would exit with 1."""
        raise BrokenPipeError


def _width(file: TextIO, terminal: bool) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return max(int(columns), _LEAST_WIDTH)
    if terminal:
        try:
            return max(os.get_terminal_size(file.fileno()).columns, _LEAST_WIDTH)
        except OSError:  # a terminal of unknown size
            return PLAIN_WIDTH
    return PLAIN_WIDTH
