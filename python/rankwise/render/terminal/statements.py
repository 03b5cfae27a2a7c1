"""What of a result is certain, as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.text import Text

from rankwise.placement.certainty import Statement
from rankwise.render.terminal.page import Page

_KIND_WIDTH = len("Lower bound:")


def statement_lines(page: Page, statements: Sequence[Statement]) -> Iterator[Text]:
    """Make the lines of statements, each with its kind in front."""
    for statement in statements:
        text = f"{statement.kind.capitalize() + ':':<{_KIND_WIDTH}} {statement.text}."
        yield from page.wrapped(text, indent=_KIND_WIDTH + 1)


def print_statements(statements: Sequence[Statement], file: TextIO) -> None:
    """Write the lines of statements as a paragraph."""
    page = Page(file)
    page.write(Text(), *statement_lines(page, statements))
