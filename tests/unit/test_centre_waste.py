"""Kinds of waste of findings."""

from __future__ import annotations

from rankwise.centre.run_rows import with_largest
from rankwise.centre.waste import KIND_OF_RULE, KINDS
from rankwise.findings.registry import RULES


def test_each_rule_has_a_kind():
    assert set(KIND_OF_RULE) == {rule.id for rule in RULES}


def test_each_kind_has_a_rule():
    assert set(KIND_OF_RULE.values()) == set(KINDS)


def test_one_finding_of_each_kind_is_the_largest():
    findings = [
        ("waiting", "high", 3.0, False),
        ("waiting", "high", 5.0, True),
        ("waiting", "medium", 9.0, False),
        ("waiting", "high", 5.0, False),
        ("placement", "high", 0.0, True),
        ("hang", "low", 2.0, False),
    ]
    rows = [{"waste": waste, "confidence": sure, "node_hours": hours} for waste, sure, hours, _ in findings]
    assert [row["largest"] for row in with_largest(rows)] == [largest for *_, largest in findings]
