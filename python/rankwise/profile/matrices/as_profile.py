"""A profile in memory that has the messages of a matrix, and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.profile.matrices import formats
from rankwise.profile.matrices.messages import FormatError, Messages
from rankwise.profile.store.database import SCHEMA
from rankwise.version import __version__

MOST_FILE_BYTES = 2 << 30
_WORLD, _PROCEDURE = 3, 1
_SQLITE = "SQLite format 3\0"


def matrix_at(path: Path) -> Messages | None:
    """Read a file that may be a matrix.

    Returns:
        None: it is missing, a directory, or a database.

    Raises:
        RankwiseError: it is a text that is no matrix, or a damaged one, or can't be read.
    """
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            if file.read(len(_SQLITE)) == _SQLITE.encode():
                return None
            if path.stat().st_size > MOST_FILE_BYTES:
                raise RankwiseError(f"{path} is larger than {MOST_FILE_BYTES >> 30} GiB: use a sparse format")
            file.seek(0)
            data = file.read()
    except OSError as error:
        raise RankwiseError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return formats.read(path, data.decode("utf-8"))
    except UnicodeDecodeError:
        return None
    except FormatError as error:
        raise RankwiseError(f"{path} {error}") from None


def profile_of(messages: Messages) -> sqlite3.Connection:
    """Make the profile: its times are 0, and the places of its ranks are unknown.

    Numbers of messages that the file does not tell are 0.
    """
    profile = sqlite3.connect(":memory:")
    profile.executescript(SCHEMA)
    texts = {"rankwise_version": __version__, "command": "[]", "thread_level": "unknown", "not_covered": "[]"}
    numbers = {"wall": 0.0, "ranks_expected": messages.ranks, "ranks_seen": messages.ranks, "partial": 0}
    _insert(profile, "run", {**texts, **numbers})
    _insert(profile, "procedures", {"id": _PROCEDURE, "name": "MPI_Send", "class": "point-to-point"})
    members = f"0-{messages.ranks - 1}"
    lists = {"members": members, "dims": "[]", "periods": "[]"}
    sizes = {"id": _WORLD, "size": messages.ranks, "members_seen": messages.ranks}
    _insert(profile, "communicators", {"name": "W", "family": "W", **lists, **sizes})
    counts = [0] * len(messages.bytes) if messages.counts is None else messages.counts.tolist()
    rows = zip(
        messages.source.tolist(), messages.destination.tolist(), counts, messages.bytes.tolist(), strict=True
    )
    profile.executemany(
        f"INSERT INTO messages VALUES (?, ?, {_WORLD}, 'point-to-point', {_PROCEDURE}, ?, ?)", rows
    )
    profile.commit()
    return profile


def _insert(profile: sqlite3.Connection, table: str, known: Mapping[str, str | float]) -> None:
    """Insert a row: columns that must not be NULL and are not known are empty or 0."""
    columns = profile.execute(f"SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info('{table}')")
    empty = {
        name: "" if kind == "TEXT" else 0
        for name, kind, needed, default in columns
        if needed and default is None
    }
    row = {**empty, **known}
    marks = ", ".join("?" * len(row))
    profile.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
