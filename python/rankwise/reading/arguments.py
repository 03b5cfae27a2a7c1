"""What callers pass, checked before a profile is read: an argument that can't be is no damage of the file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import SupportsIndex

from rankwise.errors import RankwiseError


def path_of(name: str, value: object) -> Path:
    """Return the path that an argument is.

    Args:
        name: of the argument.
        value: of it.

    Raises:
        RankwiseError: it is none.
    """
    if isinstance(value, str | PathLike):
        path = fspath(value)
        if isinstance(path, str):
            return Path(path)
    raise RankwiseError(f"{name}: {value!r} is not a path; a path is a string or a pathlib.Path")


def row_limit(value: object) -> int:
    """Return a number of rows.

    Raises:
        RankwiseError: it is none.
    """
    if isinstance(value, SupportsIndex) and value.__index__() >= 0:
        return value.__index__()
    raise RankwiseError(f"limit: {value!r} is not a number of rows; 0 shows all")


def names(name: str, value: object, takes: str) -> list[str]:
    """Return one or several names or numbers as texts.

    Args:
        name: of the argument.
        value: of it.
        takes: what it may be, for the message.

    Raises:
        RankwiseError: it is something else.
    """
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable):
        raise RankwiseError(f"{name}: {value!r} can't be selected; it takes {takes}")
    return [*map(str, value)]


def check_percentage(name: str, value: object) -> None:
    """Refuse numbers that are no share in percent.

    Args:
        name: of the argument.
        value: of it.

    Raises:
        RankwiseError: it is none.
    """
    if not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        raise RankwiseError(f"{name}: {value!r} is not a percentage, such as 5")


def check_stream(name: str, value: object) -> None:
    """Refuse what can't be written to.

    Args:
        name: of the argument.
        value: of it.

    Raises:
        RankwiseError: it can't.
    """
    if not (hasattr(value, "write") and hasattr(value, "isatty")):
        raise RankwiseError(f"{name}: {value!r} is not an open file; it takes one that text is written to")
