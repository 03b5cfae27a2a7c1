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


def make_diagnosis(evidence: Evidence) -> Diagnosis:
    """Return the diagnosis of a whole run."""
    known = account(evidence)
    run_summary = summary(evidence.connection, evidence, known)
    run_findings = findings(evidence)
    parts = run_parts(run_summary.times, known.time)
    limit = verdict(Known(run_summary, evidence, run_findings, parts))
    return Diagnosis(
        limit=limit.limit,
        verdict=limit.text,
        parts=parts,
        late=make_lateness(evidence),
        findings=run_findings,
        account=known,
    )


def make_lateness(evidence: Evidence) -> Lateness:
    """Return which ranks are late, in a run or in a part of it."""
    causes = root_causes(evidence.waiting, evidence.messages)
    waited = sum(cause.seconds for cause in causes)
    latest = sorted(causes, key=lambda cause: -cause.late_seconds)[:_MOST_LATE]
    is_known_of_most = is_known(evidence) and not evidence.time_in_mpi.is_mostly_unknown
    return Lateness(
        is_known=is_known_of_most,
        waiting_seconds=waited,
        group=evidence.late,
        most=[
            LateRank(cause.rank, cause.host, cause.late_seconds, percent(cause.late_seconds, waited))
            for cause in latest
            if cause.late_seconds > 0 and is_known_of_most
        ],
    )
