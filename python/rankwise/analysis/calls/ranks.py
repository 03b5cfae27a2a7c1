"""The ranks: where each ran, how it ended, and its time."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.totals import BETWEEN, RUN_SECONDS, THREAD_SECONDS
from rankwise.analysis.last_calls import seconds_between
from rankwise.analysis.percent import percent
from rankwise.records import dataclass


@dataclass(frozen=True)
class Rank:
    """One rank of MPI_COMM_WORLD.

    Attributes:
        cpus_allowed: processors that it may use, Linux list format.
        cpu_start: processor that it ran on after MPI_Init, None if unknown.
        cpu_stop: ... when MPI_Finalize was called.
        run_seconds: between MPI_Init and MPI_Finalize.
        init_finalize_seconds: in these two.
        calls: between MPI_Init and MPI_Finalize.
        seconds: time in MPI, MPI_Init and MPI_Finalize not included.
        percent_of_own_run: `seconds` in percent of `run_seconds` x `threads`, which may be in MPI at once.
        max_rss_bytes: maximum resident memory.
        inside: procedure that it was inside of when it ended without leaving it.
        inside_communicator: name of its communicator.
        inside_since: when that call began, ISO 8601.
        inside_seconds: from then to the end of the rank as far as it is known.
        signal: that ended it, None if none or not known.
        exit_code: that it ended with before the end of MPI_Finalize, None if not known.
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
    own_cost_seconds: float
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
    counts = {
        rank: numbers
        for rank, *numbers in connection.execute(
            "SELECT rank, calls, bytes_sent, bytes_received FROM rank_sums"
        )
    }
    for rank, calls in connection.execute(
        f"SELECT rank, SUM(calls) FROM calls WHERE NOT {BETWEEN} GROUP BY rank"
    ):
        counts[rank][0] -= calls
    rows = connection.execute(
        "SELECT ranks.rank, host, pid, state, abort_code, cpus_allowed, cpu_start, cpu_stop,"
        f" ranks.wall, {RUN_SECONDS}, ranks.init_finalize,"
        ' ranks."user", ranks."system", ranks.max_rss, ranks.threads, ranks.own_cost, ranks.inside,'
        " communicators.name, ranks.inside_since, ranks.stopped, ranks.signal, ranks.exit_code, ranks.mpi,"
        f" {THREAD_SECONDS}"
        " FROM ranks LEFT JOIN communicators ON communicators.id = ranks.inside_communicator"
        " ORDER BY ranks.mpi DESC, ranks.rank"
    )
    return [
        Rank(
            *(rank, *facts, since, seconds_between(since, stopped) if since else None, signal, exit_code),
            *(*counts.get(rank, (0, 0, 0)), mpi, percent(mpi, thread_seconds)),
        )
        for rank, *facts, since, stopped, signal, exit_code, mpi, thread_seconds in rows
    ]
