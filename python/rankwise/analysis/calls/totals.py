"""Sums over calls: number, bytes and seconds of any group of calls, with their shares of the whole run.

MPI_Init and MPI_Finalize (the class "environment") are separate: in a short run they would dominate, so no
sum or share of the other calls includes them.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from rankwise.analysis.percent import percent
from rankwise.records import dataclass

JOIN_COMMUNICATORS = "JOIN communicators ON communicators.id = calls.communicator"
JOIN_PROCEDURES = "JOIN procedures ON procedures.id = calls.procedure"

RUN_SECONDS = "ranks.run"
"""SQL: seconds of a rank between MPI_Init and MPI_Finalize."""

THREAD_SECONDS = f"{RUN_SECONDS} * MAX(ranks.threads, 1)"
"""SQL: the same for all threads of a rank that call MPI, an upper bound of the sum of their times in MPI."""

_OPEN_OR_CLOSE = "(SELECT id FROM procedures WHERE class = 'environment')"

BETWEEN = f"calls.procedure NOT IN {_OPEN_OR_CLOSE}"
"""SQL: a call between MPI_Init and MPI_Finalize."""


@dataclass(frozen=True)
class Totals:
    """Sums over calls.

    Attributes:
        calls: number of calls.
        bytes_sent: point-to-point, one-sided: actually sent; collectives: contributed by the processes.
        bytes_received: point-to-point, one-sided: actually received; collectives: 0.
        seconds: time in the calls, summed over all ranks.
        percent_of_mpi: `seconds` in percent of all ranks' time in MPI, without MPI_Init and MPI_Finalize; 0
            for these two.
        percent_of_run: `seconds` in percent of all ranks' time between MPI_Init and MPI_Finalize, times their
            threads that call MPI; 0 for these two.
        unfinished: number of calls that never returned: `calls` excludes them, `seconds` includes them up to
            the end of their ranks.
    """

    calls: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    seconds: float = 0.0
    percent_of_mpi: float = 0.0
    percent_of_run: float = 0.0
    unfinished: int = 0

    @property
    def order(self) -> float:
        """The sort key for most time first."""
        return -self.seconds

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.calls + other.calls,
            self.bytes_sent + other.bytes_sent,
            self.bytes_received + other.bytes_received,
            self.seconds + other.seconds,
            self.percent_of_mpi + other.percent_of_mpi,
            self.percent_of_run + other.percent_of_run,
            self.unfinished + other.unfinished,
        )


def totals_by(
    connection: sqlite3.Connection, keys: str, joins: str = "", *, sums: str = "calls", group: str = ""
) -> list[tuple[tuple[Any, ...], Totals]]:
    """Return the calls between MPI_Init and MPI_Finalize grouped by the SQL columns `keys`.

    Args:
        connection: the profile.
        keys: names of columns.
        joins: SQL that joins the tables of these columns.
        sums: the table with the alias `calls` in `keys` and `joins`: `calls` itself, or a table of its sums
            that has these columns.
        group: the keys that determine the others; '' = all. Grouping by the key of a table avoids a sort.

    Returns:
        (values of the keys, sums) of each group, most time first.
    """
    (run,) = connection.execute(f"SELECT TOTAL({THREAD_SECONDS}) FROM ranks").fetchone()
    return _groups(connection, sums, keys, f"{joins} WHERE {BETWEEN}", group, run)


def opening_and_closing_by(
    connection: sqlite3.Connection, keys: str, joins: str = "", *, sums: str = "calls"
) -> list[tuple[tuple[Any, ...], Totals]]:
    """Return the same for MPI_Init, MPI_Finalize and similar calls; they have no shares."""
    return _groups(connection, sums, keys, f"{joins} WHERE calls.procedure IN {_OPEN_OR_CLOSE}")


def opening_and_closing(connection: sqlite3.Connection) -> Totals:
    """Return the sums of all calls of MPI_Init, MPI_Finalize and similar calls."""
    groups = opening_and_closing_by(connection, "calls.procedure", sums="family_sums")
    return sum((totals for _, totals in groups), Totals())


def _groups(
    connection: sqlite3.Connection,
    sums: str,
    keys: str,
    clauses: str,
    group: str = "",
    run: float | None = None,
) -> list[tuple[tuple[Any, ...], Totals]]:
    """Return the sums of each group; with shares if `run`, the thread seconds of all ranks, is given."""
    rows = connection.execute(
        f"SELECT SUM(calls.calls), SUM(bytes_sent), SUM(bytes_received), SUM(seconds) AS time,"
        f" SUM(unfinished), {keys}"
        f" FROM {sums} AS calls {clauses} GROUP BY {group or keys}"
        f" ORDER BY time DESC, SUM(calls.calls) DESC, {keys}"
    ).fetchall()
    mpi = 0.0 if run is None else sum(time for _, _, _, time, *_ in rows)
    return [
        (
            tuple(key),
            Totals(calls, sent, received, time, percent(time, mpi), percent(time, run or 0.0), unfinished),
        )
        for calls, sent, received, time, unfinished, *key in rows
    ]
