"""The ranks: where each ran, how it ended, and its time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rankwise.analysis.percent import percent
from rankwise.analysis.ranks import Rank, ranks
from rankwise.profile.victims import signal_name
from rankwise.report.empty import NO_RANKS
from rankwise.report.names import call_name
from rankwise.report.terminal.tables import TextColumn, label, number
from rankwise.report.terminal.view import Section
from rankwise.report.units import byte_text, count_text, percent_text, second_text

_RANK: TextColumn[Rank] = TextColumn("rank", lambda row: str(row.rank), right=True)


def sections(connection: sqlite3.Connection, verbose: bool, limit: int) -> list[Section]:  # noqa: ARG001
    """Return time of each rank; with `verbose` also its process."""
    rows = ranks(connection)
    times: list[TextColumn[Rank]] = [
        _RANK,
        label("host", lambda row: row.host),
        label("state", _state),
        number("wall", lambda row: row.wall_seconds, second_text),
        number("run", lambda row: row.run_seconds, second_text),
        number("in MPI", lambda row: row.seconds, second_text),
        TextColumn("% of run", lambda row: percent_text(row.percent_of_own_run), _rest_of_run, right=True),
        number("sent", lambda row: row.bytes_sent, byte_text),
        number("received", lambda row: row.bytes_received, byte_text),
    ]
    caption = (
        "run: between MPI_Init and MPI_Finalize. in MPI: during the run. % of run: of the rank's run, times"
        " its threads that call MPI. sent: bytes sent; for collectives, contributed; to"
        " files, written. received: point-to-point; from files, read."
    )
    found = [Section(times, rows, NO_RANKS, caption=caption)]
    if verbose and rows:
        found.append(Section(_PROCESS, rows, NO_RANKS, title="Their processes", caption=_PROCESS_CAPTION))
    return found


def data(connection: sqlite3.Connection) -> dict[str, object]:
    """Return every rank."""
    return {"ranks": ranks(connection)}


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


def _rest_of_run(rows: Sequence[Rank]) -> str:
    most = sum(row.run_seconds * max(row.threads, 1) for row in rows)
    return percent_text(percent(sum(row.seconds for row in rows), most))


def _cpu(row: Rank) -> str:
    start, stop = ("?" if cpu is None else str(cpu) for cpu in (row.cpu_start, row.cpu_stop))
    return start if start == stop else f"{start}, {stop}"


_PROCESS: list[TextColumn[Rank]] = [
    _RANK,
    TextColumn("pid", lambda row: str(row.pid), right=True),
    label("may use", lambda row: row.cpus_allowed or "?"),
    TextColumn("core", _cpu, right=True),
    number("user", lambda row: row.user_seconds, second_text),
    number("system", lambda row: row.system_seconds, second_text),
    number("memory", lambda row: row.max_rss_bytes, byte_text),
    number("threads", lambda row: row.threads, count_text),
    number("calls", lambda row: row.calls, count_text),
    number("own cost", lambda row: row.own_cost_seconds, second_text),
]
_PROCESS_CAPTION = (
    "may use: allowed processors. core: that it ran on at the start, and at the end if another."
    " memory: most resident. threads: that called MPI. own cost: of Rankwise."
)
