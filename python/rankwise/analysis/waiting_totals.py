"""Waiting in collectives in short, as the summary tells it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankwise.analysis.percent import percent

if TYPE_CHECKING:
    from rankwise.analysis.waiting import Estimate, Waiting


@dataclass(frozen=True)
class WaitingTotals:
    """Waiting and transfer in blocking collectives, in short.

    Attributes:
        waiting: for ranks that came late, over the ranks.
        transfer_seconds: the rest of the time in these calls, as far as it is known who waited.
        percent_waiting_of_mpi: `waiting` in percent of all ranks' time in MPI.
        percent_transfer_of_mpi: `transfer_seconds` likewise.
        rank: that is most to blame; None = nobody waited.
        host: that it ran on.
        percent_for_rank: of the waiting.
    """

    waiting: Estimate
    transfer_seconds: float
    percent_waiting_of_mpi: float
    percent_transfer_of_mpi: float
    rank: int | None
    host: str
    percent_for_rank: float


def waiting_totals(connection: sqlite3.Connection, found: Waiting | None) -> WaitingTotals | None:
    """Return the sums of what `waiting` has found; None if no arrivals are known."""
    if found is None:
        return None
    (mpi,) = connection.execute("SELECT TOTAL(mpi) FROM ranks").fetchone()
    most = found.ranks[0] if found.ranks and found.ranks[0].blamed_seconds else None
    return WaitingTotals(
        found.waiting,
        found.transfer_seconds,
        percent(found.waiting.seconds, mpi),
        percent(found.transfer_seconds, mpi),
        most.rank if most else None,
        most.host if most else "",
        percent(most.blamed_seconds, found.waiting.seconds) if most else 0.0,
    )
