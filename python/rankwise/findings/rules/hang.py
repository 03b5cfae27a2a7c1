"""A run that did not finish hung: ranks waited for each other, or all for a single one."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.hangs.find import LEAST_S, LEAST_UNPROVEN_S
from rankwise.analysis.hangs.model import Hang
from rankwise.findings.finding import HIGH, MEDIUM, Command, Fact, Finding, Rule
from rankwise.text.hang import hang_text


def _find(profile: Evidence) -> Sequence[Finding]:
    hang = profile.hang
    if hang is None:
        return []
    title = hang_text(hang)
    facts = [
        Fact("kind", hang.kind),
        Fact("ranks that wait", hang.waiting),
        Fact("ranks at the end of the chain", hang.root),
    ]
    return [
        Finding(
            rule=RULE.id,
            title=title[:1].upper() + title[1:],
            saved_seconds=hang.lost_seconds,
            upper_bound=True,
            formula=RULE.formula,
            inputs=[Fact("time in these calls", hang.lost_seconds, "s")],
            evidence=facts,
            confidence=HIGH if hang.is_certain else MEDIUM,
            why_confidence=_why(hang),
            command=Command("show", ("--by", "rank")),
        )
    ]


def _why(hang: Hang) -> str:
    if not hang.is_deadlock:
        return "the chain of waiting is known, but not what delayed its last ranks"
    if hang.is_certain:
        return "each of them waits for something that the others can no longer do"
    return "inferred from the last call of each rank: not all calls were counted"


RULE = Rule(
    "hang",
    "A run that hung until it was ended, and the reason.",
    "A run did not finish, and ranks waited for each other, for a message sent with another tag, for a "
    "rank that has ended, or in different collectives on one communicator. Or most ranks had waited "
    f"{LEAST_S:.0f} s or more for a few ranks that were outside of MPI or polled: no deadlock. If counts do "
    f"not prove that ranks wait for each other, they must have waited {LEAST_UNPROVEN_S:.0f} s or more.",
    "the time that ranks spent in calls that never returned",
    "Look at the named ranks and calls. `rankwise top` shows the same for a running job.",
    _find,
    order=140,
)
