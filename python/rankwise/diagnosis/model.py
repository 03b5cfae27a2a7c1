"""The diagnosis of a run, as data."""

from __future__ import annotations

from rankwise.analysis.account import Account
from rankwise.analysis.timing.parts import Part
from rankwise.analysis.waiting.late import LateGroup
from rankwise.findings.search import Findings
from rankwise.records import dataclass


@dataclass(frozen=True)
class LateRank:
    """A rank that others waited for, after indirect waiting was attributed to its root causes.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: its host; None = unknown.
        seconds: waiting that it caused, summed over all ranks. As in a `LateGroup`, this excludes waiting
            because the rank left the previous collective late.
        percent_of_waiting: `seconds` in percent of all waiting.
    """

    rank: int
    host: str | None
    seconds: float
    percent_of_waiting: float


@dataclass(frozen=True, kw_only=True)
class Lateness:
    """The late ranks.

    Attributes:
        is_known: whether the late ranks are known for most of the time that may be waiting.
        waiting_seconds: all waiting, summed over all ranks.
        group: ranks that caused most of the waiting; None = no group stands out.
        most: the few ranks that caused the most waiting, in descending order.
    """

    is_known: bool
    waiting_seconds: float
    group: LateGroup | None
    most: list[LateRank]


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """The conclusions about a run.

    Attributes:
        limit: the limiting factor, in a word or two.
        verdict: the same, in a sentence or two.
        parts: where the time went.
        late: the late ranks.
        findings: of all rules, in order.
        account: of the time in MPI.
    """

    limit: str
    verdict: str
    parts: list[Part]
    late: Lateness
    findings: Findings
    account: Account
