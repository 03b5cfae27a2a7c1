"""The head of the summary: what ran, how far to trust it, and how much of the time was MPI's."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.text import Text

from rankwise.analysis.overview import Run, Trust
from rankwise.analysis.summary import Summary
from rankwise.analysis.times import Times
from rankwise.report.names import library_name, shown_path
from rankwise.report.page import Page
from rankwise.report.trust_lines import cost_line, coverage_fields, partial_line, warnings
from rankwise.report.units import percent_text, second_text

_BAR = 20  # columns
_MOST_LINES = 2  # of each part, in the short form
_INDENT = 2
_APART = "  "


def head_lines(page: Page, found: Summary, path: Path, verbose: bool) -> list[Text]:
    """Return title, trust, warnings, wall time and MPI's share of it."""
    lines = _title_lines(page, found.run, verbose)
    lines += _trust_lines(page, found.trust, path, verbose)
    return [
        *lines,
        Text(),
        *_time_lines(page, found.times, found.times.most_in_mpi is not None),
    ]


def _title_lines(page: Page, run: Run, verbose: bool) -> list[Text]:
    facts = [
        _plural(run.ranks, "rank") + (f" / {_plural(run.nodes, 'node')}" if run.nodes else ""),
        f"job {run.job}" if run.job else "",
        run.started if verbose else run.started[:16].replace("T", " "),
        run.mpi_library if verbose else library_name(run.mpi_library),
        f"exit status {run.exit_status}" if run.exit_status else "",
    ]
    # A run directory that was recovered by hand may not tell the command.
    command = shlex.join(run.command or [run.executable])
    title = f"rankwise {run.rankwise_version}{_APART}{command}"
    lines = page.wrapped(title, "bold", _INDENT)
    if not verbose and len(lines) > 1:
        lines = [page.shortened(page.text(title, "bold"), page.width)]
    return lines + _capped(page, page.joined(facts, _APART, _INDENT), verbose)


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
    texts = warnings(trust)
    warned = [line for text in texts for line in page.wrapped(f"! {text}", "yellow", _INDENT)]
    if not verbose and len(warned) > _MOST_LINES:
        everything = f"rankwise show {shown_path(path)} -v"
        more = f"! {_plural(len(texts), 'warning')} in full: {everything}"
        warned = [*warned[: _MOST_LINES - 1], page.shortened(page.text(more, "yellow"), page.width)]
    return lines + warned


def _time_lines(page: Page, times: Times, known: bool) -> list[Text]:
    wall = f"wall {second_text(times.wall_seconds)}{_APART}"
    if not known:
        return [page.text(f"{wall}time in MPI unknown: no rank's counters could be read")]
    full, rest = ("█", "░") if page.shows("█░") else ("#", ".")
    filled = min(_BAR, round(_BAR * times.mpi_percent_of_wall / 100))
    return [
        page.text(f"{wall}MPI {percent_text(times.mpi_percent_of_wall)} % of wall  ")
        + page.text(full * filled, "cyan")
        + page.text(rest * (_BAR - filled), "dim")
        + page.text(f"  compute and other {percent_text(times.rest_percent_of_wall)} %")
    ]


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _capped(page: Page, lines: list[Text], verbose: bool) -> list[Text]:
    """Return the lines; in the short form at most two, with a mark where they go on."""
    if verbose or len(lines) <= _MOST_LINES:
        return lines
    last = lines[_MOST_LINES - 1]
    last.append(" ...")
    return [*lines[: _MOST_LINES - 1], page.shortened(last, page.width)]
