"""Makes the diagnosis of a run from its evidence."""

from __future__ import annotations

from rankwise.analysis.account import account
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.analysis.summary import summary
from rankwise.analysis.timing.parts import run_parts
from rankwise.analysis.waiting.root_causes import root_causes
from rankwise.diagnosis.model import Diagnosis, Lateness, LateRank
from rankwise.findings.late import is_known
from rankwise.findings.search import findings
from rankwise.findings.verdict import Known, verdict

_MOST_LATE = 3


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
        findings=told,
        account=known,
    )


def make_lateness(seen: Evidence) -> Lateness:
    """Return who is late in a run, or in a part of one."""
    causes = root_causes(seen.waiting, seen.messages)
    waited = sum(one.seconds for one in causes)
    latest = sorted(causes, key=lambda one: -one.late_seconds)[:_MOST_LATE]
    is_known_of_most = is_known(seen) and not seen.time_in_mpi.is_mostly_unknown
    return Lateness(
        is_known=is_known_of_most,
        waiting_seconds=waited,
        group=seen.late,
        most=[
            LateRank(one.rank, one.host, one.late_seconds, percent(one.late_seconds, waited))
            for one in latest
            if one.late_seconds > 0 and is_known_of_most
        ],
    )
