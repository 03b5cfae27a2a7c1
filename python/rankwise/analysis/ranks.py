"""The ranks: where each ran, how it ended, and its time."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from rankwise.analysis.percent import percent


@dataclass(frozen=True)
class Rank:
    """One rank of MPI_COMM_WORLD.

    Attributes:
        cpus_allowed: processors that it may use, Linux list format.
        cpu_start: processor that it ran on after MPI_Init, None if unknown.
        cpu_stop: ... when MPI_Finalize was called.
        seconds: time in MPI, MPI_Init and MPI_Finalize not included.
        percent_of_own_wall: `seconds` of this rank's own wall time.
        max_rss_bytes: maximum resident memory.
        inside: procedure that it was inside of when it ended without leaving it.
        inside_communicator: name of its communicator.
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
    user_seconds: float
    system_seconds: float
    max_rss_bytes: int
    threads: int
    own_cost_seconds: float
    inside: str | None
    inside_communicator: str | None
    calls: int
    bytes_sent: int
    bytes_received: int
    seconds: float
    percent_of_own_wall: float


def ranks(connection: sqlite3.Connection) -> list[Rank]:
    """Return every rank whose counters were read, most time in MPI first."""
    counts = {
        rank: numbers
        for rank, *numbers in connection.execute(
            "SELECT rank, SUM(calls), SUM(bytes_sent), SUM(bytes_received) FROM calls GROUP BY rank"
        )
    }
    rows = connection.execute(
        "SELECT r.rank, r.host, r.pid, r.state, r.abort_code, r.cpus_allowed, r.cpu_start, r.cpu_stop,"
        ' r.wall, r."user", r."system", r.max_rss, r.threads, r.own_cost, r.inside, communicators.name, r.mpi'
        " FROM ranks r LEFT JOIN communicators ON communicators.id = r.inside_communicator"
        " ORDER BY r.mpi DESC, r.rank"
    )
    return [
        Rank(*(rank, *facts, *counts.get(rank, (0, 0, 0)), mpi, percent(mpi, facts[7])))
        for rank, *facts, mpi in rows
    ]
