"""Opens profiles for reading, and reports damage in one clear line."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.profile.store.database import open_profile

# Impossible data leads to these.
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
    """Report errors that damaged data of the profiles at `paths` leads to, also while it is displayed.

    Raises:
        RankwiseError: the data is damaged.
    """
    try:
        yield
    except _DAMAGE as error:
        # A truncated file can open and then fail at the first missing page. A text may replace a number, or a
        # row may name a rank that does not exist.
        what = f"{error}" if isinstance(error, sqlite3.Error) else f"{type(error).__name__}: {error}"
        named = ", ".join(map(str, paths))
        raise RankwiseError(f"{named}: damaged profile ({what}); copy it again or record it again") from error
