"""Calls, bytes and seconds of any selection of calls, with their shares of the whole run.

MPI_Init and MPI_Finalize (the class "environment") do not count as time in MPI: in a short run they would
drown everything else.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from rankwise.analysis.percent import percent

JOIN_COMMUNICATORS = "JOIN communicators ON communicators.id = calls.communicator"
JOIN_PROCEDURES = "JOIN procedures ON procedures.id = calls.procedure"

_SECONDS_IN_MPI = (
    "CASE WHEN calls.procedure IN (SELECT id FROM procedures WHERE class = 'environment')"
    " THEN 0.0 ELSE calls.seconds END"
)


@dataclass(frozen=True)
class Counted:
    """Sums over calls.

    Attributes:
        calls: number of calls.
        bytes_sent: point-to-point, one-sided: really sent; collectives: what the processes contributed.
        bytes_received: point-to-point, one-sided: really received; collectives: 0.
        seconds: time in the calls, summed over the ranks.
        percent_of_mpi: `seconds`, without those in MPI_Init and MPI_Finalize, in percent of all ranks' time
            in MPI, which those two are no part of either.
        percent_of_wall: `seconds` in percent of the sum of all ranks' wall time.
    """

    calls: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    seconds: float = 0.0
    percent_of_mpi: float = 0.0
    percent_of_wall: float = 0.0

    @property
    def order(self) -> tuple[float, float]:
        """Return the key that sorts by time in MPI, then by all time, most first: Init and Finalize last."""
        return -self.percent_of_mpi, -self.seconds

    def __add__(self, other: Counted) -> Counted:
        return Counted(
            self.calls + other.calls,
            self.bytes_sent + other.bytes_sent,
            self.bytes_received + other.bytes_received,
            self.seconds + other.seconds,
            self.percent_of_mpi + other.percent_of_mpi,
            self.percent_of_wall + other.percent_of_wall,
        )


def counted_by(
    connection: sqlite3.Connection, keys: str, joins: str = ""
) -> list[tuple[tuple[Any, ...], Counted]]:
    """Return the calls grouped by the SQL columns `keys`: (values of the keys, sums), most time in MPI first.

    Groups without time in MPI come last: MPI_Init and MPI_Finalize, most time first.
    """
    mpi, wall = connection.execute("SELECT TOTAL(mpi), TOTAL(wall) FROM ranks").fetchone()
    groups = connection.execute(
        f"SELECT SUM(calls.calls), SUM(bytes_sent), SUM(bytes_received), SUM(seconds) AS time,"
        f" SUM({_SECONDS_IN_MPI}) AS mpi_time, {keys}"
        f" FROM calls {joins} GROUP BY {keys}"
        f" ORDER BY mpi_time DESC, time DESC, SUM(calls.calls) DESC, {keys}"
    )
    return [
        (tuple(key), Counted(calls, sent, received, time, percent(mpi_time, mpi), percent(time, wall)))
        for calls, sent, received, time, mpi_time, *key in groups
    ]
