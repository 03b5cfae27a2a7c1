"""A finding is one module: all the rest finds the example in docs/develop/adding-a-finding.md."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from examples_of_pages import blocks, carried_out
from test_docs import in_code, sections, table

from rankwise.findings.finding import Rule

PAGE = "adding-a-finding.md"
SEEN = r"""
from made_profile import Made
from rankwise.__main__ import main
from rankwise.findings.registry import RULES
from rankwise.findings.search import findings
made = Made()
made.call(0, "MPI_Barrier", 3.0)
print(*[one.finding.rule for one in findings(made.seen).found])
rule = RULES[-1]
print(rule.id, rule.looks_for, rule.when, rule.formula, rule.advice, sep="\n")
main(["explain", "barriers"])
"""


def test_the_example(tmp_path: Path) -> None:
    module, test = blocks(PAGE)
    lines = carried_out(tmp_path, "rankwise.findings.rules", "barriers", module, test, SEEN).splitlines()
    first, last, *words = lines[:6]
    assert first == last == "barriers"
    [documented] = blocks(PAGE, "markdown")
    explained = " ".join(" ".join(lines[6:]).split())
    assert documented.startswith("### barriers\n")
    for text in words:
        assert text in documented
        assert text in explained


def test_the_page_names_every_part() -> None:
    named = [in_code(row[0])[0] for row in table(sections(PAGE)["The parts of a rule"])]
    assert named == [field.name for field in fields(Rule)]
