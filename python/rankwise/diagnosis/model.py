"""The diagnosis of a run, as data."""

from __future__ import annotations

from rankwise.analysis.account import Account
from rankwise.analysis.timing.parts import Part
from rankwise.findings.search import Findings
from rankwise.records import dataclass


@dataclass(frozen=True)
class LateRank:
    """A rank that others waited for, when the blame has been passed on.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: that it ran on; None = not known.
        seconds: that they waited, over the ranks.
        percent_of_waiting: of all waiting.
    """

    rank: int
    host: str | None
    seconds: float
    percent_of_waiting: float


@dataclass(frozen=True, kw_only=True)
class Lateness:
    """Who is late.

    Attributes:
        is_known: whether anything is known of who waited for whom.
        waiting_seconds: all waiting, over the ranks.
        ranks: that most of it is for; none = nobody stands out.
        who: they in words: `rank 3`, `ranks 0-3 of n1`; '' = nobody stands out.
        percent_of_waiting: of all waiting, for them.
        most: the ranks that others waited for, most first, a few.
    """

    is_known: bool
    waiting_seconds: float
    ranks: list[int]
    who: str
    percent_of_waiting: float
    most: list[LateRank]


@dataclass(frozen=True)
class FullNode:
    """A node with more ranks than processors that they may use.

    Attributes:
        host: its name.
        ranks: on it.
        processors: for them.
    """

    host: str
    ranks: int
    processors: int


@dataclass(frozen=True, kw_only=True)
class Processors:
    """How the ranks got processors.

    Attributes:
        full: nodes with more ranks than processors, the fullest first.
        lost: ranks whose processor was often given to others, most often first; none where nodes are full,
            which explains it, or where that cost nothing.
        switches_per_second: of all ranks, involuntary, the mean; None = not counted.
        yields: whether they are so many that ranks give their processors up themselves.
    """

    full: list[FullNode]
    lost: list[int]
    switches_per_second: float | None
    yields: bool


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """What is concluded from a run.

    Attributes:
        limit: what limits it, in a word or two.
        verdict: the same, a sentence or two.
        parts: where the time went.
        late: who is late.
        processors: how the ranks got them.
        findings: of all rules, in their order.
        account: of the time in MPI.
    """

    limit: str
    verdict: str
    parts: list[Part]
    late: Lateness
    processors: Processors
    findings: Findings
    account: Account
