"""All rules asked of one profile."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.findings.finding import Finding, NotTold
from rankwise.records import dataclass

LEAST_PERCENT = 1.0
"""Of the run time of all ranks: what could save less is not in the summary."""
MOST_IN_SUMMARY = 3


@dataclass(frozen=True)
class Found:
    """A finding, and what it could save of the run.

    Attributes:
        finding: itself.
        saved_percent_of_run: `saved_seconds` of all ranks' time between MPI_Init and MPI_Finalize.
    """

    finding: Finding
    saved_percent_of_run: float


@dataclass(frozen=True)
class Silent:
    """A rule that can't tell.

    Attributes:
        rule: its id.
        why: a sentence without its full stop.
    """

    rule: str
    why: str


@dataclass(frozen=True)
class Findings:
    """What all rules say of a profile.

    Attributes:
        found: what saves most, weighted by its confidence, first.
        silent: rules that can't tell.
        nothing: ids of rules that looked, and found nothing.
    """

    found: Sequence[Found]
    silent: Sequence[Silent]
    nothing: Sequence[str]

    @property
    def in_summary(self) -> Sequence[Found]:
        """The few that are worth a line in the summary."""
        return [one for one in self.found if one.saved_percent_of_run >= LEAST_PERCENT][:MOST_IN_SUMMARY]


def findings(seen: Evidence) -> Findings:
    """Ask all rules.

    Args:
        seen: what is known of a whole run.
    """
    from rankwise.findings.registry import RULES  # what reads findings that were kept needs no rule

    found: list[Found] = []
    silent: list[Silent] = []
    nothing: list[str] = []
    for rule in RULES:
        answer = rule.find(seen)
        if isinstance(answer, NotTold):
            silent.append(Silent(rule.id, answer.why))
            continue
        if not answer:
            nothing.append(rule.id)
        found += [Found(one, percent(one.saved_seconds, seen.seconds)) for one in answer]
    return Findings(sorted(found, key=lambda one: -one.finding.weight), silent, nothing)
