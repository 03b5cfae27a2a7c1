"""Whom others waited for, when the blame has been passed on: in collectives and for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.analysis.waiting.messages import MessageWaits
from rankwise.records import dataclass

if TYPE_CHECKING:
    from rankwise.analysis.waiting.collectives import Waiting


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
