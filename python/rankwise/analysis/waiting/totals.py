"""Waiting in collectives and for messages in one account: in short, as the summary tells it, and by rank."""

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
"""Percent of the waiting: with less, those who are late are not named beside it."""


@dataclass(frozen=True)
class WaitingTotals:
    """Waiting and transfer in blocking collectives, in short.

    Attributes:
        waiting: for ranks that came late, over the ranks.
        transfer_seconds: the rest of the time in these calls, as far as it is known who waited.
        percent_waiting_of_mpi: `waiting` in percent of all ranks' time in MPI.
        percent_transfer_of_mpi: `transfer_seconds` likewise.
        late: for whom most of that was; None = nobody stands out.
        percent_for_late: of the waiting.
        percent_not_known_of_mpi: in such calls of which not all ranks' arrivals are known.
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
    """Waiting for messages, in short.

    Attributes:
        waiting_seconds: for late senders and receivers, over the ranks, as far as it is certain.
        percent_waiting_of_mpi: the same in percent of all ranks' time in MPI.
        late: with whom most of that began; None = nobody stands out.
        percent_for_late: of the waiting.
        percent_not_known_of_mpi: in receives, waits and blocking sends of which it is not known what they
            waited for.
        error_seconds: by which the waiting may be off, by the sampling (95 %) and the clocks of the nodes.
        late_sender_seconds: of the waiting.
        late_receiver_seconds: the rest of it.
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
    """Return the sums of what `waiting` has found; None if no arrivals are known."""
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
    """Return the sums of what `message_waits` has found; None if nothing is known."""
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
