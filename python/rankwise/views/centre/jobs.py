"""Jobs with most waste."""

from __future__ import annotations

from rankwise.centre.questions import Ranked
from rankwise.views.centre.common import (
    HOURS,
    NO_WASTE,
    Next,
    Row,
    count,
    data_of,
    explaining,
    hidden_columns,
    hours_text,
    no_runs,
    notes_of,
    plain,
    saving_column,
    which_text,
)
from rankwise.views.view import NAME, TEXT, WORD, Column, Table, View, label


def view(found: Ranked) -> View:
    """Return the answer."""
    data = data_of(found.scope, jobs=found.rows)
    if not found.scope.totals["runs"]:
        return no_runs(data)
    columns: list[Column[Row]] = [
        plain("job", lambda row: row["job"] or None, NAME, "id; -: a run without one"),
        label("user", lambda row: row["user"], "its owner"),
        label("program", lambda row: row["program"], "of the run with most waste"),
        plain("started", lambda row: f"{row['started']:%Y-%m-%d %H:%M}", WORD, "this run, UTC"),
        count("nodes", "of this run"),
        count("runs", "in the job", verbose=True),
        Column("of", lambda row: row["node_hours"], HOURS, "node hours of its runs"),
        *saving_column("waste_node_hours", lambda row: bool(row["upper_bound"])),
        plain("most by", lambda row: row["waste"], WORD, "kind of waste"),
        *hidden_columns(),
        plain("finding", lambda row: row["title"], TEXT, "of the run", verbose=True),
    ]
    return View(
        title(found),
        [Table(columns, found.rows, NO_WASTE, notes=notes_of(found.scope))],
        data,
    )


def title(found: Ranked) -> str:
    """Return the answer in a sentence, without its full stop."""
    if not found.rows:
        return ""
    first, scope = found.rows[0], found.scope
    which = which_text(scope)
    name = f"Job {first['job']}" if first["job"] else "A run"
    return (
        f"{name} of {first['user']} wasted most, {first['program']}:"
        f" {'up to' if first['upper_bound'] else 'about'} {hours_text(first['waste_node_hours'])} of"
        f" {hours_text(first['node_hours'])} node hours by {first['waste']}; of {which}"
    )


def next_commands(found: Ranked) -> list[Next]:
    """Return the commands that explain the first jobs."""
    return explaining(found.rows, lambda row: f"job {row['job']}")
