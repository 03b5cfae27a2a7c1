"""Programs with most waste, their efficiency, and what another MPI library changed."""

from __future__ import annotations

from rankwise.centre.questions import LEAST_RUNS, LibraryChange, Programs
from rankwise.text.units import number_of
from rankwise.views.centre.common import (
    HOURS,
    Next,
    Row,
    count,
    data_of,
    explaining,
    hours_text,
    no_runs,
    notes_of,
    plain,
    run_columns,
    which_text,
)
from rankwise.views.comparison.sentences import interval_text, percent_change_text
from rankwise.views.view import (
    COUNT,
    FIGURES,
    NAME,
    SECONDS,
    TEXT,
    WORD,
    Column,
    Format,
    Table,
    View,
    label,
)

_MORE_HOURS = Format("node hours", lambda hours: _signed(hours), "node hours", right=True)
_CHANGE = Format("percent", percent_change_text, "%", right=True)
_CHANCE = Format("chance", lambda chance: f"{chance:.2g}", right=True)


def view(found: Programs) -> View:
    """Return the answer."""
    data = data_of(found.scope, programs=found.programs, changes=found.changes)
    if not found.programs:
        return no_runs(data)
    columns: list[Column[Row]] = [
        label("program", lambda row: row["program"], "its name"),
        plain("node hours", lambda row: row["node_hours"], HOURS, "of all its runs"),
        plain("to save", lambda row: row["waste_node_hours"], HOURS, "node hours, at most"),
        plain("most by", lambda row: row["waste"], WORD, "kind of waste"),
        Column(
            "efficiency, %",
            _efficiency,
            FIGURES,
            "parallel efficiency (POP), by node hours: median, and without the lowest and the highest tenth",
        ),
        count("runs", "of it"),
        count("users", "of it"),
        *run_columns("the waste"),
    ]
    tables = [
        Table(
            columns,
            found.programs,
            "",
            title="Programs",
            notes=notes_of(found.scope),
        ),
        _changes(found),
    ]
    return View(title(found), tables, data)


def title(found: Programs) -> str:
    """Return the answer in a sentence, without its full stop."""
    first = found.programs[0]
    scope = found.scope
    which = f"in {which_text(scope)}"
    if first["waste_node_hours"] > 0:
        answer = (
            f"{first['program']} could save most: up to {hours_text(first['waste_node_hours'])} of its"
            f" {hours_text(first['node_hours'])} node hours, most by {first['waste']}, {which}"
        )
    else:
        answer = f"No program has a finding of high confidence, {which}"
    slower = sum(change.wall.change > 0 for change in found.changes)
    if slower:
        answer += f"; {number_of(slower, 'configuration')} slower with another MPI library"
    return answer


def next_commands(found: Programs) -> list[Next]:
    """Return the commands that explain the best runs of the first programs."""
    wasteful = (row for row in found.programs if row["waste_node_hours"] > 0)
    return explaining(wasteful, lambda row: f"{row['program']}, {row['waste']}")


def _efficiency(row: Row) -> str | None:
    if row["median_percent"] is None:
        return None
    return f"{row['median_percent']} ({row['low_percent']}-{row['high_percent']})"


def _changes(found: Programs) -> Table:
    columns: list[Column[LibraryChange]] = [
        label("program", lambda change: change.program, "its name"),
        label("user", lambda change: change.user, "owner of the runs"),
        plain("ranks", lambda change: change.ranks, COUNT, "number"),
        plain("nodes", lambda change: change.nodes, COUNT, "number"),
        plain(
            "arguments",
            lambda change: change.arguments or None,
            TEXT,
            "",
            verbose=True,
        ),
        plain("before", lambda change: change.library_before, NAME, "MPI library"),
        plain("after", lambda change: change.library_after, NAME, "MPI library"),
        plain("wall before", lambda change: change.wall.before, SECONDS, "median"),
        plain("wall after", lambda change: change.wall.after, SECONDS, "median"),
        plain("%", lambda change: change.wall.percent, _CHANGE, "change of the wall time"),
        plain("noise, %", lambda change: interval_text(change.wall), FIGURES, "90 % interval"),
        Column("cost", lambda change: change.more_node_hours, _MORE_HOURS, "node hours of all runs after it"),
        plain("chance", lambda change: change.chance, _CHANCE, "", verbose=True),
    ]
    what = number_of(found.compared, "comparison")
    return Table(
        columns,
        found.changes,
        f"No difference between MPI libraries beyond noise, in {what}."
        if found.compared
        else f"No configuration has {LEAST_RUNS} or more runs with each of two MPI libraries.",
        title="Another MPI library",
        notes=[
            "Same user, program, arguments, ranks and nodes. Other input or a change of the machine may also"
            f" be the reason. In {what}, the chance of one or more false ones is at most 5 %."
        ]
        if found.changes
        else [],
    )


def _signed(hours: float) -> str:
    return f"{'-' if hours < 0 else '+'}{hours_text(abs(hours))}"
