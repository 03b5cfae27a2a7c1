"""Opens profiles for reading, and makes new ones in one step."""

from __future__ import annotations

import os
import re
import sqlite3
import struct
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

from rankwise.errors import RankwiseError

SCHEMA = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
"""The SQL that makes an empty profile."""


def _pragma(name: str) -> int:
    match = re.search(rf"^PRAGMA {name} = (\d+);", SCHEMA, re.MULTILINE)
    assert match
    return int(match[1])


APPLICATION_ID = _pragma("application_id")
SCHEMA_VERSION = _pragma("user_version")
OLDEST_VERSION = 1
"""Of the profiles that can still be read; tables that they lack appear empty, columns have their defaults."""

_SQLITE_MAGIC = b"SQLite format 3\0"
_SQLITE_HEADER_BYTES = 100
# SQLite has one exception for what the disk does and for what is wrong in our SQL.
_DISK_TROUBLE = re.compile(r"disk|unable to open|readonly")


# A profile may come from a stranger; a file can be made that holds itself many times over. Steps of SQLite's
# machine that reading one may take: views of large profiles take one or two for each byte of the file.
_STEPS, _STEPS_A_BYTE = 10_000_000, 30
_STEPS_AT_ONCE = 100_000
_LONGEST_TEXT = 1 << 20  # bytes, or the size of the file


def open_profile(path: Path) -> sqlite3.Connection:
    """Open a profile, read-only.

    Raises:
        RankwiseError: not there, not readable, not a profile, cut short or damaged, or of another Rankwise.
    """
    length = _check(path)
    # Profiles are never changed once they have their name: no lock is needed, which some file systems lack.
    profile = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        _distrust(profile, length)
        complete = _has_our_tables(profile) and profile.execute("SELECT COUNT(*) FROM run").fetchone() == (1,)
        if complete:
            _add_what_is_missing(profile)
        for table in _tables() if complete else ():
            profile.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
    except (sqlite3.Error, ValueError) as error:  # also a text that is none
        profile.close()
        raise _damaged(path) from error
    if not complete:
        profile.close()
        raise _damaged(path)
    return profile


def _distrust(profile: sqlite3.Connection, length: int) -> None:
    """Let nothing in the file act, and reading it end."""
    profile.execute("PRAGMA trusted_schema = OFF")
    profile.execute("PRAGMA cell_size_check = ON")
    if sys.version_info >= (3, 11):
        profile.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(length, _LONGEST_TEXT))
    left = (_STEPS + _STEPS_A_BYTE * length) // _STEPS_AT_ONCE

    def is_too_much() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    profile.set_progress_handler(is_too_much, _STEPS_AT_ONCE)


@cache
def _tables() -> dict[str, str]:
    """Map the name of each table to the SQL that makes it."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        return dict(empty.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))


@cache
def _columns_of_tables() -> dict[str, list[tuple[str, int]]]:
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        return {table: _columns(empty, table) for table in _tables()}


def _columns(profile: sqlite3.Connection, table: str) -> list[tuple[str, int]]:
    """Return the columns' names, and whether each is a real one (0)."""
    return profile.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (table,)).fetchall()


def _has_our_tables(profile: sqlite3.Connection) -> bool:
    """Tell whether the tables are those of the schema, and no views in their place, or other columns.

    Old ones may lack tables, and the last columns of a table.

    What else there is does no harm, because nobody asks for it: triggers act on changes only.
    """
    kinds: dict[str, list[str]] = {}
    for name, kind in profile.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"):
        kinds.setdefault(str(name).lower(), []).append(kind)
    is_old = profile.execute("PRAGMA user_version").fetchone() != (SCHEMA_VERSION,)
    return all(
        (kinds[table] == ["table"] and _are_ours(table, _columns(profile, table), is_old))
        if table in kinds
        else is_old
        for table in _tables()
    )


def _are_ours(table: str, columns: list[tuple[str, int]], is_old: bool) -> bool:
    ours = _columns_of_tables()[table]
    later = [name for name, _ in ours[len(columns) :]]
    return columns == ours[: len(columns)] and (not later or (is_old and set(later) <= set(_defaults(table))))


@cache
def _defaults(table: str) -> list[str]:
    """Return the columns that have a default: all that came later have one."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        found = empty.execute("SELECT name FROM pragma_table_info(?) WHERE dflt_value IS NOT NULL", (table,))
        return [name for (name,) in found]


def _add_what_is_missing(profile: sqlite3.Connection) -> None:
    """Make what came after the profile appear in it: empty tables, columns with their defaults.

    The file itself stays as it is.
    """
    if profile.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,):
        return
    profile.execute("PRAGMA temp_store = MEMORY")
    there = {name for (name,) in profile.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for name, sql in _tables().items():
        columns = [column for column, _ in _columns(profile, name)] if name in there else []
        if len(columns) == len(_columns_of_tables()[name]):
            continue
        # A temporary table is found before the file's own.
        profile.execute(sql.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))
        if columns:
            names = ", ".join(columns)
            profile.execute(f"INSERT INTO temp.{name} ({names}) SELECT {names} FROM main.{name}")


def _check(path: Path) -> int:
    """Find out from the first bytes whether a file is a readable profile, and whole; return its length."""
    try:
        if path.is_dir():
            raise RankwiseError(
                f"{path} is a directory: `rankwise recover {path}` makes a profile of a run directory"
            )
        if path.exists() and not path.is_file():
            raise RankwiseError(f"{path} is not a regular file: give the path of a .rankwise file")
        with path.open("rb") as file:
            header = file.read(_SQLITE_HEADER_BYTES)
            length = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        raise RankwiseError(f"{path} is not found: check the path, or make it with `rankwise run`") from None
    except OSError as error:
        raise RankwiseError(f"{path} cannot be read: {error.strerror}") from error
    if not header.startswith(_SQLITE_MAGIC):
        if _SQLITE_MAGIC.startswith(header):
            raise _damaged(path)
        raise RankwiseError(f"{path} is not a Rankwise profile: give a file that `rankwise run` wrote")
    if len(header) < _SQLITE_HEADER_BYTES:
        raise _damaged(path)
    # https://www.sqlite.org/fileformat2.html: all numbers are big-endian; a page of 65536 bytes is told as 1.
    (page_bytes, pages) = struct.unpack(">16xH10xI68x", header)
    (version, application_id) = struct.unpack(">60xI4xI28x", header)
    if application_id != APPLICATION_ID:
        raise RankwiseError(
            f"{path} is a database but not a Rankwise profile: give a file that `rankwise run` wrote"
        )
    if version > SCHEMA_VERSION:
        raise RankwiseError(
            f"{path} was made by a newer Rankwise (format {version}, this one reads {SCHEMA_VERSION}): "
            f"update Rankwise"
        )
    if version < OLDEST_VERSION:
        raise RankwiseError(
            f"{path} was made by an older Rankwise (format {version}, this one reads {OLDEST_VERSION} to "
            f"{SCHEMA_VERSION}): read it with that one"
        )
    if length < (65536 if page_bytes == 1 else page_bytes) * pages:
        raise _damaged(path)
    return length


def _damaged(path: Path) -> RankwiseError:
    return RankwiseError(
        f"{path} is cut short or damaged: copy it again, or make it again with `rankwise recover` "
        f"if the run directory is still there"
    )


@contextmanager
def new_profile(path: Path) -> Iterator[sqlite3.Connection]:
    """Make a profile that appears under its name only when it is whole; replaces a file of that name.

    Raises:
        RankwiseError: the directory is not there or not writable, or the disk is full.
    """
    try:
        # Mode 0600: the profile shows a program's command line and paths.
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
        os.close(descriptor)
        temporary = Path(name)
        try:
            # nolock: nobody else knows this file, and some network file systems cannot lock.
            profile = sqlite3.connect(f"{temporary.absolute().as_uri()}?nolock=1", uri=True)
            try:
                # No journal: a file that is not finished is thrown away.
                profile.execute("PRAGMA journal_mode = OFF")
                profile.execute("PRAGMA synchronous = OFF")
                profile.executescript(SCHEMA)
                yield profile
                profile.commit()
            finally:
                profile.close()
            _flush(temporary)
            temporary.replace(path)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()
    except OSError as error:
        raise RankwiseError(
            f"{path} cannot be written: {error.strerror}: choose another place with -o", exit_status=1
        ) from error
    except sqlite3.OperationalError as error:
        if not _DISK_TROUBLE.search(str(error)):
            raise
        raise RankwiseError(
            f"{path} cannot be written: {error}: choose another place with -o", exit_status=1
        ) from error


def _flush(path: Path) -> None:
    """Have the data on disk before the name is: or a crash of the node leaves an empty file."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
