"""The summary for five seconds: the run, its limit, its time by part, the best finding."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from rich.text import Text

from rankwise.analysis.next_step import EXPLAIN, next_step
from rankwise.analysis.overview import Trust
from rankwise.analysis.summary import Summary
from rankwise.analysis.timing.parts import COMPUTE, FILES, TRANSFER, UNKNOWN, WAITING, Part
from rankwise.diagnosis.model import Diagnosis
from rankwise.render.terminal.explain import brief_finding_lines
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.summary_foot import LABEL, network_lines, next_line, reordered_lines
from rankwise.render.terminal.summary_head import title_lines, verdict_lines, warning_lines
from rankwise.render.terminal.tables import table_lines
from rankwise.render.terminal.view import text_columns
from rankwise.text.empty import NO_CALLS, NOTHING_BETWEEN
from rankwise.text.names import shown_path
from rankwise.text.summary import brief_fields
from rankwise.text.trust import trouble_fields
from rankwise.text.units import percent_text
from rankwise.views.summary_tables import CALLS_OF_RUN, COMMUNICATORS

_BAR = 30  # columns
_ROWS = 3
_APART = "  "
_INDENT = 2
_PARTS = {  # name, and marks in the bar: on terminals that show them, and elsewhere
    COMPUTE: ("compute, other", "░", "."),
    WAITING: ("waiting", "█", "#"),
    TRANSFER: ("transfer", "▓", "="),
    FILES: ("MPI-IO", "▒", "%"),
    UNKNOWN: ("unclassified", "▚", "?"),
}


def brief_lines(page: Page, summary: Summary, diagnosis: Diagnosis, path: Path) -> list[Text]:
    """Return about ten lines on a complete run."""
    return [
        *title_lines(page, summary.run, brief_fields(summary)),
        *_trouble_lines(page, summary.trust, path),
        *_bar_lines(page, summary, diagnosis.parts),
        *verdict_lines(page, summary, diagnosis),
        Text(),
        *_row_lines(page, summary),
        Text(),
        *_foot_lines(page, summary, diagnosis, path),
    ]


def _trouble_lines(page: Page, trust: Trust, path: Path) -> list[Text]:
    """Return why the numbers are not reliable; empty if they are."""
    lost = [page.shortened(page.text(f"! {field}", "yellow"), page.width) for field in trouble_fields(trust)]
    return [*lost, *warning_lines(page, trust, path)]


def _bar_lines(page: Page, summary: Summary, parts: Sequence[Part]) -> list[Text]:
    """Return the ranks' time between MPI_Init and MPI_Finalize by part: a bar, and its legend."""
    if summary.times.most_in_mpi is None:
        return page.wrapped("time in MPI unknown: no rank's counters could be read", indent=_INDENT)
    there = [part for part in parts if part.percent_of_run > 0 or part.name == COMPUTE]
    plain = not page.shows("".join(mark for _, mark, _ in _PARTS.values()))
    marks = [_PARTS[part.name][1 + plain] for part in there]
    ends = [round(_BAR * end / 100) for end in accumulate(part.percent_of_run for part in there)]
    starts = [0, *ends[:-1]]
    bar = "".join(mark * (end - start) for mark, start, end in zip(marks, starts, ends, strict=True))
    legend = [
        f"{mark} {_PARTS[part.name][0]} {'~' * part.is_estimate}{percent_text(part.percent_of_run)} %"
        for mark, part in zip(marks, there, strict=True)
    ]
    return page.joined([bar, *legend], _APART, _INDENT)


def _row_lines(page: Page, summary: Summary) -> list[Text]:
    """Return the communicators with the most time, or the calls of a run with few communicators."""
    if not summary.calls:
        return page.wrapped(NOTHING_BETWEEN if summary.opening_and_closing else NO_CALLS)
    if len(summary.families) >= _ROWS:
        families = sorted(summary.families, key=lambda row: -row.totals.seconds)
        return table_lines(page, text_columns(COMMUNICATORS), families[:_ROWS], (), fold=False)
    calls = sorted(summary.calls, key=lambda row: -row.totals.seconds)
    return table_lines(page, text_columns(CALLS_OF_RUN), calls[:_ROWS], (), fold=False)


def _foot_lines(page: Page, summary: Summary, diagnosis: Diagnosis, path: Path) -> list[Text]:
    """Return the best finding with its command, and the next command."""
    best = diagnosis.findings.in_summary[:1]
    step = EXPLAIN if best else next_step(summary)
    return [
        *network_lines(page, summary),
        *reordered_lines(page, summary),
        *brief_finding_lines(page, best, summary.run, path),
        next_line(page, step, path),
        page.text(f"{'more:':{LABEL}}rankwise show {shown_path(path)} -v"),
    ]
