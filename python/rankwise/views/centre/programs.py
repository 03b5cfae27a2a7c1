"""Programs with most waste, their efficiency, and what another MPI library or kernel changed."""

from __future__ import annotations

from rankwise.centre.questions import KERNEL, LEAST_RUNS, LIBRARY, Programs, SoftwareChange
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
    slower = [change.changed for change in found.changes if change.wall.change > 0]
    if slower:
        what = slower[0] if len({*slower}) == 1 else "MPI library or kernel"
        answer += f"; {number_of(len(slower), 'configuration')} slower with another {what}"
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
    columns: list[Column[SoftwareChange]] = [
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
        plain("changed", lambda change: change.changed, WORD, "MPI library, kernel or both"),
        Column("before", lambda change: _named(change, "before"), NAME, "what changed"),
        Column("after", lambda change: _named(change, "after"), NAME, "what changed"),
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
        f"No difference between MPI libraries or kernels beyond noise, in {what}."
        if found.compared
        else f"No configuration has {LEAST_RUNS} or more runs with each of two MPI libraries or kernels.",
        title="Another MPI library or kernel",
        notes=[
            "Same user, program, arguments, ranks and nodes. Other input or another change of the machine may"
            " also be the reason, and where library and kernel changed, either of them."
            f" In {what}, the chance of one or more false ones is at most 5 %."
        ]
        if found.changes
        else [],
    )


def _named(change: SoftwareChange, when: str) -> str:
    """Return the software of a side that changed: `Open MPI 5.0.6, Linux 6.1.0`."""
    is_after = when == "after"
    library = change.library_after if is_after else change.library_before
    kernel = f"Linux {change.kernel_after if is_after else change.kernel_before}"
    return {LIBRARY: library, KERNEL: kernel}.get(change.changed, f"{library}, {kernel}")


def _signed(hours: float) -> str:
    return f"{'-' if hours < 0 else '+'}{hours_text(abs(hours))}"
