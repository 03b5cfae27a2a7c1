"""The ranks: where each ran, how it ended, and its time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from rankwise.analysis.calls.over_ranks import top_calls
from rankwise.analysis.calls.ranks import Rank, ranks
from rankwise.analysis.nodes.processors import shortages
from rankwise.analysis.percent import percent
from rankwise.profile.join.victims import signal_name
from rankwise.text.empty import NO_RANKS
from rankwise.text.names import call_name
from rankwise.text.processors import shortage_fields
from rankwise.text.units import ratio_text, second_text
from rankwise.views.view import (
    BYTES,
    COUNT,
    FIGURES,
    NUMBER,
    PERCENT,
    SECONDS,
    TEXT,
    Cell,
    Column,
    Detail,
    Line,
    Table,
    View,
    label,
    number,
)

_ENDED = "finalized"
_ALIKE = 1.05  # times the mean: no rank stands out below that
_RANK: Column[Rank] = Column("rank", lambda row: row.rank, NUMBER, "in MPI_COMM_WORLD", obvious=True)
_TIMES: list[Column[Rank]] = [
    _RANK,
    label("host", lambda row: row.host, "node on which it ran"),
    number(
        "wall",
        lambda row: row.wall_seconds,
        SECONDS,
        "from MPI_Init to its end",
        obvious=True,
        detail=Detail.VERBOSE,
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
    Column(
        "core", lambda row: _cpu(row), FIGURES, "on which it ran at the start, and at the end if different"
    ),
    number("user", lambda row: row.user_seconds, SECONDS, "processor time of the program", obvious=True),
    number("system", lambda row: row.system_seconds, SECONDS, "processor time of the kernel", obvious=True),
    number("memory", lambda row: row.max_rss_bytes, BYTES, "most resident"),
    number("threads", lambda row: row.threads, COUNT, "that called MPI"),
    number("calls", lambda row: row.calls, COUNT, "of MPI, without MPI_Init and MPI_Finalize"),
    number("own cost", lambda row: row.overhead_seconds, SECONDS, "of Rankwise"),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:
    """Return the time of each rank, in verbose answers also its process."""
    rows = ranks(connection)
    top = top_calls(connection)
    call: Column[Rank] = label(
        "top call", lambda row: call_name(top.get(row.rank, "-")), "procedure with the most time"
    )
    ended = all(row.state == _ENDED for row in rows)
    state: Column[Rank] = Column(
        "state",
        state_text,
        replace(TEXT, whole=True),
        "how it ended, and inside which call",
        obvious=True,
        detail=Detail.VERBOSE if ended else Detail.ALL,
    )
    columns = [*_TIMES[:2], state, *_TIMES[2:], call]
    tables = [Table(columns, rows, NO_RANKS, sums=_sums(columns, rows))]
    if Detail.VERBOSE in detail and rows:
        lacking = shortages(connection, rows=rows)
        title, sums = "; ".join(["Their processes", *shortage_fields(lacking)]), _sums(_PROCESS, rows)
        tables.append(Table(_PROCESS, rows, NO_RANKS, title=title, sums=sums, detail=Detail.VERBOSE))
    return View(rank_title(rows), tables, {"ranks": rows, "top_calls": top})


def rank_title(rows: Sequence[Rank]) -> str:
    """Return how the time in MPI is spread, those with the most first; '' = no rank spends any."""
    if not rows or not rows[0].seconds:
        return ""
    most, mean = rows[0], sum(row.seconds for row in rows) / len(rows)
    if len(rows) > 1 and most.seconds < _ALIKE * mean:
        ratio = ratio_text(most.seconds / mean)
        return f"The time in MPI is balanced: {second_text(mean)} a rank, at most {ratio} times the mean"
    times = f", {ratio_text(most.seconds / mean)} times the mean" if len(rows) > 1 else ""
    return f"Rank {most.rank} ({most.host}) spends the most time in MPI: {second_text(most.seconds)}{times}"


def _sums(columns: Sequence[Column[Rank]], rows: Sequence[Rank]) -> list[Line]:
    """Return the means over the ranks, and the ratio of the largest value to them."""
    means: dict[str, Cell] = {columns[0].name: Cell("mean")}
    ratios: dict[str, Cell] = {columns[0].name: Cell("max/mean")}
    for column in columns:
        values = [value for value in map(column.value, rows) if isinstance(value, int | float)]
        if column.total is None or len(values) < 2:
            continue
        if column.format is PERCENT:
            means[column.name] = column.total_cell(rows)
            continue
        mean = sum(values) / len(values)
        means[column.name] = Cell(column.format.text(mean), mean)
        if mean:
            ratios[column.name] = Cell(ratio_text(max(values) / mean), max(values) / mean)
    return [means, ratios]


def state_text(row: Rank) -> str:
    """Return how a rank ended, and inside of what."""
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
