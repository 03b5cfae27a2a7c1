"""Sentences on files and directories that can't be read.

`list` needs no others, and loads quickly.
"""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.runs.files import unreadable_directories
from rankwise.runs.unreadable import Unreadable


def unreadable_lines(unreadable: Sequence[Unreadable]) -> list[str]:
    """Return a sentence on each file that could not be read, and one on all directories."""
    lines = [f"left out: {each.reason}" for each in unreadable if not each.is_directory]
    if directories := [each for each in unreadable if each.is_directory]:
        lines.append(f"left out: {unreadable_directories(directories)}")
    return lines
