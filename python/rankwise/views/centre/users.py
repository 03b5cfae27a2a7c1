"""Users with most waste."""

from __future__ import annotations

from rankwise.centre.questions import Ranked
from rankwise.text.units import number_of, percent_text
from rankwise.views.centre.common import (
    HOURS,
    NO_WASTE,
    Next,
    Row,
    count,
    data_of,
    explaining,
    hours_text,
    no_runs,
    notes_of,
    plain,
    saved_percent,
    share,
    which_text,
)
from rankwise.views.view import NAME, TEXT, WORD, Column, Table, View, label


def view(found: Ranked) -> View:
    """Return the answer."""
    data = data_of(found.scope, users=found.rows)
    if not found.scope.totals["runs"]:
        return no_runs(data)
    columns: list[Column[Row]] = [
        label("user", lambda row: row["user"], "owner of the profiles"),
        count("runs", "of the user"),
        plain("node hours", lambda row: row["node_hours"], HOURS, "of these runs"),
        plain("to save", lambda row: row["waste_node_hours"], HOURS, "node hours, at most"),
        share("%", saved_percent, "of the user's node hours"),
        plain("most by", lambda row: row["waste"], WORD, "kind of waste"),
        plain("in", lambda row: row["program"], NAME, "program with most of it"),
        plain("job", lambda row: row["job"] or None, NAME, "that shows it best"),
        plain("cluster", lambda row: row["cluster"] or None, WORD, "", verbose=True),
        plain("profile", lambda row: row["profile"], TEXT, "of the job", verbose=True),
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
    if first["waste_node_hours"] <= 0:
        return f"No run of a user has a finding of high confidence, in {which}"
    return (
        f"{first['user']} could save most: up to {hours_text(first['waste_node_hours'])} of"
        f" {hours_text(first['node_hours'])} node hours ({percent_text(saved_percent(first) or 0.0)} %), most"
        f" by {first['waste']} in {first['program']}; {number_of(scope.totals['users'], 'user')} with {which}"
    )


def next_commands(found: Ranked) -> list[Next]:
    """Return the commands that explain the best runs of the first users."""
    wasteful = (row for row in found.rows if row["waste_node_hours"] > 0)
    return explaining(wasteful, lambda row: f"user {row['user']}")
