"""The foot of the summary: outliers of the ranks, off-node traffic, and the next command."""

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
from rankwise.text.network import network_fields
from rankwise.text.processors import shortage_fields
from rankwise.text.summary import (
    extremes,
    file_fields,
    inside_text,
    off_node_text,
    reordered_fields,
    step_command,
)

LABEL = 10
"""Columns of the names on the left."""
_APART = "   "


def foot_lines(
    page: Page, summary: Summary, diagnosis: Diagnosis, path: Path, *, short: bool = False
) -> list[Text]:
    """Return the relevant lines, the findings, and the next command at the end.

    Args:
        page: to write to.
        summary: to show.
        diagnosis: its conclusions.
        path: of the profile.
        short: whether to omit the least important lines.
    """
    waiting = waiting_fields(diagnosis)
    # A line on waiting matters more than one on the extremes.
    crowded = short and bool(waiting)
    locality, leaves = summary.locality, summary.run.nodes > 1 or summary.locality.bytes_unplaced
    shown = diagnosis.findings.in_summary
    counters = counter_fields(summary.counters, summary.shortages, {entry.finding.rule for entry in shown})
    return [
        *(
            _labelled(page, "in MPI", *extremes(summary.times))
            if summary.run.ranks > 1 and not crowded
            else []
        ),
        *(_labelled(page, "waiting", *waiting) if waiting else []),
        *(_labelled(page, "off node", off_node_text(locality)) if leaves else []),
        *([_inside(page, summary.inside, summary.run.nodes)] if summary.inside and not short else []),
        *network_lines(page, summary),
        *(_labelled(page, "system", *counters) if counters else []),
        *(_labelled(page, "files", *file_fields(summary.files)) if summary.files else []),
        *reordered_lines(page, summary),
        *findings_foot(page, summary, shown, path),
    ]


def network_lines(page: Page, summary: Summary) -> list[Text]:
    """Return what stands out at the network ports, if anything."""
    fields = network_fields(summary.network)
    return _labelled(page, "network", *fields) if fields else []


def reordered_lines(page: Page, summary: Summary) -> list[Text]:
    """Return what Rankwise reordered, if anything."""
    fields = reordered_fields(summary.families, summary.world_order, summary.run.nodes)
    return _labelled(page, "reordered", *fields) if fields else []


def ended_foot(page: Page, summary: Summary, has_findings: bool, path: Path) -> list[Text]:
    """Return the foot for a partial run: if ranks hung, whether they had processors."""
    if not hang_sentence(summary.hang):
        return [next_line(page, EXPLAIN if has_findings else next_step(summary), path)]
    fields = shortage_fields(summary.shortages)
    shortage = _labelled(page, "system", *fields) if fields else []
    return [*shortage, next_line(page, next_step(summary), path)]


def findings_foot(page: Page, summary: Summary, shown: Sequence[Found], path: Path) -> list[Text]:
    """Return the findings, and the next command as the last line."""
    step = EXPLAIN if shown else next_step(summary)
    return [*summary_lines(page, shown, summary.run, path), next_line(page, step, path)]


def next_line(page: Page, step: NextStep, path: Path) -> Text:
    """Return the next command, never broken so that it can be copied, and the reason if it fits."""
    command = page.text(f"{'next:':{LABEL}}{step_command(step, path)}")
    why = page.text(f"{_APART}# {step.why}", "dim")
    return command + why if command.cell_len + why.cell_len <= page.width else command


def _labelled(page: Page, label: str, *fields: str) -> list[Text]:
    first, *more = fields
    return page.joined([f"{label:{LABEL}}{first}", *more], _APART, indent=LABEL)


def _inside(page: Page, totals: InsideTotals, nodes: int) -> Text:
    """Return a single line of any length."""
    return page.shortened(page.text(f"{'inside':{LABEL}}{inside_text(totals, nodes)}"), page.width)
