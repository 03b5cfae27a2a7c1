"""Opens profiles for reading, and reports damage in one clear line."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankwise.errors import RankwiseError
from rankwise.profile.store.database import open_profile, refuse_interrupted

if TYPE_CHECKING:
    from rankwise.profile.matrices.messages import Messages

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
def opened_profile(path: Path, only: Collection[str] = ()) -> Iterator[sqlite3.Connection]:
    """Open the profile at `path` for reading.

    Args:
        path: of the file.
        only: the tables that are going to be read; empty = any.

    Raises:
        RankwiseError: it is missing, foreign, of another version, or turns out to be damaged.
    """
    with damage_told(path), closing(open_profile(path, only)) as connection:
        yield connection


class OpenMessages(NamedTuple):
    """A profile, or a matrix of messages as one that has nothing else.

    Attributes:
        connection: to the profile.
        matrix: its content; None: it is a profile of a run.
    """

    connection: sqlite3.Connection
    matrix: Messages | None

    def notes(self) -> list[str]:
        """Return what a reader has to know of a matrix, as sentences; none of a profile."""
        if self.matrix is None:
            return []
        said = [f"The file is {self.matrix.format}: it has only bytes and messages between ranks."]
        if self.matrix.counts is None:
            said = [f"The file is {self.matrix.format}: it has bytes, but no numbers of messages."]
        return said + ([f"{self.matrix.note[0].upper()}{self.matrix.note[1:]}."] if self.matrix.note else [])


@contextmanager
def opened_messages(path: Path) -> Iterator[OpenMessages]:
    """Open a profile, or a matrix of messages in the format of another tool, for reading.

    Raises:
        RankwiseError: as `opened_profile`; or the file is a matrix that is damaged.
    """
    from rankwise.profile.matrices.as_profile import matrix_at, profile_of  # not above: it loads NumPy

    matrix = matrix_at(path)
    if matrix is None:
        with opened_profile(path) as connection:
            yield OpenMessages(connection, None)
        return
    with damage_told(path), closing(profile_of(matrix)) as connection:
        yield OpenMessages(connection, matrix)


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
        named = ", ".join(map(str, paths))
        refuse_interrupted(error, named)
        what = f"{error}" if isinstance(error, sqlite3.Error) else f"{type(error).__name__}: {error}"
        raise RankwiseError(f"{named}: damaged profile ({what}); copy it again or record it again") from error
