"""Waiting in collectives and for messages in one account: in short, as the summary tells it, and by rank."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from rankwise.analysis.percent import percent
from rankwise.analysis.waiting.messages import MessageWaits
from rankwise.records import dataclass

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Estimate, Waiting


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
        percent_not_known_of_mpi: in such calls of which not all ranks' arrivals are known.
    """

    waiting: Estimate
    transfer_seconds: float
    percent_waiting_of_mpi: float
    percent_transfer_of_mpi: float
    rank: int | None
    host: str
    percent_for_rank: float
    percent_not_known_of_mpi: float


@dataclass(frozen=True)
class MessageTotals:
    """Waiting for messages, in short.

    Attributes:
        waiting_seconds: for late senders and receivers, over the ranks, as far as it is certain.
        percent_waiting_of_mpi: the same in percent of all ranks' time in MPI.
        rank: that most of it began with; None = nobody waited.
        host: that it ran on.
        percent_for_rank: of the waiting.
        percent_not_known_of_mpi: in receives, waits and blocking sends of which it is not known what they
            waited for.
    """

    waiting_seconds: float
    percent_waiting_of_mpi: float
    rank: int | None
    host: str
    percent_for_rank: float
    percent_not_known_of_mpi: float


def waiting_totals(connection: sqlite3.Connection, found: Waiting | None) -> WaitingTotals | None:
    """Return the sums of what `waiting` has found; None if no arrivals are known."""
    if found is None:
        return None
    mpi = _seconds_in_mpi(connection)
    most = found.ranks[0] if found.ranks and found.ranks[0].blamed_seconds else None
    return WaitingTotals(
        found.waiting,
        found.transfer_seconds,
        percent(found.waiting.seconds, mpi),
        percent(found.transfer_seconds, mpi),
        most.rank if most else None,
        most.host if most else "",
        percent(most.blamed_seconds, found.waiting.seconds) if most else 0.0,
        percent(found.not_known_seconds, mpi),
    )


def message_totals(connection: sqlite3.Connection, found: MessageWaits) -> MessageTotals | None:
    """Return the sums of what `message_waits` has found; None if nothing is known."""
    if not found.waiting:
        return None
    seconds = found.late_sender_seconds + found.late_receiver_seconds
    not_known = (1 - found.percent_certain / 100) * found.seconds
    most = found.origins[0] if found.origins and found.origins[0].origin_seconds else None
    return MessageTotals(
        seconds,
        percent(seconds, _seconds_in_mpi(connection)),
        most.rank if most else None,
        (most.host or "") if most else "",
        percent(most.origin_seconds, seconds) if most else 0.0,
        percent(not_known, _seconds_in_mpi(connection)),
    )


@dataclass(frozen=True)
class Blamed:
    """A rank that others waited for, when the blame has been passed on.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: that it ran on; None = not known.
        in_collectives_seconds: that they waited in blocking collectives, for whatever reason it was late.
        for_messages_seconds: that they waited for messages and receives, and that began with it.
    """

    rank: int
    host: str | None
    in_collectives_seconds: float
    for_messages_seconds: float

    @property
    def seconds(self) -> float:
        """Both: over the ranks they are all waiting."""
        return self.in_collectives_seconds + self.for_messages_seconds


def blamed_ranks(waited: Waiting | None, messages: MessageWaits) -> list[Blamed]:
    """Return the ranks that waited or were waited for, those with the most waiting first.

    Args:
        waited: in blocking collectives; None = nothing is known of them.
        messages: waits for messages.
    """
    collectives = {one.rank: one for one in waited.ranks} if waited else {}
    origins = {one.rank: one for one in messages.origins}
    found = [
        Blamed(
            rank,
            (collectives.get(rank) or origins[rank]).host,
            collectives[rank].blamed_seconds if rank in collectives else 0.0,
            origins[rank].origin_seconds if rank in origins else 0.0,
        )
        for rank in sorted({*collectives, *origins})
    ]
    return sorted(found, key=lambda one: -one.seconds)


def _seconds_in_mpi(connection: sqlite3.Connection) -> float:
    (seconds,) = connection.execute("SELECT TOTAL(mpi) FROM ranks").fetchone()
    return float(seconds)
