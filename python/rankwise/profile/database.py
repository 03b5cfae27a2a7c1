"""Opens profiles for reading, and makes new ones in one step."""

from __future__ import annotations

import os
import re
import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
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
"""Of the profiles that can still be read; the tables that they lack appear empty."""

_SQLITE_MAGIC = b"SQLite format 3\0"
_SQLITE_HEADER_BYTES = 100
# SQLite has one exception for what the disk does and for what is wrong in our SQL.
_DISK_TROUBLE = re.compile(r"disk|unable to open|readonly")


def open_profile(path: Path) -> sqlite3.Connection:
    """Open a profile, read-only.

    Raises:
        RankwiseError: not there, not readable, not a profile, cut short or damaged, or of another Rankwise.
    """
    _check(path)
    # Profiles are never changed once they have their name: no lock is needed, which some file systems lack.
    profile = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        complete = profile.execute("SELECT COUNT(*) FROM run").fetchone() == (1,)
        for (table,) in profile.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            profile.execute(f'SELECT * FROM "{table}" LIMIT 1').fetchone()
        _add_missing_tables(profile)
    except sqlite3.Error as error:
        profile.close()
        raise _damaged(path) from error
    if not complete:
        profile.close()
        raise _damaged(path)
    return profile


def _add_missing_tables(profile: sqlite3.Connection) -> None:
    """Make tables that came after the profile appear in it, empty; the file itself stays as it is."""
    if profile.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,):
        return
    profile.execute("PRAGMA temp_store = MEMORY")
    there = {name for (name,) in profile.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    with closing(sqlite3.connect(":memory:")) as schema:
        schema.executescript(SCHEMA)
        for name, sql in schema.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"):
            if name not in there:
                profile.execute(sql.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))


def _check(path: Path) -> None:
    """Find out from the first bytes whether a file is a profile that can be read, and whole."""
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
