"""The README is short, the forms for issues can be read, and the citation names this version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rankwise.version import __version__

ROOT = Path(__file__).parents[2]
FORMS = sorted(path.name for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
KINDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}
WORDS_OF_README = 900


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= WORDS_OF_README


def test_the_citation() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == __version__
    assert {"title", "message", "authors", "license"} <= citation.keys()


@pytest.mark.parametrize("name", [name for name in FORMS if name != "config.yml"])
def test_issue_forms(name: str) -> None:
    form = read(ROOT / ".github" / "ISSUE_TEMPLATE" / name)
    assert {"name", "description", "body"} <= form.keys()
    fields = form["body"]
    assert all(field["type"] in KINDS for field in fields)
    identifiers = [field["id"] for field in fields if field["type"] != "markdown"]
    assert len(identifiers) == len(set(identifiers))
    assert any(field.get("validations", {}).get("required") for field in fields)
    assert all(field["attributes"].get("label") for field in fields if field["type"] != "markdown")


def test_there_is_a_form_for_each_need() -> None:
    assert {"config.yml", "fault.yml", "idea.yml", "question.yml"} <= set(FORMS)
