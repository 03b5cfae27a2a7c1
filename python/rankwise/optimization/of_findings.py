"""What the findings in a profile promise."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import LOW, WEIGHTS, Finding
from rankwise.findings.search import findings
from rankwise.optimization.step import Promise

A_PART = 0.5 * WEIGHTS[LOW]
"""How sure it is that all of some time can be saved, where nobody knows which part of it can."""


def promised(
    seen: Evidence, rules: Collection[str], reckoned: float, why: str, sure: float = WEIGHTS[LOW]
) -> Promise:
    """Return what a step may save: what findings say, or what was reckoned if that is more.

    Args:
        seen: what is known of the run.
        rules: ids of the findings that the step does something about.
        reckoned: seconds over the ranks that the step itself thinks to save at the most; a guess.
        why: of them, a clause.
        sure: how sure they are, between 0 and 1.
    """
    relevant = [entry.finding for entry in findings(seen).found if entry.finding.rule in rules]
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
