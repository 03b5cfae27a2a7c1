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
from rankwise.profile.join.families import family_of, without_loops

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
            add_what_is_missing(profile)
        passed_over = TABLES_BESIDE if complete and _is_old(profile) else frozenset[str]()
        for table in _schema().keys() - passed_over if complete else ():
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


_PACKED_SINCE = 6
"""The version from which on `calls` is a view; it was a table."""


def _spreads(keys: str, columns: str, joins: str = "") -> str:
    """Return the query for a table of spreads.

    Args:
        keys: columns that tell its rows apart.
        columns: the same, as SQL over calls and what is joined.
        joins: SQL.
    """
    return (
        f"SELECT {keys}, COUNT(*) AS ranks, SUM(seconds) AS seconds, MIN(seconds) AS least_seconds,"
        " MIN(least_rank) AS least_rank, MAX(seconds) AS most_seconds, MIN(most_rank) AS most_rank,"
        f" GROUP_CONCAT(rank) AS callers FROM (SELECT *,"
        f" FIRST_VALUE(rank) OVER (PARTITION BY {keys} ORDER BY seconds, rank) AS least_rank,"
        f" FIRST_VALUE(rank) OVER (PARTITION BY {keys} ORDER BY seconds DESC, rank) AS most_rank"
        f" FROM (SELECT {columns}, rank, SUM(seconds) AS seconds FROM calls {joins}"
        " WHERE calls.procedure NOT IN (SELECT id FROM procedures WHERE class = 'environment')"
        f" GROUP BY {columns}, rank)) GROUP BY {keys}"
    )


# What later versions keep (6: sums, 7: spreads), as it follows from what the versions before had.
_KEPT = {
    "call_places": "SELECT NULL AS id, rank, communicator, site FROM calls GROUP BY rank, communicator, site",
    "rank_sums": (
        "SELECT rank, SUM(calls) AS calls, SUM(bytes_sent) AS bytes_sent,"
        " SUM(bytes_received) AS bytes_received FROM calls GROUP BY rank"
    ),
    "procedure_sums": (
        "SELECT procedure, COUNT(DISTINCT rank) AS ranks, MIN(min) AS min, MAX(max) AS max"
        " FROM calls GROUP BY procedure"
    ),
    "family_sums": (
        "SELECT family, region, calls.procedure AS procedure, size_bin, SUM(calls) AS calls,"
        " SUM(bytes_sent) AS bytes_sent, SUM(bytes_received) AS bytes_received, SUM(seconds) AS seconds,"
        " SUM(unfinished) AS unfinished FROM calls JOIN communicators ON communicators.id = communicator"
        " GROUP BY family, region, calls.procedure, size_bin"
    ),
    "communicator_sums": (
        "SELECT communicator, procedure, COUNT(*) AS ranks, MAX(with_data) AS with_data, SUM(calls) AS calls,"
        " SUM(bytes_sent) AS bytes_sent, SUM(bytes_received) AS bytes_received, SUM(seconds) AS seconds,"
        " SUM(unfinished) AS unfinished, MIN(calls) AS least_calls, MAX(calls) AS most_calls,"
        " MIN(seconds) AS least_seconds, MAX(seconds) AS most_seconds FROM"
        # One row a rank first: a rank has a row for each region and size bin.
        " (SELECT communicator, procedure, rank, MAX(size_bin <> 0) AS with_data, SUM(calls) AS calls,"
        " SUM(bytes_sent) AS bytes_sent, SUM(bytes_received) AS bytes_received, SUM(seconds) AS seconds,"
        " SUM(unfinished) AS unfinished FROM calls GROUP BY communicator, procedure, rank)"
        " GROUP BY communicator, procedure"
    ),
    "procedure_spreads": _spreads("procedure", "calls.procedure"),
    "communicator_spreads": _spreads("communicator", "communicator"),
    "family_spreads": _spreads("family", "family", "JOIN communicators ON communicators.id = communicator"),
    "call_spreads": _spreads("communicator, procedure", "communicator, calls.procedure"),
    "host_sums": (
        "SELECT sender.host AS host, kind, SUM(messages) AS messages,"
        " COALESCE(SUM(CASE WHEN sender.host = receiver.host THEN bytes END), 0) AS bytes_on_node,"
        " COALESCE(SUM(CASE WHEN sender.host <> receiver.host THEN bytes END), 0) AS bytes_off_node,"
        # A host is NULL, and both comparisons with it too, where an end is not known.
        " COALESCE(SUM(CASE WHEN sender.host IS NULL OR receiver.host IS NULL THEN bytes END), 0)"
        " AS bytes_unplaced"
        " FROM messages LEFT JOIN main.ranks AS sender ON sender.rank = source"
        " LEFT JOIN main.ranks AS receiver ON receiver.rank = destination GROUP BY sender.host, kind"
    ),
}

TABLES_BESIDE = frozenset({*_KEPT, "call_counts"})
"""Names of tables that show nothing that is not in others: packed rows, and sums."""


@cache
def _schema() -> dict[str, tuple[str, str, list[tuple[str, int]]]]:
    """Map the name of each table and view to its kind, the SQL that makes it, and its columns."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        made = empty.execute("SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')")
        return {name: (kind, sql, _columns(empty, name)) for name, kind, sql in made.fetchall()}


def _columns(profile: sqlite3.Connection, table: str) -> list[tuple[str, int]]:
    """Return the columns' names, and whether each is a real one (0)."""
    return profile.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (table,)).fetchall()


def column_types(table: str) -> dict[str, str]:
    """Map the names of the columns of one of our tables to INTEGER, REAL or TEXT; empty for other tables."""
    if table not in _schema():
        return {}
    _, _, columns = _schema()[table]
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        declared = dict(empty.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall())
    # Computed columns have no type of their own.
    times = {"seconds", "min", "max"}
    return {name: declared[name] or ("REAL" if name in times else "INTEGER") for name, _ in columns}


def _version(profile: sqlite3.Connection) -> int:
    (version,) = profile.execute("PRAGMA user_version").fetchone()
    return int(version)


def _is_old(profile: sqlite3.Connection) -> bool:
    return _version(profile) != SCHEMA_VERSION


def _has_our_tables(profile: sqlite3.Connection) -> bool:
    """Tell whether the tables are those of the schema, and no views in their place, or other columns.

    The only view is our own, to the letter, or that of older versions. Old ones may lack tables, and the last
    columns of a table.

    What else there is does no harm, because nobody asks for it: triggers act on changes only.
    """
    there: dict[str, list[tuple[str, str]]] = {}
    for name, kind, sql in profile.execute(
        "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')"
    ):
        there.setdefault(str(name).lower(), []).append((kind, str(sql)))
    is_old = _is_old(profile)
    for name, (kind, sql, ours) in _schema().items():
        if name not in there:
            if not is_old:
                return False
            continue
        [(its_kind, its_sql), *others] = there[name]
        if others or its_kind != ("table" if _version(profile) < _PACKED_SINCE else kind):
            return False
        allowed = [_words(sql), *([_words_before_sites(sql)] if is_old else [])]
        if its_kind == "view" and _words(its_sql) not in allowed:
            return False
        columns = _columns(profile, name)
        later = {column for column, _ in ours[len(columns) :]}
        if columns != ours[: len(columns)] or (later and not (is_old and later <= _defaults(name).keys())):
            return False
    return True


def _words(sql: str) -> list[str]:
    """Take SQL without quotes apart, without its comments."""
    return re.sub(r"--[^\n]*", " ", sql).split()


def _words_before_sites(sql: str) -> list[str]:
    """Make that of the view `calls` in version 6, which knew of no sites, of today's."""
    return [word for word in _words(sql) if word not in (",", "site")]


@cache
def _defaults(table: str) -> dict[str, str]:
    """Map the columns that have a default to it, as SQL: all that came later have one."""
    if table == "calls":
        return {"unfinished": "0", "site": "NULL"}
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        found = empty.execute(
            "SELECT name, dflt_value FROM pragma_table_info(?) WHERE dflt_value IS NOT NULL", (table,)
        )
        return dict(found.fetchall())


def add_what_is_missing(profile: sqlite3.Connection) -> None:
    """Make what came after the profile appear in it: empty tables, columns with their defaults, sums.

    The file itself stays as it is: temporary views are found before its own tables.
    """
    if not _is_old(profile):
        return
    profile.execute("PRAGMA temp_store = MEMORY")
    there = {
        name for (name,) in profile.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    }
    instead = {"communicators": {"family": _FAMILY}} if _add_families(profile) else {}
    if "path" not in {column for column, _ in _columns(profile, "regions")}:
        instead["regions"] = {"path": "name"}
    for name, (kind, sql, ours) in _schema().items():
        columns = [column for column, _ in _columns(profile, name)] if name in there else []
        if (len(columns) == len(ours) and name not in instead) or name in TABLES_BESIDE:
            continue
        if columns:
            values = {column: _defaults(name)[column] for column, _ in ours[len(columns) :]}
            values |= instead.get(name, {})
            shown = [f"{values[column]} AS {column}" if column in values else column for column, _ in ours]
            profile.execute(f"CREATE TEMP VIEW {name} AS SELECT {', '.join(shown)} FROM main.{name}")
        elif kind == "table":
            profile.execute(sql.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))
    for name, query in _KEPT.items():
        if name not in there:
            profile.execute(f"CREATE TEMP VIEW {name} AS {query}")


def calculate_sums(profile: sqlite3.Connection) -> None:
    """Make the sums appear that `calls` and `messages` have now, in place of those that the profile keeps."""
    old = {name for (name,) in profile.execute("SELECT name FROM sqlite_temp_master WHERE type = 'view'")}
    for name, query in _KEPT.items():
        if name in old:
            profile.execute(f"DROP VIEW temp.{name}")
        profile.execute(f"CREATE TEMP VIEW {name} AS {query}")


# Until version 5 a family was what one call made, on one parent.
_FAMILY = "COALESCE((SELECT families.family FROM temp.families WHERE families.id = communicators.id), family)"


def _add_families(profile: sqlite3.Connection) -> bool:
    """Keep the families that are other ones today; tell whether there are any."""
    rows = profile.execute("SELECT id, name, family FROM main.communicators").fetchall()
    families = {name: family for _, name, _ in rows if isinstance(name, str) and (family := family_of(name))}
    known = without_loops(set(families.values()))
    found = [
        (identity, known[families[name]])
        for identity, name, old in rows
        if name in families and known[families[name]] != old
    ]
    if found:
        profile.execute("CREATE TEMP TABLE families (id INTEGER PRIMARY KEY, family TEXT NOT NULL)")
        profile.executemany("INSERT OR REPLACE INTO temp.families VALUES (?, ?)", found)
    return bool(found)


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
