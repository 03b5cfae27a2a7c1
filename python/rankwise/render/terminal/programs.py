"""The MPI programs of a command, in a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from rankwise.analysis.opened import opened_profile
from rankwise.analysis.overview import run_facts
from rankwise.analysis.timing.times import times
from rankwise.records import dataclass
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.summary import print_summary
from rankwise.render.terminal.tables import TextColumn, fit, label, number, table_lines
from rankwise.text.names import program_text, shown_path
from rankwise.text.units import percent_text, second_text

_MOST_LINES = 10  # of the table


@dataclass(frozen=True)
class _Program:
    path: Path
    name: str
    ranks: int
    wall_seconds: float
    mpi_percent_of_run: float


_COLUMNS: list[TextColumn[_Program]] = [
    label("program", lambda row: row.name),
    TextColumn("ranks", lambda row: str(row.ranks), right=True),
    number("wall", lambda row: row.wall_seconds, second_text),
    TextColumn("% MPI", lambda row: percent_text(row.mpi_percent_of_run), right=True),
    TextColumn("profile", lambda row: shown_path(row.path)),
]


def print_longest(paths: Sequence[Path], file: TextIO) -> None:
    """Print the summary of the longest program; if there are several, after a table of all.

    Args:
        paths: of the profiles, in the order of the programs' starts.
        file: to write to.

    Raises:
        RankwiseError: a profile can't be read.
    """
    if len(paths) == 1:
        print_summary(paths[0], file=file)
        return
    programs = [_program(path) for path in paths]
    by_time = sorted(programs, key=lambda row: -row.wall_seconds)
    shown, rest = fit(by_time, _MOST_LINES)
    page = Page(file)
    in_order = [row for row in programs if row in shown]
    page.write(*table_lines(page, _COLUMNS, in_order, rest, fold=False), page.text(""))
    print_summary(by_time[0].path, file=file)


def _program(path: Path) -> _Program:
    with opened_profile(path) as connection:
        run, run_times = run_facts(connection), times(connection)
    name = program_text(run.programs or [[run.executable]])
    return _Program(path, name, run.ranks, run.wall_seconds, run_times.mpi_percent_of_run)
