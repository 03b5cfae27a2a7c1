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
        Fact("ranks at the end of the chain", found.root),
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
        return "the chain of waiting is known, but not what delayed its last ranks"
    if found.is_certain:
        return "each of them waits for something that the others can no longer do"
    return "inferred from the last call of each rank: not all calls were counted"


RULE = Rule(
    "hang",
    "A run that hung until it was ended, and the reason.",
    "A run did not finish, and ranks waited for each other, for a message sent with another tag, for a "
    "rank that has ended, or in different collectives on one communicator. Or most ranks had waited "
    f"{LEAST_S:.0f} s or more for a few ranks that were outside of MPI or polled: no deadlock.",
    "the time that ranks spent in calls that never returned",
    "Look at the named ranks and calls. `rankwise top` shows the same for a running job.",
    _find,
    order=140,
)
