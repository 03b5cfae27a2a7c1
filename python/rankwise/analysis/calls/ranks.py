"""The ranks: where each ran, how it ended, and its time."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.totals import RUN_SECONDS, THREAD_SECONDS
from rankwise.analysis.last_calls import seconds_between
from rankwise.analysis.percent import percent
from rankwise.analysis.rows import rows_by_name
from rankwise.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Rank:
    """A rank of MPI_COMM_WORLD.

    Attributes:
        cpus_allowed: processors that it may use, Linux list format.
        cpu_start: processor that it ran on after MPI_Init, None if unknown.
        cpu_stop: processor that it ran on when MPI_Finalize was called, None if unknown.
        run_seconds: between MPI_Init and MPI_Finalize.
        init_finalize_seconds: in MPI_Init and MPI_Finalize.
        calls: between MPI_Init and MPI_Finalize.
        seconds: time in MPI, without MPI_Init and MPI_Finalize.
        percent_of_own_run: `seconds` in percent of `run_seconds` x `threads`, as all threads may be in MPI.
        max_rss_bytes: maximum resident memory.
        inside: procedure that it was inside of when it ended.
        inside_communicator: name of that call's communicator.
        inside_since: start of that call, ISO 8601.
        inside_seconds: from the start of that call to the known end of the rank.
        signal: that ended it, None if none or unknown.
        exit_code: that it ended with before MPI_Finalize finished, None if unknown.
    """

    rank: int
    host: str
    pid: int
    state: str
    abort_code: int | None
    cpus_allowed: str
    cpu_start: int | None
    cpu_stop: int | None
    wall_seconds: float
    run_seconds: float
    init_finalize_seconds: float
    user_seconds: float
    system_seconds: float
    max_rss_bytes: int
    threads: int
    overhead_seconds: float
    inside: str | None
    inside_communicator: str | None
    inside_since: str | None
    inside_seconds: float | None
    signal: int | None
    exit_code: int | None
    calls: int
    bytes_sent: int
    bytes_received: int
    seconds: float
    percent_of_own_run: float


def ranks(connection: sqlite3.Connection) -> list[Rank]:
    """Return every rank whose counters were read, most time in MPI first."""
    rows = rows_by_name(
        connection,
        f"SELECT ranks.*, {RUN_SECONDS} AS run_seconds, {THREAD_SECONDS} AS thread_seconds,"
        " communicators.name AS communicator, COALESCE(sums.calls_between, 0) AS calls,"
        " COALESCE(sums.bytes_sent, 0) AS bytes_sent, COALESCE(sums.bytes_received, 0) AS bytes_received"
        " FROM ranks LEFT JOIN communicators ON communicators.id = ranks.inside_communicator"
        " LEFT JOIN rank_sums AS sums ON sums.rank = ranks.rank"
        " ORDER BY ranks.mpi DESC, ranks.rank",
    )
    return [_rank(row) for row in rows]


def _rank(row: sqlite3.Row) -> Rank:
    since = row["inside_since"]
    return Rank(
        rank=row["rank"],
        host=row["host"],
        pid=row["pid"],
        state=row["state"],
        abort_code=row["abort_code"],
        cpus_allowed=row["cpus_allowed"],
        cpu_start=row["cpu_start"],
        cpu_stop=row["cpu_stop"],
        wall_seconds=row["wall"],
        run_seconds=row["run_seconds"],
        init_finalize_seconds=row["init_finalize"],
        user_seconds=row["user"],
        system_seconds=row["system"],
        max_rss_bytes=row["max_rss"],
        threads=row["threads"],
        overhead_seconds=row["overhead"],
        inside=row["inside"],
        inside_communicator=row["communicator"],
        inside_since=since,
        inside_seconds=seconds_between(since, row["stopped"]) if since else None,
        signal=row["signal"],
        exit_code=row["exit_code"],
        calls=row["calls"],
        bytes_sent=row["bytes_sent"],
        bytes_received=row["bytes_received"],
        seconds=row["mpi"],
        percent_of_own_run=percent(row["mpi"], row["thread_seconds"]),
    )
