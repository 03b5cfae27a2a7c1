"""Totals of waiting in collectives and for messages, for the summary."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from rankwise.analysis.percent import percent
from rankwise.analysis.waiting.estimate import Estimate
from rankwise.analysis.waiting.late import LateGroup
from rankwise.analysis.waiting.messages import MessageWaits
from rankwise.records import dataclass

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting

_MOST = 50.0
"""Percent of the waiting: with less, the late ranks are not named."""


@dataclass(frozen=True)
class WaitingTotals:
    """Totals of waiting and transfer in blocking collectives.

    Attributes:
        waiting: for late ranks, summed over all ranks.
        transfer_seconds: the rest of the time in these calls, as far as the waiting is known.
        percent_waiting_of_mpi: `waiting` in percent of all ranks' time in MPI.
        percent_transfer_of_mpi: `transfer_seconds` in percent of all ranks' time in MPI.
        late: ranks that caused most of the waiting; None = none stand out.
        percent_for_late: share of the waiting caused by the late group of the run.
        percent_not_known_of_mpi: time in such calls without known arrivals of all ranks, in percent of all
            ranks' time in MPI.
    """

    waiting: Estimate
    transfer_seconds: float
    percent_waiting_of_mpi: float
    percent_transfer_of_mpi: float
    late: LateGroup | None
    percent_for_late: float
    percent_not_known_of_mpi: float

    @property
    def seconds(self) -> float:
        """Waiting."""
        return self.waiting.seconds


@dataclass(frozen=True)
class MessageTotals:
    """Totals of waiting for messages.

    Attributes:
        waiting_seconds: for late senders and receivers, summed over all ranks, as far as known.
        percent_waiting_of_mpi: the same in percent of all ranks' time in MPI.
        late: ranks that are the root causes of most of the waiting; None = none stand out.
        percent_for_late: share of the waiting caused by the late group of the run.
        percent_not_known_of_mpi: time in receives, waits and blocking sends with unknown waiting, in percent
            of all ranks' time in MPI.
        error_seconds: error of the waiting, by sampling (95 %) and by the clocks of the nodes.
        late_sender_seconds: the part of the waiting for late senders.
        late_receiver_seconds: the part of the waiting for late receivers.
    """

    waiting_seconds: float
    percent_waiting_of_mpi: float
    late: LateGroup | None
    percent_for_late: float
    percent_not_known_of_mpi: float
    error_seconds: float
    late_sender_seconds: float
    late_receiver_seconds: float

    @property
    def seconds(self) -> float:
        """Waiting."""
        return self.waiting_seconds


def waiting_totals(
    connection: sqlite3.Connection, waits: Waiting | None, late: LateGroup | None
) -> WaitingTotals | None:
    """Return the totals of the result of `waiting`; None if no arrivals are known."""
    if waits is None:
        return None
    mpi = _seconds_in_mpi(connection)
    share = percent(late.in_collectives_seconds, waits.waiting.seconds) if late else 0.0
    return WaitingTotals(
        waits.waiting,
        waits.transfer_seconds,
        percent(waits.waiting.seconds, mpi),
        percent(waits.transfer_seconds, mpi),
        late if share >= _MOST else None,
        share,
        percent(waits.not_known_seconds, mpi),
    )


def message_totals(
    connection: sqlite3.Connection, waits: MessageWaits, late: LateGroup | None
) -> MessageTotals | None:
    """Return the totals of the result of `message_waits`; None if it has no waits."""
    if not waits.waiting:
        return None
    seconds = waits.late_sender_seconds + waits.late_receiver_seconds
    not_known = (1 - waits.percent_certain / 100) * waits.seconds
    share = percent(late.for_messages_seconds, seconds) if late else 0.0
    return MessageTotals(
        seconds,
        percent(seconds, _seconds_in_mpi(connection)),
        late if share >= _MOST else None,
        share,
        percent(not_known, _seconds_in_mpi(connection)),
        waits.error_seconds,
        waits.late_sender_seconds,
        waits.late_receiver_seconds,
    )


def _seconds_in_mpi(connection: sqlite3.Connection) -> float:
    (seconds,) = connection.execute("SELECT TOTAL(mpi) FROM ranks").fetchone()
    return float(seconds)
