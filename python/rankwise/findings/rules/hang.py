"""A run that did not come to its end stood still: ranks waited for each other, or all for one."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.hangs.find import LEAST_S
from rankwise.analysis.hangs.model import Hang
from rankwise.findings.finding import HIGH, MEDIUM, Command, Fact, Finding, Rule
from rankwise.text.hang import hang_text


def _find(seen: Evidence) -> Sequence[Finding]:
    found = seen.hang
    if found is None:
        return []
    title = hang_text(found)
    facts = [
        Fact("kind", found.kind),
        Fact("ranks that wait", found.waiting),
        Fact("ranks at whom it ends", found.root),
    ]
    return [
        Finding(
            rule=RULE.id,
            title=title[:1].upper() + title[1:],
            saved_seconds=found.lost_seconds,
            upper_bound=True,
            formula=RULE.formula,
            inputs=[Fact("time in these calls", found.lost_seconds, "s")],
            evidence=facts,
            confidence=HIGH if found.is_certain else MEDIUM,
            why_confidence=_why(found),
            command=Command("show", ("--by", "rank")),
        )
    ]


def _why(found: Hang) -> str:
    if not found.is_deadlock:
        return "who waited for whom is known, but not what kept the others"
    if found.is_certain:
        return "each of them waits for what the others can no longer do"
    return "it follows from the calls in which ranks ended: not all of their calls were counted"


RULE = Rule(
    "hang",
    "A run that stood still when it was ended, and why.",
    "a run did not come to its end, and ranks waited for each other, for a message that was sent with"
    " another tag, for a rank that has ended, or in different collectives on one communicator; or most ranks"
    f" had waited {LEAST_S:.0f} s or more for a few that were outside of MPI or polled: no deadlock.",
    "the time that ranks had spent in the calls that never returned",
    "Look at the ranks and calls that are named: `rankwise top` shows the same of a job that is running.",
    _find,
    order=140,
)
