"""What the findings in a profile promise."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import LOW, WEIGHTS, Finding
from rankwise.findings.search import findings
from rankwise.optimization.step import Promise

A_PART = 0.5 * WEIGHTS[LOW]
"""Certainty that all of some time can be saved, while the part that can is unknown."""


def promised(
    evidence: Evidence, rules: Collection[str], reckoned: float, why: str, sure: float = WEIGHTS[LOW]
) -> Promise:
    """Return the expected saving of a step: from findings, or as the step estimates if that is more.

    Args:
        evidence: evidence from the run.
        rules: ids of the findings that the step does something about.
        reckoned: upper limit of the step's own estimate, seconds summed over the ranks; a guess.
        why: reason for the estimate, a clause.
        sure: how sure they are, between 0 and 1.
    """
    relevant = [entry.finding for entry in findings(evidence).found if entry.finding.rule in rules]
    own = Promise(reckoned, sure * reckoned, why)
    if not relevant:
        return own
    theirs = Promise(
        sum(finding.saved_seconds for finding in relevant),
        sum(finding.weight for finding in relevant),
        _titles(relevant),
    )
    # A rule that knows little must not hide how much there is.
    return theirs if theirs.weight >= own.weight else own


def _titles(relevant: Sequence[Finding]) -> str:
    more = f" (and {len(relevant) - 1} more)" if len(relevant) > 1 else ""
    return f"{relevant[0].rule}: {relevant[0].title}{more}"
