"""Sums over calls: calls, bytes and seconds of any selection of them, with their shares of the whole run.

MPI_Init and MPI_Finalize (the class "environment") stand apart: in a short run they would drown everything
else, so they are in no sum and in no share of the other calls.
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
"""SQL: those of all threads of a rank that call MPI: their times in MPI are added up, and can't be more."""

_OPEN_OR_CLOSE = "(SELECT id FROM procedures WHERE class = 'environment')"

BETWEEN = f"calls.procedure NOT IN {_OPEN_OR_CLOSE}"
"""SQL: a call between MPI_Init and MPI_Finalize."""


@dataclass(frozen=True)
class Totals:
    """Sums over calls.

    Attributes:
        calls: number of calls.
        bytes_sent: point-to-point, one-sided: really sent; collectives: what the processes contributed.
        bytes_received: point-to-point, one-sided: really received; collectives: 0.
        seconds: time in the calls, summed over the ranks.
        percent_of_mpi: `seconds` in percent of all ranks' time in MPI, which MPI_Init and MPI_Finalize are no
            part of; 0 for those two.
        percent_of_run: `seconds` in percent of all ranks' time between MPI_Init and MPI_Finalize, times their
            threads that call MPI; 0 for those two.
        unfinished: calls that never returned: not in `calls`, and in `seconds` up to the end of their ranks.
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
        """Return the key that sorts by time, most first."""
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
        joins: SQL, of tables that have them.
        sums: the table that is called `calls` in both: itself, or one with sums of it that are fine enough.
        group: those of the keys that the others follow from; '' = all. By the key of a table there is nothing
            to sort.

    Returns:
        (values of the keys, sums) of each group, most time first.
    """
    (run,) = connection.execute(f"SELECT TOTAL({THREAD_SECONDS}) FROM ranks").fetchone()
    return _groups(connection, sums, keys, f"{joins} WHERE {BETWEEN}", group, run)


def opening_and_closing_by(
    connection: sqlite3.Connection, keys: str, joins: str = "", *, sums: str = "calls"
) -> list[tuple[tuple[Any, ...], Totals]]:
    """Return the calls of MPI_Init, MPI_Finalize and their kin, likewise; they have no shares."""
    return _groups(connection, sums, keys, f"{joins} WHERE calls.procedure IN {_OPEN_OR_CLOSE}")


def opening_and_closing(connection: sqlite3.Connection) -> Totals:
    """Return all calls of MPI_Init, MPI_Finalize and their kin."""
    groups = opening_and_closing_by(connection, "calls.procedure", sums="family_sums")
    return sum((totals for _, totals in groups), Totals())


def _groups(
    connection: sqlite3.Connection,
    sums: str,
    keys: str,
    rest: str,
    group: str = "",
    run: float | None = None,
) -> list[tuple[tuple[Any, ...], Totals]]:
    """Return the sums of each group, with their shares if it is known how long the run took all ranks."""
    rows = connection.execute(
        f"SELECT SUM(calls.calls), SUM(bytes_sent), SUM(bytes_received), SUM(seconds) AS time,"
        f" SUM(unfinished), {keys}"
        f" FROM {sums} AS calls {rest} GROUP BY {group or keys}"
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
