"""Shows the pictures of a running job: on a terminal's second screen, or one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from rankwise.live.picture import Picture
from rankwise.live.watch import Look
from rankwise.render.terminal.live.lines import picture_lines
from rankwise.render.terminal.page import Page

_LEAST_HEIGHT = 10
_PROMPT_LINES = 2  # of the shell below the last picture
_WAITING = "rankwise top: no process of the job has called MPI_Init yet"


def show(looks: Iterable[Look], every: float, file: TextIO) -> None:
    """Show each picture as soon as it is there; the last one stays.

    On a terminal, each replaces the previous one, on the terminal's second screen, so that its contents are
    restored at the end. Elsewhere they follow each other, with an empty line in between.
    """
    last = _on_terminal(looks, every, file) if steerable(file) else _one_by_one(looks, every, file)
    if last is None:
        page = Page(file)
        page.write(page.text("rankwise top: the job ended before a process called MPI_Init"))


def write(picture: Picture, every: float, file: TextIO, height: int = 0) -> None:
    """Write a picture, in at most `height` lines; 0 = any number."""
    page = Page(file)
    page.write(*picture_lines(page, picture, height, every))


def steerable(file: TextIO) -> bool:
    """Return whether the stream is a terminal on which pictures can replace each other."""
    return file.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _one_by_one(looks: Iterable[Look], every: float, file: TextIO) -> Picture | None:
    last: Picture | None = None
    waiting = False
    for look in looks:
        if look.picture:
            if last:
                file.write("\n")
            write(look.picture, every, file)
        elif not waiting and not look.last:
            waiting = True
            file.write(f"{_WAITING}\n")
        last = look.picture or last
        file.flush()
    return last


def _on_terminal(looks: Iterable[Look], every: float, file: TextIO) -> Picture | None:
    last: Picture | None = None
    console = Console(file=file, highlight=False, markup=False, emoji=False)
    try:
        with Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False) as live:
            for look in looks:
                page = Page(file)  # the terminal may have been resized
                last = look.picture or last
                lines = [Text(_WAITING)] if last is None else picture_lines(page, last, _height(file), every)
                live.update(Group(*lines), refresh=True)
    finally:
        # Also after Ctrl-C: the last picture is the one on the screen.
        if last:
            write(last, every, file, _height(file) - _PROMPT_LINES)
    return last


def _height(file: TextIO) -> int:
    return max(os.get_terminal_size(file.fileno()).lines, _LEAST_HEIGHT)
