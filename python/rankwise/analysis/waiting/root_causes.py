"""Root causes of waiting, in collectives and for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.analysis.waiting.messages import MessageWaits
from rankwise.records import dataclass

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting


@dataclass(frozen=True)
class RootCause:
    """The waiting that a rank caused, after indirect waiting was passed on.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: its host; None = unknown.
        in_collectives_seconds: waiting in blocking collectives, for all reasons of its lateness.
        for_messages_seconds: waiting for messages and receives with this rank as root cause.
        left_late_seconds: the part of `in_collectives_seconds` because it left the previous collective late:
            this depends on that collective's algorithm, and the rank could not have arrived earlier.
    """

    rank: int
    host: str | None
    in_collectives_seconds: float
    for_messages_seconds: float
    left_late_seconds: float

    @property
    def seconds(self) -> float:
        """Waiting in collectives and for messages; the sum over all ranks is all waiting."""
        return self.in_collectives_seconds + self.for_messages_seconds

    @property
    def late_seconds(self) -> float:
        """Waiting that the rank could have avoided by arriving on time; screens show this for late ranks."""
        return self.seconds - self.left_late_seconds


def root_causes(waited: Waiting | None, messages: MessageWaits) -> list[RootCause]:
    """Return the ranks that waited or caused waiting, most caused first.

    Args:
        waited: in blocking collectives; None = unknown.
        messages: waits for messages.
    """
    collectives = {row.rank: row for row in waited.ranks} if waited else {}
    origins = {origin.rank: origin for origin in messages.origins}
    rows = []
    for rank in sorted({*collectives, *origins}):
        in_collectives, origin = collectives.get(rank), origins.get(rank)
        caused = in_collectives.root_cause_seconds if in_collectives else 0.0
        rows.append(
            RootCause(
                rank,
                (in_collectives or origins[rank]).host,
                caused,
                origin.origin_seconds if origin else 0.0,
                min(in_collectives.late_start_seconds, caused) if in_collectives else 0.0,
            )
        )
    return sorted(rows, key=lambda row: -row.seconds)
