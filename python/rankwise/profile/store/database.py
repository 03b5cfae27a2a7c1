"""Opens profiles for reading, and makes new ones in one step."""

from __future__ import annotations

import os
import re
import sqlite3
import struct
import sys
import tempfile
from collections.abc import Collection, Iterator
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

_OLDEST_VERSION = 1
ADDED = {"kernels": 2, "launcher_ranks": 2, "network_ports": 2, "network_samples": 2, "tags": 2}
"""Tables that older profiles don't have, and the version that added them. They are empty there."""

_SQLITE_MAGIC = b"SQLite format 3\0"
_SQLITE_HEADER_BYTES = 100
# SQLite has one exception for both disk failures and errors in our SQL.
_OF_MATRICES = (
    " (`map predict`, `links`, `show --matrix` and `plot --what matrix` also read matrices of messages)"
)
_DISK_TROUBLE = re.compile(r"disk|unable to open|readonly")


# A profile may come from a stranger; a file can be made that holds itself many times over. Steps of SQLite's
# machine that reading one may take: views of large profiles take one or two for each byte of the file.
_STEPS, _STEPS_A_BYTE = 10_000_000, 30
_INTERRUPTED = 130  # 128 + SIGINT
_STEPS_AT_ONCE = 100_000
_LONGEST_TEXT = 1 << 20  # bytes, or the size of the file
MOST_RANKS = 1 << 24
"""Of a world: the data for each rank fit in the memory of a small machine then."""
_MOST_SECONDS = 1e30  # sums and squares of times are numbers, too
_OF_EACH_CALL = {"arrivals", "intervals", "wait_messages", "waits"}
"""Tables that are too long to be looked through whenever a profile is opened."""


def open_profile(path: Path, only: Collection[str] = ()) -> sqlite3.Connection:
    """Open a profile, read-only.

    Args:
        path: of the file.
        only: the tables that are going to be read; empty = any. Checking all tables takes most of the time of
            opening a small profile.

    Raises:
        RankwiseError: not there, not readable, not a profile, cut short or damaged, or of another Rankwise.
    """
    length, version = _check(path)
    wanted = only or _schema()
    absent = [name for name, added in ADDED.items() if added > version]
    # Profiles are never changed once they have their name: no lock is needed, which some file systems lack.
    profile = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        _distrust(profile, length)
        complete = _has_our_tables(profile, absent, wanted)
        for table in (name for name in absent if complete and name in wanted):
            _, sql, _ = _schema()[table]
            profile.execute(sql.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))
        complete = complete and profile.execute("SELECT COUNT(*) FROM run").fetchone() == (1,)
        for table in _schema() if complete and not only else ():  # (A few tables are read at once anyway.)
            profile.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
        impossible = _impossible(profile, wanted) if complete else ""
    except (sqlite3.Error, ValueError) as error:  # also a text that is none
        profile.close()
        refuse_interrupted(error, f"{path}")
        raise _damaged(path) from error
    if not complete or impossible:
        profile.close()
        raise _damaged(path, impossible)
    return profile


def _impossible(profile: sqlite3.Connection, tables: Collection[str]) -> str:
    """Name a number in `tables` that no run can have, and that would break computations; '' = none."""
    (ranks,) = profile.execute("SELECT ranks_expected FROM run").fetchone()
    if not isinstance(ranks, int) or not 0 <= ranks <= MOST_RANKS:
        return f"a world of {ranks!r} ranks, where at most {MOST_RANKS} can be"
    for table, columns in ((name, columns) for name, columns in _times().items() if name in tables):
        wrong = " OR ".join(f"{name} NOT BETWEEN -{_MOST_SECONDS} AND {_MOST_SECONDS}" for name in columns)
        if profile.execute(f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1").fetchone():
            return f"a time in {table} that can't be"
    return ""


@cache
def _times() -> dict[str, list[str]]:
    """Map tables to their columns with times."""
    times = {
        name: re.findall(r"^ *(\w+) +REAL\b", sql, re.MULTILINE) for name, (_, sql, _) in _schema().items()
    }
    return {name: columns for name, columns in times.items() if columns and name not in _OF_EACH_CALL}


class _Work:
    """The steps that reading the latest profile may take."""

    is_spent = False


def refuse_interrupted(error: Exception, name: str) -> None:
    """Pass on that a signal ended a query, as Ctrl-C does.

    (Signal handlers run within the progress handler. SQLite does not pass on what they raise.)

    Args:
        error: of the query.
        name: of the profile.

    Raises:
        RankwiseError: it was a signal.
    """
    if isinstance(error, sqlite3.OperationalError) and f"{error}" == "interrupted" and not _Work.is_spent:
        raise RankwiseError(f"interrupted while reading {name}", _INTERRUPTED) from None


def _distrust(profile: sqlite3.Connection, length: int) -> None:
    """Let nothing in the file act, and reading it end."""
    profile.execute("PRAGMA trusted_schema = OFF")
    profile.execute("PRAGMA cell_size_check = ON")
    if sys.version_info >= (3, 11):
        profile.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(length, _LONGEST_TEXT))
    _Work.is_spent = False
    steps_left = (_STEPS + _STEPS_A_BYTE * length) // _STEPS_AT_ONCE

    def is_too_much() -> bool:
        nonlocal steps_left
        steps_left -= 1
        if steps_left < 0:
            _Work.is_spent = True
        return steps_left < 0

    profile.set_progress_handler(is_too_much, _STEPS_AT_ONCE)


def _spreads(keys: str, columns: str, joins: str = "") -> str:
    """Return the query for a table of spreads.

    Args:
        keys: columns that identify its rows.
        columns: the same, as SQL over calls and the joined tables.
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


SUMS = {
    "call_places": "SELECT NULL AS id, rank, communicator, site FROM calls GROUP BY rank, communicator, site",
    "rank_sums": (
        "SELECT rank, SUM(calls) AS calls, SUM(bytes_sent) AS bytes_sent,"
        " SUM(bytes_received) AS bytes_received, SUM(calls * counts) AS calls_between, MIN(top) AS top FROM"
        " (SELECT *, FIRST_VALUE(procedure * counts) OVER each AS top FROM"
        " (SELECT rank, procedure, name, class <> 'environment' AS counts, SUM(calls) AS calls,"
        " SUM(bytes_sent) AS bytes_sent, SUM(bytes_received) AS bytes_received, SUM(seconds) AS seconds"
        " FROM calls JOIN procedures ON procedures.id = procedure GROUP BY rank, procedure)"
        " WINDOW each AS (PARTITION BY rank ORDER BY counts DESC, seconds DESC, name)) GROUP BY rank"
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
"""By the name of its table what follows from `calls` and `messages`, and is kept: the query that makes it."""

TABLES_BESIDE = frozenset({*SUMS, "call_counts", "diagnosis"})
"""Names of tables that repeat the content of others: packed rows, sums, and conclusions."""


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
    declared = _declared_types()[table]
    # Computed columns have no declared type.
    times = {"seconds", "min", "max"}
    return {name: declared[name] or ("REAL" if name in times else "INTEGER") for name, _ in columns}


@cache
def _declared_types() -> dict[str, dict[str, str]]:
    """Map the name of each table and view to the declared types of its columns."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(SCHEMA)
        return {
            name: dict(empty.execute("SELECT name, type FROM pragma_table_info(?)", (name,)).fetchall())
            for name in _schema()
        }


def _has_our_tables(profile: sqlite3.Connection, absent: Collection[str], wanted: Collection[str]) -> bool:
    """Return whether the tables are as in the schema, without views in their place or other columns.

    The only view is our own, to the letter. Other objects are harmless, because no query uses them:
    triggers act on changes only.

    Args:
        profile: as it is opened.
        absent: tables that its version does not have.
        wanted: the tables that matter.
    """
    there: dict[str, list[tuple[str, str]]] = {}
    names = {*wanted, *absent}
    for name, kind, sql in profile.execute(
        "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')"
        f" AND LOWER(name) IN ({', '.join('?' * len(names))})",
        [*names],
    ):
        there.setdefault(str(name).lower(), []).append((kind, str(sql)))
    for name, (kind, sql, ours) in _schema().items():
        if name in absent:
            if name in there:
                return False
            continue
        if name not in wanted:
            continue
        if [its_kind for its_kind, _ in there.get(name, [])] != [kind]:
            return False
        if there[name][0][1] == sql:
            continue  # the usual case, and asking for the columns of a table takes longest
        if kind == "view" and _words(there[name][0][1]) != _words(sql):
            return False
        if _columns(profile, name) != ours:
            return False
    return True


def _words(sql: str) -> list[str]:
    """Take SQL without quotes apart, without its comments."""
    return re.sub(r"--[^\n]*", " ", sql).split()


def calculate_sums(profile: sqlite3.Connection) -> None:
    """Replace the sums that the profile keeps by those of the current `calls` and `messages`."""
    for name, query in SUMS.items():
        profile.execute(f"DROP VIEW IF EXISTS temp.{name}")
        profile.execute(f"CREATE TEMP VIEW {name} AS {query}")


def _check(path: Path) -> tuple[int, int]:
    """Find out from the first bytes whether a file is a readable profile, and whole.

    Returns:
        its length, and the version of its schema.
    """
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
        hint = _OF_MATRICES if b"\0" not in header else ""
        raise RankwiseError(f"{path} is not a Rankwise profile: give a file that `rankwise run` wrote{hint}")
    if len(header) < _SQLITE_HEADER_BYTES:
        raise _damaged(path)
    # https://www.sqlite.org/fileformat2.html: all numbers are big-endian; 1 means a page of 65536 bytes.
    (page_bytes, pages) = struct.unpack(">16xH10xI68x", header)
    (version, application_id) = struct.unpack(">60xI4xI28x", header)
    if application_id != APPLICATION_ID:
        raise RankwiseError(
            f"{path} is a database but not a Rankwise profile: give a file that `rankwise run` wrote"
        )
    if not _OLDEST_VERSION <= version <= SCHEMA_VERSION:
        raise RankwiseError(
            f"{path} is a profile of version {version}, and this Rankwise reads versions {_OLDEST_VERSION} "
            f"to {SCHEMA_VERSION}: read it with the Rankwise that wrote it, or record the program again"
        )
    if length < (65536 if page_bytes == 1 else page_bytes) * pages:
        raise _damaged(path)
    return length, version


def _damaged(path: Path, impossible: str = "") -> RankwiseError:
    if impossible:
        return RankwiseError(f"{path}: damaged profile ({impossible}); copy it again, or record it again")
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
            # nolock: no other process knows this file, and some network file systems cannot lock.
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
