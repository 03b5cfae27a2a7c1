"""The diagnosis of a run, as data."""

from __future__ import annotations

from rankwise.analysis.account import Account
from rankwise.analysis.timing.parts import Part
from rankwise.analysis.waiting.late import LateGroup
from rankwise.findings.search import Findings
from rankwise.records import dataclass


@dataclass(frozen=True)
class LateRank:
    """A rank that others waited for, after indirect waiting was passed on.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: that it ran on; None = not known.
        seconds: that they waited, over the ranks; as of a `LateGroup`, without what they waited because it
            had left the collective before late.
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
        is_known: whether it is known who waited for whom, of most of what may be waiting.
        waiting_seconds: all waiting, over the ranks.
        group: that most of it is for; None = nobody stands out.
        most: the ranks that others waited for, most first, a few.
    """

    is_known: bool
    waiting_seconds: float
    group: LateGroup | None
    most: list[LateRank]


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """What is concluded from a run.

    Attributes:
        limit: what limits it, in a word or two.
        verdict: the same, a sentence or two.
        parts: where the time went.
        late: who is late.
        findings: of all rules, in their order.
        account: of the time in MPI.
    """

    limit: str
    verdict: str
    parts: list[Part]
    late: Lateness
    findings: Findings
    account: Account
