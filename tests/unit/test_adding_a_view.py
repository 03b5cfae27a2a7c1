"""A view is added by one module: the example in docs/develop/adding-a-view.md is found by `rankwise show`."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import profiles
from examples_of_pages import blocks, carried_out
from test_docs import in_code, sections, table

from rankwise.views.view import View

PAGE = "adding-a-view.md"


def test_the_example(tmp_path: Path) -> None:
    path = str(profiles.write_profile(tmp_path / "a.rankwise"))
    module, test = blocks(PAGE)
    shown = f"""
from rankwise.__main__ import main
from rankwise.views.by import VIEWS
print(VIEWS[-1])
main(["show", {path!r}, "--by", "memory", "--json"])
"""
    output = carried_out(tmp_path, "rankwise.views.by", "memory", module, test, shown)
    last, _, answer = output.partition("\n")
    assert last == "memory"
    sizes = [row["max_rss_bytes"] for row in json.loads(answer)["memory"]]
    assert len(sizes) == 4
    assert sizes == sorted(sizes, reverse=True)


def test_the_page_names_every_part() -> None:
    named = {in_code(row[0])[0] for row in table(sections(PAGE)["The parts of a view"])}
    assert named == {field.name for field in fields(View)}
