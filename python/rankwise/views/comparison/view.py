"""A comparison as a view: the run as a whole, then the calls that changed most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rankwise.comparison.change import Change
from rankwise.comparison.compare import Changed, Comparison, Figure
from rankwise.text.names import call_name, quoted_name
from rankwise.views.comparison.sentences import (
    NAMES,
    amount_text,
    change_text,
    interval_text,
    median_notes,
    noise_note,
    only_lines,
    percent_change_text,
    title,
)
from rankwise.views.view import (
    FIGURES,
    MISSING,
    SECONDS,
    WORD,
    Column,
    Detail,
    Format,
    Table,
    View,
    label,
)

_MORE_SECONDS = Format("seconds", lambda value: change_text(value, "s"), "s", right=True)
_MORE_PERCENT = Format("percent", percent_change_text, "%", right=True)
_MORE_CALLS = Format("count", lambda value: change_text(value, "") if value else MISSING, right=True)
_MORE_BYTES = Format("bytes", lambda value: change_text(value, "B") if value else MISSING, "B", right=True)
_PART = Format("percent", lambda value: percent_change_text(value).lstrip("+"), "%", right=True)

_NOTHING = "No MPI call was recorded on either side."

HEADINGS = {
    "communicator_calls": "By communicator and call",
    "regions": "By region",
    "communicators": "By communicator",
    "calls": "By call",
}
"""Of the tables of calls, in their order."""


def view(found: Comparison) -> View:
    """Return the comparison as tables, in verbose answers with more of them."""
    several = found.noise_known
    tables = [
        Table(
            _whole_columns(several=several),
            found.whole,
            _NOTHING,
            notes=[f"{line}." for line in only_lines(found)],
            whole=True,
        )
    ]
    brief = {"communicator_calls", *(["regions"] if len(found.rows["regions"]) > 1 else [])}
    for kind, heading in HEADINGS.items():
        rows = found.rows[kind]
        columns = [*_NAME_COLUMNS[kind], *_row_columns(rows, several=several)]
        notes = [f"{noise_note(found)}."] if kind == "communicator_calls" else []
        notes += [f"{note}." for note in median_notes(found, rows)]
        detail = Detail.ALL if kind in brief else Detail.VERBOSE
        tables.append(Table(columns, rows, _NOTHING, title=heading, notes=notes, detail=detail))
    data: dict[str, object] = {
        **{name: value for name, value in vars(found).items() if name not in ("whole", "rows")},
        "noise": noise_note(found),
        "run": found.whole,
        **found.rows,
    }
    return View(title(found), tables, data)


def region_name(row: Changed) -> str:
    """Return the name of a row's region as tables have it."""
    return row.region or "(outside)"


def _whole_columns(*, several: bool) -> list[Column[Figure]]:
    of_change = _of_change(lambda row: row.value, several=several)
    return [
        label("the run", lambda row: NAMES[row.name], "figure of the run"),
        Column(
            "before", lambda row: amount_text(row.value.before, row.unit), FIGURES, "median", obvious=True
        ),
        Column("after", lambda row: amount_text(row.value.after, row.unit), FIGURES, "median", obvious=True),
        Column(
            "change",
            lambda row: change_text(row.value.change, row.unit),
            FIGURES,
            "after - before",
            obvious=True,
        ),
        *of_change,
        Column("verdict", lambda row: row.value.verdict, WORD, "of the change", obvious=True),
    ]


def _of_change(
    of: Callable[[Any], Change], *, several: bool, detail: Detail = Detail.ALL
) -> list[Column[Any]]:
    """Return the change in percent, and what of it is noise if that is known: in answers of the detail."""
    percent: Column[Any] = Column(
        "%",
        lambda row: of(row).percent,
        _MORE_PERCENT,
        "change in percent",
        obvious=True,
        detail=detail if several else Detail.ALL,
    )
    noise: Column[Any] = Column(
        "noise, %",
        lambda row: interval_text(of(row)),
        FIGURES,
        "of the change",
        obvious=True,
        detail=detail,
    )
    return [percent, noise] if several else [percent]


_COMMUNICATOR: Column[Changed] = label(
    "communicator",
    lambda row: quoted_name(row.communicator, row.user_name),
    "of these names, all made alike",
)
_CALL: Column[Changed] = label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_")
_REGION: Column[Changed] = label("region", region_name, "that the program names")
_NAME_COLUMNS = {
    "communicator_calls": [_COMMUNICATOR, _CALL],
    "communicators": [_COMMUNICATOR],
    "calls": [_CALL],
    "regions": [_REGION],
}


def _row_columns(rows: Sequence[Changed], *, several: bool) -> list[Column[Changed]]:
    times = "time, mean over the ranks"
    columns: list[Column[Changed]] = [
        _time("before", lambda row: None if row.only == "after" else row.seconds.before, times),
        _time("after", lambda row: None if row.only == "before" else row.seconds.after, times),
        Column(
            "change",
            lambda row: row.seconds.change,
            _MORE_SECONDS,
            "of the time",
            obvious=True,
            total=lambda rows: sum(row.seconds.change for row in rows),
        ),
        *_of_change(lambda row: row.seconds, several=several, detail=Detail.VERBOSE),
    ]
    if several:
        columns.append(Column("verdict", lambda row: row.seconds.verdict, WORD, "of the time", obvious=True))
    counts = [
        _count("calls", lambda row: row.calls.change, _MORE_CALLS),
        _count("sent", lambda row: row.bytes_sent.change, _MORE_BYTES),
    ]
    columns += [column for column in counts if any(map(column.value, rows))]
    columns += [
        Column(
            "% of wall",
            lambda row: row.percent_of_wall_change,
            _PART,
            "change of the time, of that of the wall time",
            detail=Detail.VERBOSE,
        ),
    ]
    return columns


def _time(name: str, value: Callable[[Changed], float | None], meaning: str) -> Column[Changed]:
    def total(rows: Sequence[Changed]) -> float:
        return sum(value(row) or 0.0 for row in rows)

    return Column(name, value, SECONDS, meaning, total=total)


def _count(name: str, value: Callable[[Changed], float], kind: Format) -> Column[Changed]:
    return Column(
        name, value, kind, "how many more after, over the ranks", total=lambda rows: sum(map(value, rows))
    )
