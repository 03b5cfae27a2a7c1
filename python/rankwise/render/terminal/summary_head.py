"""The head of the summary: the run, its trust line, and its time by part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from rankwise.analysis.overview import Run, Trust
from rankwise.analysis.summary import Summary
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.analysis.timing.times import Times
from rankwise.diagnosis.model import Diagnosis
from rankwise.render.terminal.page import Page
from rankwise.text.hang import hang_sentence
from rankwise.text.names import run_title, shown_path
from rankwise.text.summary import efficiency_text, run_fields, wall_text
from rankwise.text.trust import cost_line, coverage_fields, memory_line, partial_line, warnings
from rankwise.text.units import number_of, percent_text, second_text

_BAR = 20  # columns
_LEAST_BAR = 8  # a narrower bar is omitted
_MOST_LINES = 2  # of each part, in the short form
_INDENT = 2
_APART = "  "


def head_lines(page: Page, summary: Summary, diagnosis: Diagnosis, path: Path, verbose: bool) -> list[Text]:
    """Return title, trust line, warnings, wall time and its parts, and the limit of the run."""
    lines = title_lines(page, summary.run, run_fields(summary.run, verbose=verbose), verbose=verbose)
    lines += _trust_lines(page, summary.trust, path, verbose)
    if hang := hang_sentence(summary.hang):
        lines += page.wrapped(f"{hang}.", "bold red", _INDENT)
    return [
        *lines,
        Text(),
        *_time_lines(page, summary),
        *_efficiency_lines(page, summary.efficiency),
        *verdict_lines(page, summary, diagnosis, verbose=verbose),
    ]


def verdict_lines(page: Page, summary: Summary, diagnosis: Diagnosis, *, verbose: bool = False) -> list[Text]:
    """Return the limit of the run; empty if other lines say it: ranks that hang, no calls."""
    if not summary.calls or hang_sentence(summary.hang):
        return []
    # (A partial run has more to show on its screen.)
    return _capped(page, page.wrapped(diagnosis.verdict, "bold", _INDENT), verbose or summary.trust.complete)


def title_lines(page: Page, run: Run, fields: Sequence[str], *, verbose: bool = False) -> list[Text]:
    """Return the version and the command, and below them facts about the run."""
    title = f"rankwise {run.rankwise_version}{_APART}{run_title(run)}"
    lines = page.wrapped(title, "bold", _INDENT)
    if not verbose and len(lines) > 1:
        lines = [page.shortened(page.text(title, "bold"), page.width)]
    return lines + _capped(page, page.joined(fields, _APART, _INDENT), verbose)


def _trust_lines(page: Page, trust: Trust, path: Path, verbose: bool) -> list[Text]:
    lines = []
    fields = coverage_fields(trust, verbose)
    if trust.complete:
        fields[0] = f"complete: {fields[0]}"
    else:
        lines += _capped(page, page.wrapped(partial_line(trust), "bold red", _INDENT), verbose)
    whole = f"{', '.join(fields)}; {cost_line(trust)}"
    if len(whole) <= page.width:
        lines.append(page.text(whole))
    else:
        lines += [*page.joined(fields, ", ", _INDENT), *page.wrapped(cost_line(trust), indent=_INDENT)]
    if verbose and (where := memory_line(trust)):
        lines += page.wrapped(where, indent=_INDENT)
    return lines + warning_lines(page, trust, path, verbose=verbose)


def warning_lines(page: Page, trust: Trust, path: Path, *, verbose: bool = False) -> list[Text]:
    """Return what makes the numbers less reliable; in the short form at most two lines."""
    texts = warnings(trust)
    warned = [line for text in texts for line in page.wrapped(f"! {text}", "yellow", _INDENT)]
    if not verbose and len(warned) > _MOST_LINES:
        everything = f"rankwise show {shown_path(path)} -vv"
        more = f"! {number_of(len(texts), 'warning')} in full: {everything}"
        warned = [*warned[: _MOST_LINES - 1], page.shortened(page.text(more, "yellow"), page.width)]
    return warned


def _time_lines(page: Page, summary: Summary) -> list[Text]:
    times = summary.times
    wall = wall_text(summary)
    if times.most_in_mpi is None:
        return [page.text(f"{wall}{_APART}time in MPI unknown: no rank's counters could be read")]
    wall += f" (Init, Finalize {second_text(times.init_finalize_seconds)})"
    for other in ("compute, other", "other"):
        parts = [
            f"{other} {percent_text(times.rest_percent_of_run)} %",
            f"MPI {percent_text(times.mpi_percent_of_run)} %",
        ]
        words = _APART + _APART.join(parts)
        bar = min(_BAR, page.width - len(wall) - len(_APART) - len(words))
        if bar >= _LEAST_BAR:
            return [page.text(wall + _APART) + _bar(page, times, bar) + page.text(words)]
    return page.joined([wall, *reversed(parts)], _APART, _INDENT)


def _efficiency_lines(page: Page, efficiency: Efficiency | None) -> list[Text]:
    if efficiency is None or efficiency.ranks < 2:
        return []
    return page.wrapped(efficiency_text(efficiency), indent=_INDENT)


def _bar(page: Page, times: Times, columns: int) -> Text:
    """Return the parts of the time between MPI_Init and MPI_Finalize, in the order of the words."""
    full, empty = ("█", "░") if page.shows("█░") else ("#", ".")
    filled = min(columns, round(columns * times.mpi_percent_of_run / 100))
    return page.text(empty * (columns - filled), "dim") + page.text(full * filled, "cyan")


def _capped(page: Page, lines: list[Text], verbose: bool) -> list[Text]:
    """Return the lines; in the short form at most two, with a mark if there are more."""
    if verbose or len(lines) <= _MOST_LINES:
        return lines
    last = lines[_MOST_LINES - 1]
    last.append(" ...")
    return [*lines[: _MOST_LINES - 1], page.shortened(last, page.width)]
