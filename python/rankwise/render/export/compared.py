"""A comparison as pipelines show it."""

from __future__ import annotations

from rankwise.comparison.compare import Comparison, Figure
from rankwise.comparison.findings import GONE, NEW, FindingChange
from rankwise.render.export.pipeline import Case, Issue, Outcome
from rankwise.views.comparison.sentences import (
    NAMES,
    amount_text,
    change_text,
    percent_change_text,
    side_lines,
    title,
)

_SEVERITIES = ((20.0, "critical"), (5.0, "major"), (0.0, "minor"))
"""Severity of a finding, by the percent of the run that it could save."""


def outcome_of(comparison: Comparison, metric: str, gate: str, *, failed: bool) -> Outcome:
    """Return a comparison for pipelines.

    Args:
        comparison: with all its figures.
        metric: of the gate, or `wall`.
        gate: the sentence on it, '' = no gate.
        failed: whether the job got worse by more than the gate allows.
    """
    figure = comparison.figure(metric)
    return Outcome(
        verb="diff",
        done="compared",
        title=title(comparison),
        gate=gate,
        failed=failed,
        heads=("the run", "before", "after", "change", "%", "verdict"),
        rows=[_row(each) for each in comparison.whole],
        lists=[
            (heading, [finding.title for finding in comparison.findings if finding.state == state])
            for state, heading in ((NEW, "New findings"), (GONE, "Findings that are gone"))
        ],
        foot=side_lines(comparison),
        cases=[
            Case(NAMES[each.name], _values(each), failed=failed and each.name == metric)
            for each in comparison.whole
        ],
        issues=[
            Issue(finding.title, finding.rule, _severity(finding), finding.subject)
            for finding in comparison.findings
            if finding.state == NEW
        ],
        metric=metric,
        program=comparison.after.program,
        profile=comparison.after.profiles[0],
        badge=(NAMES[metric], _percent(figure)),
        is_known=figure.value.verdict != "unknown",
    )


def _row(figure: Figure) -> list[str]:
    value, unit = figure.value, figure.unit
    cells = [NAMES[figure.name], amount_text(value.before, unit), amount_text(value.after, unit)]
    return [*cells, change_text(value.change, unit), _percent(figure).removesuffix(" %"), value.verdict]


def _values(figure: Figure) -> str:
    value, unit = figure.value, figure.unit
    both = f"{amount_text(value.before, unit)} to {amount_text(value.after, unit)}"
    return f"{both} ({_percent(figure)}): {value.verdict}"


def _percent(figure: Figure) -> str:
    percent = figure.value.percent
    return "-" if percent is None else f"{percent_change_text(percent)} %"


def _severity(finding: FindingChange) -> str:
    saved = finding.after.saved_percent_of_run or 0.0
    return next(name for least, name in _SEVERITIES if saved >= least)
