"""Kinds of waste of findings."""

from __future__ import annotations

from rankwise.centre.waste import KIND_OF_RULE, KINDS
from rankwise.findings.registry import RULES


def test_each_rule_has_a_kind():
    assert set(KIND_OF_RULE) == {rule.id for rule in RULES}


def test_each_kind_has_a_rule():
    assert set(KIND_OF_RULE.values()) == set(KINDS)
