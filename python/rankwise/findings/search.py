"""Applies all rules to a profile."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.percent import percent
from rankwise.findings.finding import Finding, NoAnswer
from rankwise.records import dataclass

LEAST_PERCENT = 1.0
"""Of the run time of all ranks: findings that could save less are not in the summary."""
MOST_IN_SUMMARY = 3


@dataclass(frozen=True)
class Found:
    """A finding, and its possible saving.

    Attributes:
        finding: the finding.
        saved_percent_of_run: `saved_seconds` in percent of all ranks' time between MPI_Init and MPI_Finalize;
            of their wall time if the finding is `of_wall`.
    """

    finding: Finding
    saved_percent_of_run: float


@dataclass(frozen=True)
class Silent:
    """A rule without an answer.

    Attributes:
        rule: its id.
        why: a sentence without its full stop.
    """

    rule: str
    why: str


@dataclass(frozen=True)
class Findings:
    """The answers of all rules for a profile.

    Attributes:
        found: by saving weighted by confidence, the largest first.
        silent: rules without an answer.
        nothing: ids of rules that found nothing.
    """

    found: Sequence[Found]
    silent: Sequence[Silent]
    nothing: Sequence[str]

    @property
    def in_summary(self) -> Sequence[Found]:
        """The few findings with a line in the summary."""
        return [entry for entry in self.found if entry.saved_percent_of_run >= LEAST_PERCENT][
            :MOST_IN_SUMMARY
        ]


def findings(profile: Evidence) -> Findings:
    """Apply all rules.

    Args:
        profile: the facts of a whole run.
    """
    from rankwise.findings.registry import RULES  # readers of kept findings need no rules

    entries: list[Found] = []
    silent: list[Silent] = []
    nothing: list[str] = []
    for rule in RULES:
        answer = rule.find(profile)
        if isinstance(answer, NoAnswer):
            silent.append(Silent(rule.id, answer.why))
            continue
        if not answer:
            nothing.append(rule.id)
        entries += [
            Found(finding, percent(finding.saved_seconds, _whole(profile, finding))) for finding in answer
        ]
    return Findings(sorted(entries, key=lambda entry: -entry.finding.weight), silent, nothing)


def _whole(profile: Evidence, finding: Finding) -> float:
    """Return the time of all ranks of which a finding's saving is a share."""
    return sum(rank.wall_seconds for rank in profile.ranks) if finding.of_wall else profile.seconds
