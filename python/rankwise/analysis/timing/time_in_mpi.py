"""The parts of the time in MPI, as far as known: waiting for others, moving data, files."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING

from rankwise.analysis.calls.totals import totals_by
from rankwise.analysis.hangs.model import Hang
from rankwise.analysis.percent import percent
from rankwise.analysis.selection import is_part
from rankwise.analysis.waiting.message_sample import WAITING as WAITING_FOR_MESSAGES
from rankwise.analysis.waiting.messages import MessageWaits
from rankwise.analysis.waiting.procedures import ON_FILES
from rankwise.records import dataclass

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting

FILES = "input-output"
"""Class of the procedures of MPI-IO."""

_MUCH = 10.0  # percent of the time in MPI

_POSTING = ("point-to-point", "one-sided", "starting")
_POSTING_COLLECTIVES = ("collective", "neighbourhood")


@dataclass(frozen=True)
class TimeInMpi:
    """The time in MPI, summed over all ranks and their threads, and its parts, which add up to it.

    Attributes:
        seconds: time in MPI, without MPI_Init and MPI_Finalize.
        waiting_seconds: for late ranks, in blocking collectives and for messages; an estimate unless the
            sample has all calls.
        moving_seconds: in which no required rank was late: time of the library and the network.
        files_seconds: in MPI-IO, without waiting.
        unknown_seconds: the rest: in calls whose waiting is unknown.
        error_seconds: error of the waiting, by sampling (95 %) and by the clocks of the nodes.
        posting_seconds: part of `moving_seconds`, in calls that only start an operation.
        hang_seconds: part of `waiting_seconds`, in calls that never returned, if it is known which ranks
            they waited for when the run ended; exact.
    """

    seconds: float
    waiting_seconds: float
    moving_seconds: float
    files_seconds: float
    unknown_seconds: float
    error_seconds: float
    posting_seconds: float
    hang_seconds: float = 0.0

    @property
    def is_estimate(self) -> bool:
        """Whether waiting and moving are distinguished by a sample."""
        return self.error_seconds > 0

    @property
    def percent_unknown(self) -> float:
        """`unknown_seconds` in percent of `seconds`."""
        return percent(self.unknown_seconds, self.seconds)

    @property
    def is_much_unknown(self) -> bool:
        """Whether so much is unknown that screens say so first."""
        return self.percent_unknown >= _MUCH

    @property
    def is_mostly_unknown(self) -> bool:
        """Whether more time is unknown than known to be waiting, so that the latest ranks are unknown.

        The waits of a hang are excluded: they do not show which ranks were late before.
        """
        before = self.before_hang
        return before.is_much_unknown and before.unknown_seconds > before.waiting_seconds

    @property
    def before_hang(self) -> TimeInMpi:
        """The same, with the time in calls that never returned as unknown."""
        if not self.hang_seconds:
            return self
        return replace(
            self,
            waiting_seconds=self.waiting_seconds - self.hang_seconds,
            unknown_seconds=self.unknown_seconds + self.hang_seconds,
            hang_seconds=0.0,
        )


def time_in_mpi(
    connection: sqlite3.Connection,
    waiting: Waiting | None,
    messages: MessageWaits,
    hang: Hang | None = None,
) -> TimeInMpi:
    """Return the parts of the time in MPI.

    Args:
        connection: the profile.
        waiting: in its collectives; None = no arrivals are known.
        messages: waits for its messages.
        hang: why the run hung when it ended; None = it did not.
    """
    in_mpi, posting, files = 0.0, 0.0, 0.0
    calls = totals_by(
        connection,
        "procedures.name, procedures.class",
        "JOIN procedures ON procedures.id = calls.procedure",
        sums="calls" if is_part(connection) else "family_sums",
    )
    for (name, kind), totals in calls:
        in_mpi += totals.seconds
        posts = kind in _POSTING and name not in WAITING_FOR_MESSAGES
        if posts or (kind in _POSTING_COLLECTIVES and _starts(name)):
            posting += totals.seconds
        if kind == FILES:
            files += totals.seconds
    certain = sum(row.certain_seconds for row in messages.waiting)
    on_files = [family for family in waiting.families if family.procedure in ON_FILES] if waiting else []
    files -= sum(family.waiting.seconds for family in on_files)
    accesses = sum(family.transfer_seconds for family in on_files)
    known = min((waiting.seconds if waiting else 0.0) - accesses + certain + posting, in_mpi)
    late = messages.late_sender_seconds + messages.late_receiver_seconds
    waited = min((waiting.waiting.seconds if waiting else 0.0) + late, known)
    files = min(max(files, 0.0), in_mpi - known)
    # (The sample has no call that never returned.)
    hung = min(hang.lost_seconds, in_mpi - known - files) if hang else 0.0
    return TimeInMpi(
        in_mpi,
        waited + hung,
        known - waited,
        files,
        in_mpi - known - files - hung,
        (waiting.waiting.error_seconds if waiting else 0.0) + messages.error_seconds,
        min(posting, known - waited),
        hung,
    )


def _starts(procedure: str) -> bool:
    """Return whether a procedure only starts a collective, such as `MPI_Ibcast` or `MPI_Bcast_init`."""
    return procedure.startswith("MPI_I") or procedure.endswith("_init")
