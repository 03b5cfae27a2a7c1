"""The nodes: their ranks, time in MPI, and traffic within and between nodes."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.calls.totals import THREAD_SECONDS
from rankwise.analysis.messages.locality import OWN_MESSAGES
from rankwise.analysis.percent import percent
from rankwise.records import dataclass


@dataclass(frozen=True)
class Node:
    """One host.

    Attributes:
        ranks: number of ranks on it.
        seconds: time in MPI without MPI_Init and MPI_Finalize, sum of its ranks.
        percent_of_mpi: `seconds` in percent of all ranks' time in MPI.
        percent_of_own_run: `seconds` in percent of its ranks' time between MPI_Init and MPI_Finalize, times
            their threads.
        bytes_on_node: of point-to-point and one-sided messages from its ranks to ranks on the same host.
        bytes_off_node: ... to ranks on other hosts.
        bytes_unplaced: ... to ranks with an unknown host.
    """

    host: str
    ranks: int
    seconds: float
    percent_of_mpi: float
    percent_of_own_run: float
    bytes_on_node: int
    bytes_off_node: int
    bytes_unplaced: int


def nodes(connection: sqlite3.Connection) -> list[Node]:
    """Return every node, most time in MPI first."""
    (mpi,) = connection.execute("SELECT TOTAL(mpi) FROM ranks").fetchone()
    sent = {
        host: volumes
        for host, *volumes in connection.execute(
            "SELECT host, SUM(bytes_on_node), SUM(bytes_off_node), SUM(bytes_unplaced)"
            f" FROM {OWN_MESSAGES} GROUP BY host"
        )
    }
    return [
        Node(host, ranks, seconds, percent(seconds, mpi), percent(seconds, run), *sent.get(host, (0, 0, 0)))
        for host, ranks, seconds, run in connection.execute(
            f"SELECT host, COUNT(*), SUM(mpi) AS time, SUM({THREAD_SECONDS}) FROM ranks GROUP BY host"
            " ORDER BY time DESC, host"
        )
    ]
