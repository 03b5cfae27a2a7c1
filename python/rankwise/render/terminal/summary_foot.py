"""The foot of the summary: the ranks that stand out, what leaves the nodes, and what to type next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from rankwise.analysis.collectives.inside_totals import InsideTotals
from rankwise.analysis.next_step import EXPLAIN, NextStep, next_step
from rankwise.analysis.summary import Summary
from rankwise.diagnosis.model import Diagnosis
from rankwise.diagnosis.sentences import waiting_fields
from rankwise.findings.search import Found
from rankwise.render.terminal.explain import summary_lines
from rankwise.render.terminal.page import Page
from rankwise.text.counters import counter_fields
from rankwise.text.hang import hang_sentence
from rankwise.text.processors import shortage_fields
from rankwise.text.summary import (
    extremes,
    file_fields,
    inside_text,
    off_node_text,
    reordered_text,
    step_command,
)

LABEL = 10
"""Columns of the names on the left."""
_APART = "   "


def foot_lines(page: Page, found: Summary, told: Diagnosis, path: Path, *, short: bool = False) -> list[Text]:
    """Return the lines that have something to say, findings, and at the end the command to type next.

    Args:
        page: that they are made for.
        found: what to show.
        told: what is concluded from it.
        path: of the profile.
        short: without the lines that say least.
    """
    waiting = waiting_fields(told)
    # A line on waiting says more than one on the extremes.
    crowded = short and bool(waiting)
    locality, leaves = found.locality, found.run.nodes > 1 or found.locality.bytes_unplaced
    shown = told.findings.in_summary
    counters = counter_fields(found.counters, found.shortages, {one.finding.rule for one in shown})
    reordered = reordered_text(found.families)
    return [
        *(_labelled(page, "in MPI", *extremes(found.times)) if found.run.ranks > 1 and not crowded else []),
        *(_labelled(page, "waiting", *waiting) if waiting else []),
        *(_labelled(page, "off node", off_node_text(locality)) if leaves else []),
        *([_inside(page, found.inside, found.run.nodes)] if found.inside and not short else []),
        *(_labelled(page, "system", *counters) if counters else []),
        *(_labelled(page, "files", *file_fields(found.files)) if found.files else []),
        *(_labelled(page, "reordered", reordered) if reordered else []),
        *findings_foot(page, found, shown, path),
    ]


def ended_foot(page: Page, found: Summary, has_findings: bool, path: Path) -> list[Text]:
    """Return what matters most of a partial run: of ranks that stood still whether they had processors."""
    if not hang_sentence(found.hang):
        return [next_line(page, EXPLAIN if has_findings else next_step(found), path)]
    fields = shortage_fields(found.shortages)
    shortage = _labelled(page, "system", *fields) if fields else []
    return [*shortage, next_line(page, next_step(found), path)]


def findings_foot(page: Page, found: Summary, shown: Sequence[Found], path: Path) -> list[Text]:
    """Return findings and the command to type next, the last line."""
    step = EXPLAIN if shown else next_step(found)
    return [*summary_lines(page, shown, found.run, path), next_line(page, step, path)]


def next_line(page: Page, step: NextStep, path: Path) -> Text:
    """Return the command, never broken because it is there to be copied, and why where there is room."""
    command = page.text(f"{'next:':{LABEL}}{step_command(step, path)}")
    why = page.text(f"{_APART}# {step.why}", "dim")
    return command + why if command.cell_len + why.cell_len <= page.width else command


def _labelled(page: Page, label: str, *fields: str) -> list[Text]:
    first, *more = fields
    return page.joined([f"{label:{LABEL}}{first}", *more], _APART, indent=LABEL)


def _inside(page: Page, totals: InsideTotals, nodes: int) -> Text:
    """Return one line, whatever there is to say."""
    return page.shortened(page.text(f"{'inside':{LABEL}}{inside_text(totals, nodes)}"), page.width)
