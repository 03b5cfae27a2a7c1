"""The summary at the end of a run: always the same data in the same place, on one screen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO, TypeVar

from rich.text import Text

from rankwise.analysis.calls.spread import Spread
from rankwise.analysis.evidence import Evidence
from rankwise.analysis.last_calls import INSIDE
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.summary import Summary, summary
from rankwise.analysis.timing.times import Balance
from rankwise.diagnosis.kept import diagnosis
from rankwise.diagnosis.model import Diagnosis
from rankwise.records import dataclass
from rankwise.render.terminal.brief import brief_lines
from rankwise.render.terminal.last_calls import place_columns
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.summary_foot import ended_foot, findings_foot, foot_lines
from rankwise.render.terminal.summary_head import head_lines
from rankwise.render.terminal.tables import TextColumn, fit, table_lines
from rankwise.render.terminal.view import text_columns
from rankwise.text.empty import NO_CALLS, NOTHING_BETWEEN
from rankwise.text.hang import hang_sentence
from rankwise.text.units import byte_text, percent_text, second_text
from rankwise.views.summary_tables import CALLS_OF_RUN, COMMUNICATORS, by_share
from rankwise.views.totals_columns import HasTotals
from rankwise.views.view import Column

Row = TypeVar("Row", bound=HasTotals)

_SCREEN_LINES = 24  # of the short form of a partial run, at 80 columns
_TABLE_LINES = 10  # of a table in the short form: nine rows and the others
_PLACE_LINES = 4  # three and the others
_LEAST_LINES = 2  # one and the others
_SEPARATORS_AND_HEADS = 5
_SEPARATOR_AND_HEAD = 2  # of the places
_MOST_OTHER_LINES = _SCREEN_LINES - _SEPARATORS_AND_HEADS - 2 * _LEAST_LINES


def print_summary(path: Path, *, file: TextIO | None = None, verbose: int = 0) -> None:
    """Print the summary of the profile at `path`: about ten lines.

    A partial run's summary fits on a screen, and begins with the lost data.

    Args:
        path: of the profile.
        file: to write to; stderr if None.
        verbose: 1: a screen, with more rows if they matter; 2: everything, nothing cut.

    Raises:
        RankwiseError: the profile can't be read.
    """
    with opened_profile(path) as connection:
        evidence = Evidence(connection)
        conclusions = diagnosis(evidence)
        run_summary = summary(connection, evidence, conclusions.account)
        write_summary(run_summary, conclusions, path, file or sys.stderr, verbose=verbose)


def write_summary(
    run_summary: Summary, conclusions: Diagnosis, path: Path, file: TextIO, *, verbose: int = 0
) -> None:
    """Write the summary of the profile at `path`, as `print_summary` does."""
    page = Page(file)
    if not verbose and run_summary.trust.complete:
        page.write(*brief_lines(page, run_summary, conclusions, path))
    else:
        # (For a partial run, the first form is already the longer one.)
        verbose += not run_summary.trust.complete
        page.write(*_long_lines(page, run_summary, conclusions, path, verbose=verbose > 1))


def _long_lines(
    page: Page, run_summary: Summary, conclusions: Diagnosis, path: Path, *, verbose: bool
) -> list[Text]:
    head = head_lines(page, run_summary, conclusions, path, verbose)
    foot = foot_lines(page, run_summary, conclusions, path)
    if verbose and run_summary.balance:
        head += [Text(), *_balance_lines(page, run_summary.balance)]
    if not verbose and page.height([*head, *foot]) > _MOST_OTHER_LINES:
        foot = foot_lines(page, run_summary, conclusions, path, short=True)
    is_short = not run_summary.trust.complete and not verbose
    if is_short:  # the places where ranks ended matter more than their traffic
        foot = ended_foot(page, run_summary, bool(conclusions.findings.in_summary), path)
    head += _place_lines(page, run_summary, page.height([*head, *foot]), verbose)
    if is_short and not hang_sentence(run_summary.hang):
        foot = _with_finding(page, run_summary, conclusions, path, head, foot)
    tables = _table_lines(page, run_summary, page.height([*head, *foot]), verbose)
    gap = [Text()] if foot[0].plain else []  # findings begin with one
    return [*head, Text(), *tables, *gap, *foot]


def _with_finding(
    page: Page, run_summary: Summary, conclusions: Diagnosis, path: Path, head: list[Text], foot: list[Text]
) -> list[Text]:
    """Return the foot with the first finding, if it fits."""
    longer = findings_foot(page, run_summary, conclusions.findings.in_summary[:1], path)
    lines = page.height([*head, *longer]) + _SEPARATORS_AND_HEADS + 2 * _LEAST_LINES
    return longer if lines <= _SCREEN_LINES else foot


def _place_lines(page: Page, run_summary: Summary, other_lines: int, verbose: bool) -> list[Text]:
    """Return where the ranks ended, outliers first; empty if there is no room."""
    odd_first = sorted(run_summary.places, key=lambda place: (place.count, place.state == INSIDE))
    tables = sum(min(_LEAST_LINES, len(rows)) for rows in (run_summary.families, run_summary.calls))
    lines_left = _SCREEN_LINES - other_lines - _SEPARATORS_AND_HEADS - tables - _SEPARATOR_AND_HEAD
    room = len(odd_first) if verbose else min(_PLACE_LINES, lines_left)
    if not odd_first or room < min(_LEAST_LINES, len(odd_first)):
        return []
    return [Text(), *table_lines(page, place_columns("ended in"), *fit(odd_first, room), fold=verbose)]


def _table_lines(page: Page, run_summary: Summary, other_lines: int, verbose: bool) -> list[Text]:
    if not run_summary.calls:
        return page.wrapped(NOTHING_BETWEEN if run_summary.opening_and_closing else NO_CALLS)
    families, calls = len(run_summary.families), len(run_summary.calls)
    if not verbose:
        families, calls = min(families, _TABLE_LINES), min(calls, _TABLE_LINES)
    if not verbose and not run_summary.trust.complete:
        room = _SCREEN_LINES - other_lines - _SEPARATORS_AND_HEADS
        families, calls = _shared_out(room, families, calls)
    return [
        *_counted_lines(page, COMMUNICATORS, run_summary.families, families, verbose),
        Text(),
        *_counted_lines(page, CALLS_OF_RUN, run_summary.calls, calls, verbose),
    ]


def _counted_lines(
    page: Page, columns: Sequence[Column[Row]], rows: Sequence[Row], lines: int, verbose: bool
) -> list[Text]:
    shown, rest = (rows, ()) if verbose else by_share(rows, lines)
    return table_lines(page, text_columns(columns), shown, rest, fold=verbose)


def _shared_out(lines: int, families: int, calls: int) -> tuple[int, int]:
    """Return the lines for the two tables, taken from the longer one until both fit into `lines`."""
    while families + calls > lines and max(families, calls) > _LEAST_LINES:
        if families > calls:
            families -= 1
        else:
            calls -= 1
    return families, calls


@dataclass(frozen=True)
class _Quantity:
    name: str
    spread: Spread
    text: Callable[[float], str]


_BALANCE: list[TextColumn[_Quantity]] = [
    TextColumn("over ranks", lambda line: line.name),
    TextColumn(
        "[total]", lambda line: "-" if line.spread.total is None else line.text(line.spread.total), right=True
    ),
    TextColumn("<avg>", lambda line: line.text(line.spread.average), right=True),
    TextColumn("min", lambda line: line.text(line.spread.minimum), right=True),
    TextColumn("rank", lambda line: str(line.spread.minimum_rank), right=True),
    TextColumn("max", lambda line: line.text(line.spread.maximum), right=True),
    TextColumn("rank", lambda line: str(line.spread.maximum_rank), right=True),
]


def _balance_lines(page: Page, balance: Balance) -> list[Text]:
    """Return the block, a line for each quantity."""
    lines = [
        _Quantity("wall", balance.wall_seconds, second_text),
        _Quantity("user", balance.user_seconds, second_text),
        _Quantity("system", balance.system_seconds, second_text),
        _Quantity("mpi", balance.mpi_seconds, second_text),
        _Quantity("init, finalize", balance.init_finalize_seconds, second_text),
        _Quantity("%comm (mpi of run)", balance.mpi_percent_of_run, lambda share: f"{percent_text(share)} %"),
        _Quantity("sent", balance.bytes_sent, byte_text),
    ]
    return table_lines(page, _BALANCE, lines)
