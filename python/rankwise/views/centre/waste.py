"""Where node hours could be saved: by kind of waste, and by program."""

from __future__ import annotations

from rankwise.centre.questions import Waste
from rankwise.centre.waste import KINDS
from rankwise.text.units import number_of
from rankwise.views.centre.common import (
    NO_WASTE,
    SAVINGS,
    Next,
    Row,
    count,
    data_of,
    explaining,
    is_bounded,
    no_runs,
    period_text,
    plain,
    restricted_text,
    run_columns,
    saved_text,
    saving_column,
    share,
    unknown_line,
)
from rankwise.views.view import NAME, TEXT, Column, Table, View, label


def view(found: Waste) -> View:
    """Return the answer."""
    data = data_of(found.scope, programs=found.programs, kinds=found.kinds)
    if not found.scope.totals["runs"]:
        return no_runs(data)
    hours = found.scope.totals["node_hours"]

    def of_all(row: Row) -> float | None:
        return 100 * row["node_hours"] / hours if hours else None

    kinds: list[Column[Row]] = [
        label("waste", lambda row: row["waste"], "kind"),
        *saving_column("node_hours", is_bounded),
        share("%", of_all, "of all node hours"),
        count("runs", "with this waste"),
        count("programs", "with this waste"),
        count("users", "with this waste"),
        plain("what helps", lambda row: _cure(row["waste"]), TEXT, "in a word"),
    ]
    programs: list[Column[Row]] = [
        label("program", lambda row: row["program"], "its name"),
        label("waste", lambda row: row["waste"], "kind"),
        *saving_column("node_hours", is_bounded),
        share("%", of_all, "of all node hours"),
        count("runs", "with this waste"),
        count("users", "with this waste"),
        *run_columns("it"),
        plain("finding", lambda row: row["title"], TEXT, "of this job", verbose=True),
        plain("then", lambda row: row["command"], NAME, "verb that helps", verbose=True),
    ]
    unknown = unknown_line(found.scope)
    return View(
        title(found),
        [
            Table(kinds, found.kinds, NO_WASTE, title="Kinds of waste", notes=[SAVINGS], whole=True),
            Table(
                programs,
                found.programs,
                NO_WASTE,
                title="Programs",
                notes=[unknown] if unknown else [],
            ),
        ],
        data,
    )


def title(found: Waste) -> str:
    """Return the answer in a sentence, without its full stop."""
    scope = found.scope
    totals = scope.totals
    runs = f"{number_of(totals['runs'], 'run')}{restricted_text(scope)} {period_text(scope)}"
    if not found.kinds:
        return f"{NO_WASTE.removesuffix('.')}, in {runs}"
    saved = saved_text(scope, bounded=any(map(is_bounded, found.kinds)))
    most = found.kinds[0]["waste"]
    meaning = f": {KINDS[most].meaning}" if most in KINDS else ""
    return f"{saved}, in {totals['wasteful_runs']} of {runs}; most by {most}{meaning}"


def next_commands(found: Waste) -> list[Next]:
    """Return the commands that explain the best runs of the first programs."""
    return explaining(found.programs, lambda row: f"{row['program']}, {row['waste']}")


def _cure(waste: str) -> str | None:
    return KINDS[waste].cure if waste in KINDS else None
