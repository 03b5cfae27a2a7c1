"""The ranks: where each ran, how it ended, and its time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rankwise.analysis.percent import percent
from rankwise.analysis.ranks import Rank, ranks
from rankwise.profile.victims import signal_name
from rankwise.report.empty import NO_RANKS
from rankwise.report.names import call_name
from rankwise.report.units import second_text
from rankwise.report.view import (
    BYTES,
    COUNT,
    FIGURES,
    NUMBER,
    PERCENT,
    SECONDS,
    TEXT,
    Column,
    Detail,
    Table,
    View,
    label,
    number,
)

_RANK: Column[Rank] = Column("rank", lambda row: row.rank, NUMBER, "in MPI_COMM_WORLD", obvious=True)
_TIMES: list[Column[Rank]] = [
    _RANK,
    label("host", lambda row: row.host, "node that it ran on"),
    label("state", lambda row: _state(row), "how it ended, and inside of what", kind=TEXT),
    number(
        "wall",
        lambda row: row.wall_seconds,
        SECONDS,
        "from MPI_Init to the end of MPI_Finalize",
        obvious=True,
    ),
    number("run", lambda row: row.run_seconds, SECONDS, "between MPI_Init and MPI_Finalize"),
    number("in MPI", lambda row: row.seconds, SECONDS, "during the run"),
    Column(
        "% of run",
        lambda row: row.percent_of_own_run,
        PERCENT,
        "of the rank's run, times its threads that call MPI",
        total=lambda rows: _of_their_run(rows),
    ),
    number(
        "sent",
        lambda row: row.bytes_sent,
        BYTES,
        "bytes sent; for collectives, contributed; to files, written",
    ),
    number("received", lambda row: row.bytes_received, BYTES, "point-to-point; from files, read"),
]
_PROCESS: list[Column[Rank]] = [
    _RANK,
    Column("pid", lambda row: row.pid, NUMBER, "process id", obvious=True),
    Column("may use", lambda row: row.cpus_allowed or "?", TEXT, "allowed processors"),
    Column("core", lambda row: _cpu(row), FIGURES, "that it ran on at the start, and at the end if another"),
    number("user", lambda row: row.user_seconds, SECONDS, "processor time of the program", obvious=True),
    number("system", lambda row: row.system_seconds, SECONDS, "processor time of the kernel", obvious=True),
    number("memory", lambda row: row.max_rss_bytes, BYTES, "most resident"),
    number("threads", lambda row: row.threads, COUNT, "that called MPI"),
    number("calls", lambda row: row.calls, COUNT, "number of MPI calls", obvious=True),
    number("own cost", lambda row: row.own_cost_seconds, SECONDS, "of Rankwise"),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:
    """Return the time of each rank, in verbose answers also its process."""
    rows = ranks(connection)
    tables = [Table(_TIMES, rows, NO_RANKS)]
    if Detail.VERBOSE in detail and rows:
        tables.append(Table(_PROCESS, rows, NO_RANKS, title="Their processes", detail=Detail.VERBOSE))
    return View(_title(rows[0]) if rows else "", tables, {"ranks": rows})


def _title(most: Rank) -> str:
    share = f"{second_text(most.seconds)} of {second_text(most.run_seconds)}"
    return f"Rank {most.rank} ({most.host}) spends the most time in MPI: {share}"


def _state(row: Rank) -> str:
    state = row.state if row.abort_code is None else f"{row.state} with {row.abort_code}"
    if row.inside is not None:
        on = f" on {row.inside_communicator}" if row.inside_communicator else ""
        state += f", inside {call_name(row.inside)}{on}"
    if row.inside_since is not None and row.inside_seconds is not None:
        state += f" since {row.inside_since[11:19]}, {second_text(row.inside_seconds)}"
    if row.signal is not None:
        return f"{state}, killed by {signal_name(row.signal)}"
    return f"{state}, exit status {row.exit_code}" if row.exit_code is not None else state


def _of_their_run(rows: Sequence[Rank]) -> float:
    most = sum(row.run_seconds * max(row.threads, 1) for row in rows)
    return percent(sum(row.seconds for row in rows), most)


def _cpu(row: Rank) -> str:
    start, stop = ("?" if cpu is None else str(cpu) for cpu in (row.cpu_start, row.cpu_stop))
    return start if start == stop else f"{start}, {stop}"
