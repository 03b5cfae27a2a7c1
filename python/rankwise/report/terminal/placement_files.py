"""Files for launchers on the terminal, with the commands to paste."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from rich.text import Text

from rankwise.placement.files import Written
from rankwise.report.terminal.page import Page

_INDENT = "    "
_LONGEST_COMMAND = 1000  # characters; lists of all ranks are for files, not for eyes


def print_files(written: Sequence[Written], directory: Path, program_known: bool, file: TextIO) -> None:
    """Write a paragraph for each launcher; commands are on one line each, however long.

    Args:
        written: the files.
        directory: that they are in.
        program_known: the commands have the program at their end.
        file: to write to.
    """
    page = Page(file)
    page.write(Text(), page.text(f"Files in {directory}", "bold"))
    for one in written:
        page.write(*page.wrapped(f"  {one.launcher}: {one.path.name}", indent=4))
        if one.words:
            page.write(page.text(f"{_INDENT}{_command(one, program_known)}"))
        if one.note:
            page.write(*(Text(_INDENT) + line for line in page.wrapped(one.note, "dim")))


def _command(one: Written, program_known: bool) -> str:
    text = one.command_line + ("" if program_known else " PROGRAM")
    if len(text) <= _LONGEST_COMMAND:
        return text
    return f"(a command of {len(text)} characters: --json tells it)"
