"""Root causes of waiting, in collectives and for messages: the ranks that others waited for in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.analysis.waiting.messages import MessageWaits
from rankwise.records import dataclass

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting


@dataclass(frozen=True)
class RootCause:
    """A rank that others waited for, after indirect waiting was passed on.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: that it ran on; None = not known.
        in_collectives_seconds: that they waited in blocking collectives, for whatever reason it was late.
        for_messages_seconds: that they waited for messages and receives, and that began with it.
        left_late_seconds: of `in_collectives_seconds`, because it had left the collective before late: that
            is a matter of how this one is carried out, and the rank could not have come earlier.
    """

    rank: int
    host: str | None
    in_collectives_seconds: float
    for_messages_seconds: float
    left_late_seconds: float

    @property
    def seconds(self) -> float:
        """In collectives and for messages: over the ranks they are all waiting."""
        return self.in_collectives_seconds + self.for_messages_seconds

    @property
    def late_seconds(self) -> float:
        """What the rank could have saved by coming in time: where ranks are named as late, it is this."""
        return self.seconds - self.left_late_seconds


def root_causes(waited: Waiting | None, messages: MessageWaits) -> list[RootCause]:
    """Return the ranks that waited or were waited for, those with the most waiting first.

    Args:
        waited: in blocking collectives; None = nothing is known of them.
        messages: waits for messages.
    """
    collectives = {row.rank: row for row in waited.ranks} if waited else {}
    origins = {origin.rank: origin for origin in messages.origins}
    rows = []
    for rank in sorted({*collectives, *origins}):
        own, origin = collectives.get(rank), origins.get(rank)
        caused = own.root_cause_seconds if own else 0.0
        rows.append(
            RootCause(
                rank,
                (own or origins[rank]).host,
                caused,
                origin.origin_seconds if origin else 0.0,
                min(own.late_start_seconds, caused) if own else 0.0,
            )
        )
    return sorted(rows, key=lambda row: -row.seconds)
