"""Traffic on the links of a fabric, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.text import Text

from rankwise.render.terminal.page import Page
from rankwise.render.terminal.view import show_view
from rankwise.views.view import Detail, View


def print_links(
    head: Sequence[str],
    view: View,
    tail: Sequence[str],
    limit: int,
    file: TextIO,
    commands: Sequence[str] = (),
) -> None:
    """Write an answer.

    Args:
        head: how the job was matched with the fabric, a sentence each.
        view: the verdict, and tables.
        tail: remedies, and notes for the reader.
        limit: rows of a table, 0 for all.
        file: to write to.
        commands: to place the ranks differently, each on one line of any length.
    """
    page = Page(file)
    for sentence in head:
        page.write(*page.wrapped(sentence, indent=2, units=True))
    page.write(Text())
    show_view(page, view, Detail.ALL, limit)
    if tail:
        page.write(Text())
    for sentence in tail:
        page.write(*page.wrapped(sentence, indent=2, units=True))
    if commands:
        page.write(Text(), page.text("To place the ranks differently:"))
    for command in commands:
        page.write(page.text(f"    {command}"))
