"""The files that the program opened with MPI-IO, and its accesses."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from rankwise.analysis.rows import rows_by_name
from rankwise.records import dataclass

_DATA_ACCESS = re.compile(r"MPI_File_(i?)(read|write)(?!.*_begin$)")
"""A call that moves data; for a split collective the end call, which has the bytes."""


@dataclass(frozen=True, kw_only=True)
class FileCalls:
    """The calls of a procedure on a file that was opened on a communicator in some mode.

    Attributes:
        communicator: name of the communicator that the file was opened on.
        mode: as in `MPI_MODE_...`, e.g. `create rdwr`.
        ranks: number of ranks that made such calls.
        seconds: in these calls, summed over all ranks.
        name: name of the MPI file, e.g. W_f1; None = it has none.
    """

    file: str
    communicator: str
    mode: str
    procedure: str
    ranks: int
    calls: int
    bytes_read: int
    bytes_written: int
    seconds: float
    name: str | None


@dataclass(frozen=True, kw_only=True)
class File:
    """A file: everything opened under the same name.

    Attributes:
        ranks: number of ranks that called MPI on it.
        opens: successful calls of MPI_File_open, summed over all ranks.
        accesses: number of calls that read or wrote.
        seconds: in all calls on it, summed over all ranks.
        slowest_rank_seconds: of the rank that spent the most time in these calls.
        bytes_per_second: bytes read and written divided by `slowest_rank_seconds`; None if nothing was moved,
            or if some accesses were nonblocking, because their waiting time is not recorded by file.
        names: names of the MPI files, e.g. W_f1; the family's name, S_f1, for several of the same family.
    """

    file: str
    ranks: int
    opens: int
    accesses: int
    bytes_read: int
    bytes_written: int
    seconds: float
    slowest_rank_seconds: float
    bytes_per_second: float | None
    names: list[str]


@dataclass(frozen=True)
class FileTotals:
    """Totals over all files."""

    files: int
    bytes_read: int
    bytes_written: int
    seconds: float


def files(connection: sqlite3.Connection) -> list[File]:
    """Return every file, most time first."""
    # The key includes the hash of the whole name: truncated names may be equal.
    opens = {
        (name, name_hash): count
        for name, name_hash, count in connection.execute(
            "SELECT name, name_hash, SUM(opens) FROM files GROUP BY name, name_hash"
        )
    }
    calls: dict[tuple[str, str], list[tuple[int, str, int, int, int, float]]] = {key: [] for key in opens}
    for name, name_hash, *call in connection.execute(
        "SELECT files.name, name_hash, rank, procedures.name, accesses, bytes_read, bytes_written, seconds"
        " FROM file_accesses JOIN files ON files.id = file JOIN procedures ON procedures.id = procedure"
    ):
        calls[name, name_hash].append(tuple(call))
    names = _own_names(connection)
    file_rows = [_file(key[0], opens[key], rows, names.get(key, [])) for key, rows in calls.items() if rows]
    return sorted(file_rows, key=lambda row: (-row.seconds, row.file))


def file_calls(connection: sqlite3.Connection) -> list[FileCalls]:
    """Return the calls of every procedure on every file, communicator and mode, most time first."""
    rows = rows_by_name(
        connection,
        "SELECT files.name AS file, communicators.name AS communicator, mode, procedures.name AS procedure,"
        " COUNT(DISTINCT rank) AS ranks, SUM(accesses) AS calls, SUM(bytes_read) AS bytes_read,"
        " SUM(bytes_written) AS bytes_written, SUM(seconds) AS seconds, own.name AS name"
        " FROM file_accesses JOIN files ON files.id = file"
        " JOIN procedures ON procedures.id = file_accesses.procedure"
        " JOIN communicators ON communicators.id = files.communicator"
        " LEFT JOIN communicators AS own ON own.id = files.named"
        " GROUP BY files.id, procedures.id ORDER BY SUM(file_accesses.seconds) DESC, files.id, procedures.id",
    )
    return [FileCalls(**row) for row in rows]


def file_totals(connection: sqlite3.Connection) -> FileTotals | None:
    """Return the sums over all files; None if no file was used."""
    rows = files(connection)
    if not rows:
        return None
    return FileTotals(
        len(rows),
        sum(row.bytes_read for row in rows),
        sum(row.bytes_written for row in rows),
        sum(row.seconds for row in rows),
    )


def _own_names(connection: sqlite3.Connection) -> dict[tuple[str, str], list[str]]:
    """Return the names of MPI files by path and hash of the path."""
    names_by_family: dict[tuple[str, str], dict[str, list[str]]] = {}
    for name, name_hash, own, family in connection.execute(
        "SELECT files.name, name_hash, communicators.name, family FROM files"
        " JOIN communicators ON communicators.id = files.named ORDER BY files.id"
    ):
        names_by_family.setdefault((name, name_hash), {}).setdefault(family, []).append(own)
    return {
        key: [names[0] if len(names) == 1 else family for family, names in families.items()]
        for key, families in names_by_family.items()
    }


def _file(
    name: str, opens: int, calls: Iterable[tuple[int, str, int, int, int, float]], names: list[str]
) -> File:
    accesses = read = written = 0
    nonblocking = False
    seconds: dict[int, float] = {}
    for rank, procedure, number, bytes_read, bytes_written, time in calls:
        access = _DATA_ACCESS.match(procedure)
        accesses += number if access else 0
        nonblocking |= bool(access and access[1])
        read += bytes_read
        written += bytes_written
        seconds[rank] = seconds.get(rank, 0.0) + time
    slowest = max(seconds.values(), default=0.0)
    timed = bool(read + written) and slowest > 0 and not nonblocking
    return File(
        file=name,
        ranks=len(seconds),
        opens=opens,
        accesses=accesses,
        bytes_read=read,
        bytes_written=written,
        seconds=sum(seconds.values()),
        slowest_rank_seconds=slowest,
        bytes_per_second=(read + written) / slowest if timed else None,
        names=names,
    )


def file_seconds(connection: sqlite3.Connection) -> dict[int, float]:
    """Return the seconds of each rank in independent reads and writes; empty if there were none.

    Opening, closing and collective accesses are excluded: ranks wait for each other there, so the ranks that
    arrive first spend the most time.
    """
    seconds: dict[int, float] = dict(
        connection.execute(
            "SELECT rank, SUM(seconds) FROM file_accesses JOIN procedures ON procedures.id = procedure"
            " WHERE (procedures.name LIKE '%read%' OR procedures.name LIKE '%write%')"
            " AND procedures.name NOT LIKE '%\\_all%' ESCAPE '\\'"
            " AND procedures.name NOT LIKE '%\\_ordered%' ESCAPE '\\' GROUP BY rank"
        ).fetchall()
    )
    if not seconds:
        return {}
    ranks = [rank for (rank,) in connection.execute("SELECT rank FROM ranks ORDER BY rank")]
    return {rank: seconds.get(rank, 0.0) for rank in ranks}
