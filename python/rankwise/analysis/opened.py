"""A profile that is open for reading and closed again, whose damage is one clear line."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.profile.store.database import open_profile

# What data that can't be leads to.
_DAMAGE = (
    sqlite3.Error,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


@contextmanager
def opened_profile(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the profile at `path` for reading.

    Raises:
        RankwiseError: it is missing, foreign, of another version, or turns out to be damaged.
    """
    with damage_told(path), closing(open_profile(path)) as connection:
        yield connection


@contextmanager
def damage_told(*paths: Path) -> Iterator[None]:
    """Take what data of the profiles at `paths` leads to for what it is, also where it is shown later.

    Raises:
        RankwiseError: it was damaged.
    """
    try:
        yield
    except _DAMAGE as error:
        # A file cut short can open well and fail at the first page that is gone. A text may be where a number
        # should be, or a rank named that there is not.
        what = f"{error}" if isinstance(error, sqlite3.Error) else f"{type(error).__name__}: {error}"
        named = ", ".join(map(str, paths))
        raise RankwiseError(f"{named}: damaged profile ({what}); copy it again or record it again") from error
