"""Prints what a check of an installation has found."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from rankwise.launch.checkup import Finding
from rankwise.render.terminal.page import Page


def report(findings: Sequence[Finding], *, as_json: bool) -> int:
    """Print findings, and return the exit status: 1 if one stops Rankwise from recording anything."""
    works = not any(finding.stops for finding in findings)
    certain = not any(finding.uncertain for finding in findings)
    if as_json:
        about = {"works": works, "certain": not works or certain}
        print(json.dumps({**about, "findings": [asdict(finding) for finding in findings]}, indent=1))
        return 0 if works else 1
    page = Page(sys.stdout)
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        mark = "!" if finding.stops else "-" if finding.cure else " "
        _write(page, f"{mark} {finding.subject:<{width}}  ", finding.text)
        if finding.cure:
            _write(page, f"  {'':<{width}}  -> ", finding.cure)
    end = "works" if certain else "may not work: see the lines marked -"
    page.write(page.text(end if works else "does not work: see the lines marked !"))
    return 0 if works else 1


def _write(page: Page, before: str, text: str) -> None:
    """Write a text that goes on below its own beginning."""
    for line in page.folded(page.text(text), page.width - len(before)):
        line.rstrip()
        page.write(page.text(before) + line)
        before = " " * len(before)
