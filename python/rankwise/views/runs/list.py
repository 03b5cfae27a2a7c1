"""Many runs as a list: one line each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rankwise.runs.headline import Headline
from rankwise.runs.unreadable import Unreadable
from rankwise.text.units import number_of
from rankwise.views.view import (
    COUNT,
    NAME,
    NUMBER,
    PERCENT,
    RATIO,
    SECONDS,
    TEXT,
    WORD,
    Column,
    Detail,
    Table,
    View,
    label,
    legend,
)

_VERDICT = "verdict"
_OLDER = "*"
_COMMIT_DIGITS = 10
_LONGEST_ARGUMENTS = 32  # characters; all are in --json


def view(runs: Sequence[Headline], unreadable: Sequence[Unreadable], left_out: int) -> View:
    """Return the list.

    Args:
        runs: in the order of showing.
        unreadable: files and directories that could not be read.
        left_out: number of runs that were read and are not wanted.
    """
    notes = []
    if any(run.by_older_rules for run in runs):
        notes.append(
            f"{_OLDER} by the rules of another version: `rankwise show` may conclude something else."
        )
    if not all(run.limit for run in runs):
        notes.append(
            "Runs with `-q` keep no diagnosis, so their limit is missing here: `rankwise show` makes it."
        )
    if left_out:
        notes.append(f"{number_of(left_out, 'other run')} left out by the options.")
    table = Table(
        _columns(runs),
        runs,
        "No run is left: remove an option such as --program, --ranks, --since or --tag.",
        notes=notes,
    )
    data = {
        "runs": runs,
        "left_out": left_out,
        "unreadable": [{"file": str(file.path), "reason": file.reason} for file in unreadable],
    }
    return View(_title(runs), [table], data)


def page_view(of: View) -> View:
    """Return the list of a page: as on a terminal, and with the verdicts, for which a page has room."""
    (table,) = of.tables
    brief = table.columns_in(Detail.BRIEF)
    columns = [*brief, *(column for column in table.columns if column.name == _VERDICT)]
    notes = [*filter(None, [legend(columns)]), *table.notes]
    return replace(of, title="", tables=[replace(table, columns=columns, notes=notes)])


def _title(runs: Sequence[Headline]) -> str:
    if not runs:
        return ""
    programs = sorted({run.program for run in runs})
    of = programs[0] if len(programs) == 1 else number_of(len(programs), "program")
    first, last = min(run.started for run in runs)[:10], max(run.started for run in runs)[:10]
    when = f"on {first}" if first == last else f"from {first} to {last}"
    return f"{number_of(len(runs), 'run')} of {of}, {when}"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_ARGUMENTS else f"{text[: _LONGEST_ARGUMENTS - 3]}..."


def _columns(runs: Sequence[Headline]) -> list[Column[Headline]]:
    def if_they_differ(value: Callable[[Headline], object]) -> Detail:
        return Detail.ALL if len({value(run) for run in runs}) > 1 else Detail.VERBOSE

    return [
        Column("file", lambda run: run.file, NAME, "the profile", obvious=True, file=lambda run: run.file),
        label("started", lambda run: run.started[:16].replace("T", " "), "first MPI_Init", kind=WORD),
        Column("job", lambda run: run.job or None, NAME, "id", obvious=True, detail=Detail.VERBOSE),
        _named("user", lambda run: run.user, "owner of the file", if_they_differ(lambda run: run.user)),
        label("program", lambda run: run.program, "name of the program", choice=True),
        Column(
            "arguments",
            lambda run: _shortened(run.arguments) or None,
            NAME,
            "of the program",
            obvious=True,
            detail=if_they_differ(lambda run: run.arguments),
        ),
        _named("MPI", lambda run: run.mpi_library, "library", if_they_differ(lambda run: run.mpi_library)),
        *_tag_columns(runs),
        Column("ranks", lambda run: run.ranks, COUNT, "number of them", obvious=True, choice=True),
        Column("nodes", lambda run: run.nodes, COUNT, "number of them", obvious=True, choice=True),
        Column(
            "wall",
            lambda run: run.wall_seconds,
            SECONDS,
            "of the longest rank; +: the run did not end properly",
            mark=lambda run: "" if run.complete and not run.exit_status else "+",
            obvious=all(run.complete and not run.exit_status for run in runs),
        ),
        Column(
            "% MPI",
            lambda run: run.mpi_percent_of_run,
            PERCENT,
            "time in MPI, in percent of the run",
            obvious=True,
        ),
        Column(
            "efficiency",
            lambda run: run.parallel_efficiency,
            RATIO,
            "parallel efficiency (POP): mean time outside of MPI / run time",
        ),
        Column(
            "limit",
            lambda run: run.limit or None,
            WORD,
            "what limits the run",
            mark=lambda run: _OLDER if run.by_older_rules else "",
            choice=True,
        ),
        Column("exit", lambda run: run.exit_status, NUMBER, "status of the launch", detail=Detail.VERBOSE),
        Column(
            _VERDICT,
            lambda run: run.verdict or None,
            TEXT,
            "on the run",
            obvious=True,
            detail=Detail.VERBOSE,
        ),
    ]


def _named(name: str, value: Callable[[Headline], str], meaning: str, detail: Detail) -> Column[Headline]:
    return Column(name, value, NAME, meaning, obvious=True, detail=detail, choice=True)


def _tag_columns(runs: Sequence[Headline]) -> list[Column[Headline]]:
    """Return a column for each tag whose value is not the same in all runs; in verbose answers for all."""
    names = sorted({name for run in runs for name in run.tags})

    def column(name: str) -> Column[Headline]:
        def value(run: Headline) -> str | None:
            text = run.tags.get(name)
            return text[:_COMMIT_DIGITS] if text and name == "commit" else text

        detail = Detail.ALL if len({run.tags.get(name) for run in runs}) > 1 else Detail.VERBOSE
        return Column(name, value, WORD, "tag of the run", obvious=True, detail=detail, choice=True)

    return [column(name) for name in names]
