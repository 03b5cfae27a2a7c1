"""What can't be read among many profiles."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Unreadable(NamedTuple):
    """A profile that is left out, or a directory with all in it.

    Attributes:
        path: of it.
        reason: a line that names it and the cure.
        is_directory: it is a directory.
    """

    path: Path
    reason: str
    is_directory: bool = False
