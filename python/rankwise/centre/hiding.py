"""What the data set leaves out about users: their names, and what they run."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankwise.centre.run_rows import RunRows
from rankwise.centre.schema import Shows, Table
from rankwise.centre.values import Row, identified
from rankwise.errors import RankwiseError
from rankwise.records import dataclass

_LEAST_KEY = 16  # bytes
_DIGITS = 12  # of a pseudonym, hexadecimal


@dataclass(frozen=True, kw_only=True)
class Hiding:
    """The columns that are left out.

    Attributes:
        key: of the pseudonyms that replace names of users; None = names stay.
        work: whether command lines, paths, and names that programs chose are left out.
    """

    key: bytes | None = None
    work: bool = False

    def hidden(self, rows: RunRows) -> RunRows:
        """Return the rows of a run without the hidden values."""
        return {table: [self.row(table, row) for row in of_table] for table, of_table in rows.items()}

    def row(self, table: Table, row: Row) -> Row:
        """Return a row without the hidden values, and with the numbers that stand for the others."""
        hide = self._by_what()
        if hide:
            row = tuple(
                hide.get(column.shows, _as_it_is)(value)
                for column, value in zip(table.columns, row, strict=True)
            )
        return identified(table, row)

    def _by_what(self) -> dict[Shows, Callable[[Any], Any]]:
        hide: dict[Shows, Callable[[Any], Any]] = {}
        if self.key is not None:
            hide[Shows.USER] = self.pseudonym
        if self.work:
            hide[Shows.WORK] = lambda _: None
        return hide

    def pseudonym(self, user: str) -> str:
        """Return what stands for a user: the same in each run, and no way back without the key.

        Raises:
            RankwiseError: there is no key.
        """
        if self.key is None:
            raise RankwiseError("there is no key for pseudonyms: give one with --pseudonyms")
        return f"u-{hmac.digest(self.key, user.encode(errors='surrogateescape'), 'sha256').hex()[:_DIGITS]}"


AS_IT_IS = Hiding()
"""Nothing is left out."""


def key_in(path: Path) -> bytes:
    """Return the key in a file.

    Raises:
        RankwiseError: it can't be read, is too short to be a secret, or others can read it.
    """
    try:
        mode = path.stat().st_mode
        key = path.read_bytes().strip()
    except OSError as error:
        raise RankwiseError(
            f"{path} cannot be read: {error.strerror}: make it with"
            f" `(umask 077; head -c 32 /dev/urandom | base64 > {path})`"
        ) from error
    if len(key) < _LEAST_KEY:
        raise RankwiseError(f"{path} has a key of {len(key)} bytes: give one of {_LEAST_KEY} or more")
    if mode & 0o077:
        raise RankwiseError(f"others can read the key in {path}: chmod 600 {path}")
    return key


def _as_it_is(value: Any) -> Any:
    return value
