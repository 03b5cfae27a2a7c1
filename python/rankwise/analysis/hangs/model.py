"""A hang, as plain data."""

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
        sent: number of messages sent.
        received: number of messages received, or with a posted receive.
    """

    source: int
    destination: int
    communicator: str
    tag: int
    sent: int
    received: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """Ranks in the same place, and the ranks that they wait for.

    Attributes:
        ranks: in compact form, 0-3,8.
        count: number of ranks.
        state: as in a place: inside, outside, polling, finalized, ...; `gone`: its process had ended before.
        procedure: that they are inside of, or poll with; None if neither.
        communicator: name of the call's communicator; None if the call has none.
        seconds: since the last of them arrived; None if unknown.
        waits_for: compact list of the ranks that they wait for; '' = none, or unknown.
        any: they need only one of these ranks.
        tag: of the awaited message, if there is only one; -1 = any, None = unknown.
        what: they wait for: `message`, `receive`, `collective`, '' = nothing, or unknown.
        collective: procedure of the nonblocking collective that the call waits for; None = no collective.
        certain: it follows from counts of both sides; else only from the call.
        found: messages without a receive from a rank that they wait for: with other tags or communicators.
        site: call site; '' = unknown.
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
    """Why a job hangs.

    Attributes:
        kind: `cycle`: ranks wait for each other. `mismatch`: they are in different collectives on one
            communicator. `unmatched`: a message was sent without a matching receive. `ended`: they wait for
            a rank that has ended. `computing`, `polling`: they wait for ranks that are outside of MPI, or
            that poll. `unknown`: they wait for ranks whose own waits are unknown.
        is_deadlock: none of the affected ranks can ever continue.
        root: compact list of the ranks at which the waiting ends.
        waiting: compact list of the ranks that wait for them directly or indirectly, including the ranks of
            a deadlock.
        seconds: since the last affected rank began to wait; None = unknown.
        lost_seconds: waiting time, sum of all waiting ranks, without waiting in MPI_Finalize.
        lost_percent_of_run: `lost_seconds` in percent of all ranks' time between MPI_Init and MPI_Finalize;
            None = the job is still running.
        steps: chain of waits. In a deadlock, the ring: the last step waits for the first; otherwise from the
            largest group of ranks to the root.
        more_steps: number of steps of a long chain that are not listed.
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
