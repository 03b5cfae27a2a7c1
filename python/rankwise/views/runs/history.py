"""The history of a configuration as a view: what changed, what explains it, and the trend."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rankwise.comparison.change import Change
from rankwise.runs.history import COMMIT, DAY, RUN, Cause, History, HistoryChange, Point
from rankwise.text.names import call_name, quoted_name
from rankwise.text.summary import kernels_text
from rankwise.text.units import number_of, percent_text, second_text
from rankwise.views.comparison.sentences import change_text, interval_text, percent_change_text
from rankwise.views.runs.run_table import RunLine, runs_table
from rankwise.views.view import (
    COUNT,
    FIGURES,
    PERCENT,
    RATIO,
    SECONDS,
    STRIP,
    TEXT,
    WORD,
    Column,
    Detail,
    Format,
    Table,
    View,
    label,
)

_COMMIT_DIGITS = 10
_STRIP = 60  # characters
_NAMED = 3  # causes in a sentence
_MORE_SECONDS = Format("seconds", lambda value: change_text(value, "s"), "s", right=True)
_MORE_PERCENT = Format("percent", percent_change_text, "%", right=True)
_POINTS = {COMMIT: "commit", DAY: "day"}


def view(history: History) -> View:
    """Return the changes, what explains them, and the trend; the newest first."""
    changes = [
        Table(
            _changes(history),
            history.changes[::-1],
            "",
            title="Changes",
            notes=[f"{rule_line(history)}."],
            whole=True,
        ),
        _causes(history),
    ]
    tables = [
        *(changes if history.changes else []),
        _over_time(history),
        Table(
            _points(history),
            list(range(len(history.points)))[::-1],
            "No run is left.",
            title=f"By {_noun(history)}, newest first",
        ),
    ]
    return View(
        title(history),
        tables,
        {
            "points": history.points,
            "changes": history.changes,
            "configuration": history.chosen.configuration,
            "by": history.by,
            "rows": [
                {"communicator": family, "user_name": name, "procedure": procedure}
                for family, name, procedure in history.rows
            ],
            "least_points": history.least_points,
            "false_alarm_percent": history.false_alarm_percent,
            "others": history.chosen.others,
            "partial": [str(run.path) for run in history.chosen.partial],
        },
    )


def title(history: History) -> str:
    """Return the newest change and its causes, or why no change is shown, without a full stop."""
    if not history.is_known:
        return _too_few(history)
    if not history.changes:
        count = number_of(len(history.points), _noun(history))
        return f"No change of the run time was found in {count}: {rule_line(history).lower()}"
    newest = history.changes[-1]
    more = len(history.changes) - 1
    earlier = f"; {number_of(more, 'earlier change')}" if more else ""
    return f"{change_sentence(history, newest)}{earlier}"


def change_sentence(history: History, change: HistoryChange) -> str:
    """Return since when, by how much, and what explains it, without a full stop."""
    wall = change.wall
    word = "Slower" if wall.change > 0 else "Faster"
    percent = f" ({percent_change_text(wall.percent)} %)" if wall.percent is not None else ""
    noise = f", noise {interval_text(wall)} %" if wall.low is not None else ""
    times = f"wall {second_text(wall.before)} to {second_text(wall.after)}{percent}{noise}"
    return f"{word} since {point_name(history, change.after)}: {times}; {causes_text(change)}"


def causes_text(change: HistoryChange) -> str:
    """Return what explains a change, and how much of it."""
    machine = f"; all runs since are on new hosts: {_some(change.new_hosts)}" if change.new_hosts else ""
    if change.kernels_after:
        machine += (
            f"; all runs since have another kernel: {kernels_text(change.kernels_after)}, not"
            f" {kernels_text(change.kernels_before)}"
        )
    if lacked := change.without_processor:
        more = "more" if lacked.change > 0 else "less"
        machine += (
            f"; each rank was without a processor for {second_text(abs(lacked.change))} {more}, so it may be "
            "the machine"
        )
    if not change.causes:
        return f"no call and no other part explains it beyond noise{machine}"
    texts = [
        f"{change_text(cause.seconds.change, 's')} a rank {_where(cause)}" for cause in change.causes[:_NAMED]
    ]
    verb = "explains" if len(change.causes) == 1 else "explain"
    share = percent_text(change.explained_percent, decimals=0)
    return f"{', '.join(texts)} {verb} {share} % of it{machine}"


def point_name(history: History, index: int) -> str:
    """Return the name of a point: its commit and its date, or its date if earlier points have this commit."""
    point = history.points[index]
    is_first = all(other.commit != point.commit for other in history.points[:index])
    if point.commit and is_first:
        return f"{point.commit[:_COMMIT_DIGITS]} ({point.started[:10]})"
    date = point.started[:16].replace("T", " ") if history.by == RUN else point.started[:10]
    return f"{date}, within {point.commit[:_COMMIT_DIGITS]}" if point.commit else date


def gate_line(history: History, percent: float, *, failed: bool) -> str:
    """Say whether the newest change is worse than the limit."""
    limit = f"{percent:g} %"
    if not history.is_known:
        return f"passed: {_too_few(history)[0].lower()}{_too_few(history)[1:]}"
    if not history.changes:
        return "passed: no change of wall beyond noise"
    wall = history.changes[-1].wall
    change = change_text(wall.change, "s")
    if wall.percent is not None:
        change = f"{percent_change_text(wall.percent)} %"
    since = point_name(history, history.changes[-1].after)
    verdict, than = ("FAILED", "more than") if failed else ("passed", "not more than")
    return f"{verdict}: wall {change} since {since}, {than} {limit}"


def rule_line(history: History) -> str:
    """Return how changes were separated from noise."""
    return (
        f"At most {history.false_alarm_percent:g} % of histories without a change have a false alarm, by "
        f"ranks and permutations of the medians of the {_noun(history)}s"
    )


def _noun(history: History) -> str:
    return _POINTS.get(history.by, "run")


def _too_few(history: History) -> str:
    runs = sum(len(point.profiles) for point in history.points)
    enough = history.by != RUN and runs >= history.least_points
    return (
        f"Too few {_noun(history)}s to tell a change from noise: {len(history.points)}, and at least "
        f"{history.least_points} are needed{'; --by run takes each run by itself' if enough else ''}"
    )


def _where(cause: Cause) -> str:
    if cause.apart:
        at = f" on {_some(cause.hosts)}" if cause.hosts else ""
        at += f" in region {_some(cause.regions)}" if cause.regions else ""
        return f"{'' if cause.apart == 'outside MPI' else 'in '}{cause.apart}{at}"
    at = f" at {_some(cause.sites)}" if cause.sites else ""
    return f"in {call_name(cause.procedure)} on {quoted_name(cause.communicator, cause.user_name)}{at}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _changes(history: History) -> list[Column[HistoryChange]]:
    return [
        label(
            "since", lambda row: point_name(history, row.after), f"first {_noun(history)} after it", kind=WORD
        ),
        Column(
            f"{_noun(history)} before",
            lambda row: point_name(history, row.before),
            WORD,
            "the last one before it",
            obvious=True,
            detail=Detail.VERBOSE,
        ),
        Column("wall before", lambda row: row.wall.before, SECONDS, "median", obvious=True),
        Column("after", lambda row: row.wall.after, SECONDS, "median", obvious=True),
        Column("%", lambda row: row.wall.percent, _MORE_PERCENT, "change in percent", obvious=True),
        Column(
            "noise, %",
            lambda row: interval_text(row.wall),
            FIGURES,
            "confidence interval of the change",
            obvious=True,
        ),
        Column(
            "explained, %",
            lambda row: row.explained_percent,
            PERCENT,
            "share of the change that the parts below explain",
        ),
    ]


class _Explained(NamedTuple):
    change: HistoryChange
    cause: Cause


def _causes(history: History) -> Table:
    rows = [_Explained(change, cause) for change in history.changes[::-1] for cause in change.causes]

    def of(value: Callable[[Change], float | None]) -> Callable[[_Explained], float | None]:
        return lambda row: value(row.cause.seconds)

    columns: list[Column[_Explained]] = [
        label("since", lambda row: point_name(history, row.change.after), "of the change", kind=WORD),
        label("part", _part, "of the run", choice=True),
        Column("before", of(lambda change: change.before), SECONDS, "mean per rank, median", obvious=True),
        Column("after", of(lambda change: change.after), SECONDS, "mean per rank, median", obvious=True),
        Column("change", of(lambda change: change.change), _MORE_SECONDS, "of the time", obvious=True),
        Column(
            "% of change", lambda row: row.cause.percent_of_change, PERCENT, "of the change of the wall time"
        ),
    ]
    more: list[Column[_Explained]] = [
        Column(
            "call site", lambda row: _some(row.cause.sites) or None, TEXT, "with most of it", obvious=True
        ),
        Column("region", lambda row: _some(row.cause.regions) or None, TEXT, "with most of it", obvious=True),
        Column("hosts", lambda row: _some(row.cause.hosts) or None, TEXT, "that alone changed", obvious=True),
    ]
    columns += [column for column in more if any(map(column.value, rows))]
    return Table(
        columns,
        rows,
        "No call and no other part explains the changes beyond noise.",
        title="What explains them",
    )


def _part(row: _Explained) -> str:
    if row.cause.apart:
        return row.cause.apart
    return _row_name(row.cause.communicator, row.cause.user_name, row.cause.procedure)


def _row_name(communicator: str, user_name: str, procedure: str) -> str:
    return f"{call_name(procedure)} on {quoted_name(communicator, user_name)}"


class _Trend(NamedTuple):
    name: str
    values: list[float]


def _over_time(history: History) -> Table:
    points = history.points
    rows = [
        _Trend("wall", [point.wall_seconds for point in points]),
        _Trend("outside MPI", [point.outside_seconds for point in points]),
        *(
            _Trend(_row_name(*names), [point.rows[place] for point in points])
            for place, names in enumerate(history.rows)
        ),
    ]
    together = -(-len(points) // _STRIP)
    each = f"a character is {number_of(together, _noun(history))}, " if together > 1 else ""
    columns: list[Column[_Trend]] = [
        label("part", lambda row: row.name, "of the run", choice=True),
        Column(
            "oldest to newest",
            lambda row: _heights(row.values, together),
            STRIP,
            f"{each}from the least to the largest value of the row",
        ),
        Column("least", lambda row: min(row.values), SECONDS, "of all", obvious=True),
        Column("median", lambda row: statistics.median(row.values), SECONDS, "of all", obvious=True),
        Column("most", lambda row: max(row.values), SECONDS, "of all", obvious=True),
    ]
    return Table(columns, rows if points else [], "No run is left.", title="Over time", whole=True)


def _heights(values: Sequence[float], together: int) -> str:
    shown = [statistics.median(values[at : at + together]) for at in range(0, len(values), together)]
    low, high = min(shown), max(shown)
    if low == high:
        return "5" * len(shown)
    return "".join(str(1 + round(8 * (value - low) / (high - low))) for value in shown)


def runs(history: History) -> Table:
    """Return the runs, the newest first, as a table of the page."""
    lines = [
        RunLine(
            str(run.path),
            run.run.tags.get("commit", "")[:_COMMIT_DIGITS],
            run.run.wall_seconds,
            run.run.started,
        )
        for run in history.chosen.runs[::-1]
    ]
    return runs_table("commit" if any(line.of for line in lines) else "", lines)


def _points(history: History) -> list[Column[int]]:
    changes = {change.after: change for change in history.changes}

    def of(value: Callable[[Point], float | None]) -> Callable[[int], float | None]:
        return lambda index: value(history.points[index])

    def row(place: int) -> Callable[[int], float | None]:
        return of(lambda point: point.rows[place])

    columns: list[Column[int]] = [
        label(
            "date", lambda index: _date(history, history.points[index]), "of its first run, UTC", kind=WORD
        ),
    ]
    if any(point.commit for point in history.points):
        columns.append(
            label(
                "commit",
                lambda index: history.points[index].commit[:_COMMIT_DIGITS] or None,
                "of the source",
                kind=WORD,
            )
        )
    columns += [
        Column(
            "runs", lambda index: len(history.points[index].profiles), COUNT, "taken together", obvious=True
        ),
        Column("wall", of(lambda point: point.wall_seconds), SECONDS, "median", obvious=True),
        Column(
            "spread, %",
            lambda index: _spread(history.points[index]),
            PERCENT,
            "difference between the slowest and the fastest run, in percent of the median",
            detail=Detail.ALL if any(len(point.profiles) > 1 for point in history.points) else Detail.VERBOSE,
        ),
        Column(
            "change, %",
            lambda index: changes[index].wall.percent if index in changes else None,
            _MORE_PERCENT,
            "of the wall time from here on, beyond noise",
        ),
        Column("% MPI", of(lambda point: point.mpi_percent), PERCENT, "MPI, % of run", obvious=True),
        Column(
            "par. eff.",
            of(lambda point: point.parallel_efficiency),
            RATIO,
            "parallel efficiency, as in `explain`",
        ),
    ]
    for place, names in enumerate(history.rows):
        columns.append(
            Column(
                _row_name(*names),
                row(place),
                SECONDS,
                "time of the call on the communicator, mean per rank",
                obvious=True,
                detail=Detail.ALL if place == 0 else Detail.VERBOSE,
            )
        )
    return columns


def _date(history: History, point: Point) -> str:
    return point.started[:10] if history.by in _POINTS else point.started[:16].replace("T", " ")


def _spread(point: Point) -> float | None:
    if len(point.profiles) < 2 or not point.wall_seconds:
        return None
    return 100 * (point.most_wall_seconds - point.least_wall_seconds) / point.wall_seconds
