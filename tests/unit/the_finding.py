"""The one finding that a rule makes of a made-up profile."""

from __future__ import annotations

from made_profile import Made

from rankwise.findings.finding import Finding, NoAnswer, Rule


def the_finding(rule: Rule, made: Made) -> Finding:
    answer = rule.find(made.seen)
    assert not isinstance(answer, NoAnswer)
    [finding] = answer
    return finding
