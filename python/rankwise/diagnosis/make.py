"""Makes the diagnosis of a run from its evidence."""

from __future__ import annotations

from rankwise.analysis.account import account
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.system_counters import YIELDS_PER_SECOND, counter_totals
from rankwise.analysis.percent import percent
from rankwise.analysis.summary import summary
from rankwise.analysis.timing.parts import run_parts
from rankwise.analysis.waiting.totals import blamed_ranks
from rankwise.diagnosis.model import Diagnosis, FullNode, Lateness, LateRank, Processors
from rankwise.findings.late import is_known, late
from rankwise.findings.processors import crowded
from rankwise.findings.registry import RULES
from rankwise.findings.search import findings
from rankwise.findings.texts import late_text
from rankwise.findings.verdict import Known, verdict

_MOST_LATE = 3
_PREEMPTED = "preempted"


def make_diagnosis(seen: Evidence) -> Diagnosis:
    """Return what is concluded from a whole run."""
    known = account(seen)
    found = summary(seen.connection, seen, known)
    told = findings(seen)
    parts = run_parts(found.times, known.time)
    limit = verdict(Known(found, seen, told, parts))
    return Diagnosis(
        limit=limit.limit,
        verdict=limit.text,
        parts=parts,
        late=make_lateness(seen),
        processors=make_processors(seen),
        findings=told,
        account=known,
    )


def make_lateness(seen: Evidence) -> Lateness:
    """Return who is late in a run, or in a part of one."""
    blamed = blamed_ranks(seen.waiting, seen.messages)
    waited = sum(one.seconds for one in blamed)
    those = late(seen)
    return Lateness(
        is_known=is_known(seen),
        waiting_seconds=waited,
        ranks=list(those.ranks) if those else [],
        who=late_text(those) if those else "",
        percent_of_waiting=100 * those.share if those else 0.0,
        most=[
            LateRank(one.rank, one.host, one.seconds, percent(one.seconds, waited))
            for one in blamed[:_MOST_LATE]
            if one.seconds > 0
        ],
    )


def make_processors(seen: Evidence) -> Processors:
    """Return how the ranks got processors, likewise."""
    counters = counter_totals(seen.connection)
    full = [FullNode(node.host, node.ranks, node.processors) for node in crowded(seen) if node.in_use]
    rate = counters.counted.involuntary_switches_per_second if counters else None
    yields = (rate or 0.0) >= YIELDS_PER_SECOND
    often = counters.preempted_ranks if counters and not full else []
    return Processors(
        full=full,
        # Where the rule has looked and found nothing, no screen may say that they were preempted.
        lost=[] if often and not yields and _finds_nothing(_PREEMPTED, seen) else often,
        switches_per_second=rate,
        yields=yields,
    )


def _finds_nothing(name: str, seen: Evidence) -> bool:
    return any(rule.id == name and rule.find(seen) == [] for rule in RULES)
