"""A job that stands still, as plain data."""

from __future__ import annotations

from rankwise.records import dataclass

CYCLE = "cycle"
MISMATCH = "mismatch"
UNMATCHED = "unmatched"
ENDED = "ended"
COMPUTING = "computing"
POLLING = "polling"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class OpenMessages:
    """Messages from one rank to another that only one of the two has posted.

    Attributes:
        source: world rank.
        destination: world rank.
        communicator: its name.
        tag: of the messages.
        sent: how many were sent.
        received: how many were received, or have a receive that waits for them.
    """

    source: int
    destination: int
    communicator: str
    tag: int
    sent: int
    received: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """Ranks in the same place, and those that they wait for.

    Attributes:
        ranks: in compact form, 0-3,8.
        count: of them.
        state: as in a place: inside, outside, polling, finalized, ...; `gone`: its process had ended before.
        procedure: that they are inside of, or poll with; None if none.
        communicator: name of that of the call; None if it has none in particular.
        seconds: since the last of them came there; None if unknown.
        waits_for: compact list of the ranks that they wait for; '' = nobody, or not known.
        any: a single one of these would be enough.
        tag: of the message that they wait for, where that is one; -1 = any, None = not known.
        what: they wait for: `message`, `receive`, `collective`, '' = nothing, or not known.
        collective: of a nonblocking collective that the call waits for, its procedure.
        certain: it follows from counts of both sides; else from the call alone.
        found: messages from a rank that they wait for which no receive has taken: other tags, other
            communicators.
        site: the place in the source that made the call; '' = not known.
    """

    ranks: str
    count: int
    state: str
    procedure: str | None
    communicator: str | None
    seconds: float | None
    waits_for: str
    any: bool
    tag: int | None
    what: str
    collective: str | None
    certain: bool
    found: list[OpenMessages]
    site: str


@dataclass(frozen=True, kw_only=True)
class Hang:
    """Why a job stands still.

    Attributes:
        kind: `cycle`: ranks wait for each other. `mismatch`: they are in different collectives on one
            communicator. `unmatched`: a message was sent that no receive fits. `ended`: they wait for a rank
            that has come to its end. `computing`, `polling`: they wait for ranks that are outside of MPI, or
            that poll. `unknown`: for ranks of which it is not known whom they wait for.
        is_deadlock: none of the ranks in question can ever go on.
        root: compact list of the ranks at which the waiting ends.
        waiting: compact list of the ranks that wait for them, directly or not, those of a deadlock included.
        seconds: since the last rank in question came to wait; None = unknown.
        lost_seconds: that all who wait have waited, added up, without that in MPI_Finalize.
        lost_percent_of_run: of the time of all ranks between MPI_Init and MPI_Finalize; None = it goes on.
        steps: who waits for whom: of a deadlock the ring, the last for the first; else the way from most
            ranks to the root.
        more_steps: of a long ring, how many are not listed.
    """

    kind: str
    is_deadlock: bool
    root: str
    waiting: str
    seconds: float | None
    lost_seconds: float
    lost_percent_of_run: float | None
    steps: list[Step]
    more_steps: int

    @property
    def is_certain(self) -> bool:
        """Whether the counters of both sides prove the deadlock."""
        return self.is_deadlock and all(step.certain for step in self.steps if step.waits_for)
