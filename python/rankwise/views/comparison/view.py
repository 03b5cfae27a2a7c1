"""A comparison as a view: the run as a whole, then the calls that changed most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rankwise.comparison.change import Change
from rankwise.comparison.compare import Changed, Comparison, Figure
from rankwise.comparison.estimates import Estimated, Range
from rankwise.comparison.findings import SMALL, FindingChange, FindingSide
from rankwise.findings.search import LEAST_PERCENT
from rankwise.records import dataclass
from rankwise.text.names import call_name, quoted_name
from rankwise.views.comparison.sentences import (
    NAMES,
    PARTS,
    amount_text,
    change_text,
    interval_text,
    may_be_text,
    median_notes,
    noise_note,
    only_lines,
    percent_change_text,
    seconds_change_text,
    signed_ratio_text,
    split_notes,
    title,
)
from rankwise.views.view import (
    FIGURES,
    MISSING,
    PERCENT,
    RATIO,
    SECONDS,
    TEXT,
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
_MAY_BE = (
    "Means over ranks; the first three rows are waiting. may be: range of the change given the errors of "
    "samples, clocks and unclassified time; ?: there may be no change. Noise between runs is not included"
)
_ZERO = Range(0.0, 0.0, 0.0)
_ESTIMATES = ("time_in_mpi", "efficiency")
_OTHERWISE = ("whole", "rows", *_ESTIMATES)

HEADINGS = {
    "communicator_calls": "By communicator and call",
    "regions": "By region",
    "sites": "By call site",
    "communicators": "By communicator",
    "calls": "By call",
}
"""Of the tables of calls, in their order."""


def headings(comparison: Comparison) -> dict[str, str]:
    """Return the tables that there are: call sites are not known of each profile."""
    return {kind: title for kind, title in HEADINGS.items() if kind != "sites" or comparison.rows[kind]}


def view(comparison: Comparison) -> View:
    """Return the comparison as tables, in verbose answers with more of them."""
    several = comparison.noise_known
    tables = [
        Table(
            _whole_columns(several=several),
            comparison.whole,
            _NOTHING,
            notes=[f"{line}." for line in only_lines(comparison)],
            whole=True,
        ),
        _findings_table(comparison),
        _estimates_table(
            "Where the time in MPI went",
            comparison.time_in_mpi,
            _SECONDS_OF_RANK,
            several=several,
            notes=[f"{_MAY_BE}."],
        ),
        _estimates_table(
            "Efficiency",
            comparison.efficiency,
            _FACTOR,
            several=several,
            notes=[f"{note}." for note in split_notes(comparison)],
        ),
    ]
    brief = {"communicator_calls", *(kind for kind in ("regions", "sites") if len(comparison.rows[kind]) > 1)}
    for kind, heading in headings(comparison).items():
        rows = comparison.rows[kind]
        columns = [*_NAME_COLUMNS[kind], *_row_columns(rows, several=several)]
        notes = [f"{noise_note(comparison)}."] if kind == "communicator_calls" else []
        notes += [f"{note}." for note in median_notes(comparison, rows)]
        detail = Detail.ALL if kind in brief else Detail.VERBOSE
        tables.append(Table(columns, rows, _NOTHING, title=heading, notes=notes, detail=detail))
    data: dict[str, object] = {
        **{name: value for name, value in vars(comparison).items() if name not in _OTHERWISE},
        "noise": noise_note(comparison),
        "run": comparison.whole,
        **{
            name: [_with_certainty(estimate) for estimate in getattr(comparison, name)] for name in _ESTIMATES
        },
        **comparison.rows,
    }
    return View(title(comparison), tables, data)


def _with_certainty(estimate: Estimated) -> dict[str, object]:
    return {**vars(estimate), "exceeds_error": estimate.exceeds_error}


def _findings_table(comparison: Comparison) -> Table:
    several = max(len(comparison.before.profiles), len(comparison.after.profiles)) > 1
    columns: list[Column[FindingChange]] = [
        label("state", lambda row: row.state, "of the finding", kind=WORD),
        label("finding", lambda row: row.rule, "rule of `rankwise explain`"),
        _saved("before, %", lambda row: row.before, several=several),
        _saved("after, %", lambda row: row.after, several=several),
        Column("its text", lambda row: row.title, TEXT, "the title", obvious=True),
    ]
    shown = [row for row in comparison.findings if row.state != SMALL]
    empty = f"No rule finds a possible saving of {LEAST_PERCENT:.0f} % of the run on either side."
    return Table(columns, shown, empty, title="Findings")


def _saved(
    name: str, side: Callable[[FindingChange], FindingSide], *, several: bool
) -> Column[FindingChange]:
    def mark(row: FindingChange) -> str:
        figure = side(row)
        return f" ({figure.runs} of {figure.asked})" if 0 < figure.runs < figure.asked else ""

    meaning = (
        "of the run that it could save; (1 of 3): number of runs in which this is at least "
        f"{LEAST_PERCENT:.0f} %"
        if several
        else "of the run that it could save"
    )
    return Column(name, lambda row: side(row).saved_percent_of_run, PERCENT, meaning, mark=mark)


@dataclass(frozen=True)
class _Kind:
    """How figures are written.

    Attributes:
        head: of their names.
        name: of a figure.
        values: their format.
        changes: the format of differences.
    """

    head: str
    name: Callable[[Estimated], str]
    values: Format
    changes: Format


_SECONDS_OF_RANK = _Kind(
    "time in MPI",
    lambda row: PARTS[row.name],
    SECONDS,
    Format("seconds", seconds_change_text, "s", right=True),
)
_FACTOR = _Kind("efficiency", lambda row: row.name, RATIO, Format("ratio", signed_ratio_text, right=True))


def _estimates_table(
    title: str, rows: Sequence[Estimated], kind: _Kind, *, several: bool, notes: Sequence[str]
) -> Table:
    def change(row: Estimated) -> float | None:
        return row.change.value if row.change else None

    def may_be(row: Estimated) -> str | None:
        return may_be_text(row.change, kind.changes.text) if row.change else None

    def mark(row: Estimated) -> str:
        written = row.change and kind.changes.text(row.change.value) != "0"
        return " ?" if written and not row.exceeds_error else ""

    columns: list[Column[Estimated]] = [
        label(kind.head, kind.name, "figure"),
        _side_value("before", lambda row: row.before, kind),
        _side_value("after", lambda row: row.after, kind),
        Column("change", change, kind.changes, "of it", obvious=True, mark=mark),
        Column("may be", may_be, FIGURES, "range of the change", obvious=True),
    ]
    if several:
        columns.append(Column("verdict", _verdict, WORD, "of the change", obvious=True))
    shown = [row for row in rows if row.before != _ZERO or row.after != _ZERO]
    return Table(columns, shown, _NOTHING, title=title, notes=notes, whole=True)


def _verdict(row: Estimated) -> str | None:
    return row.value.verdict if row.value else None


def _side_value(name: str, side: Callable[[Estimated], Range | None], kind: _Kind) -> Column[Estimated]:
    def value(row: Estimated) -> float | None:
        figure = side(row)
        return figure.value if figure else None

    return Column(name, value, kind.values, "median", obvious=True)


def region_name(row: Changed) -> str:
    """Return the name of a row's region as tables have it."""
    return row.region or "(outside)"


def site_name(row: Changed) -> str:
    """Return where calls are made, with the line that it was before if that is another one."""
    before = f" (was {row.site_before.rpartition(':')[2]})" if row.site_before else ""
    return f"{row.site or '(not known)'}{before}"


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
    change_of: Callable[[Any], Change], *, several: bool, detail: Detail = Detail.ALL
) -> list[Column[Any]]:
    """Return the change in percent, and what of it is noise if that is known: in answers of the detail."""
    percent: Column[Any] = Column(
        "%",
        lambda row: change_of(row).percent,
        _MORE_PERCENT,
        "change in percent",
        obvious=True,
        detail=detail if several else Detail.ALL,
    )
    noise: Column[Any] = Column(
        "noise, %",
        lambda row: interval_text(change_of(row)),
        FIGURES,
        "of the change",
        obvious=True,
        detail=detail,
    )
    return [percent, noise] if several else [percent]


_COMMUNICATOR: Column[Changed] = label(
    "communicator",
    lambda row: quoted_name(row.communicator, row.user_name),
    "with these names, all created the same way",
)
_CALL: Column[Changed] = label("call", lambda row: call_name(row.procedure), "MPI procedure, without MPI_")
_REGION: Column[Changed] = label("region", region_name, "named by the program")
_SITE: Column[Changed] = label("site", site_name, "file and line; without a line the program or library")
_FUNCTION: Column[Changed] = label("function", lambda row: row.function or None, "that calls")
_NAME_COLUMNS = {
    "communicator_calls": [_COMMUNICATOR, _CALL],
    "communicators": [_COMMUNICATOR],
    "calls": [_CALL],
    "regions": [_REGION],
    "sites": [_SITE, _FUNCTION, _CALL],
}


def _row_columns(rows: Sequence[Changed], *, several: bool) -> list[Column[Changed]]:
    times = "time, mean over ranks"
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
            "change of the time, as a share of the change of the wall time",
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
        name,
        value,
        kind,
        "number of additional calls after, summed over ranks",
        total=lambda rows: sum(map(value, rows)),
    )
