"""Styles of a page of the report hold for that page alone: one file has all pages, and words recur."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_WEB = Path(__file__).parents[2] / "web/src"
_SHEETS = [
    path
    for path in sorted(_WEB.glob("*/*.css"))
    # (Latencies, many runs and the pages of a centre are files without other pages.)
    if path.parent.name == path.stem and path.stem not in ("shell", "latency", "runs", "centre")
]


def test_there_are_sheets() -> None:
    assert {"overview", "calls", "comparison"} <= {path.stem for path in _SHEETS}


@pytest.mark.parametrize("path", _SHEETS, ids=lambda path: path.stem)
def test_rules_are_below_their_page(path: Path) -> None:
    page = re.compile(rf"\.{path.stem.replace('_', '-')}(?![\w-])|^:root")
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    heads = [head.strip() for head in re.findall(r"[^{};]+(?=\{)", text)]
    # (A comma inside of parentheses parts no selectors.)
    selectors = [
        selector.strip() for head in heads if head[0] != "@" for selector in re.split(r",(?![^(]*\))", head)
    ]
    assert selectors
    assert [selector for selector in selectors if not page.search(selector)] == []
