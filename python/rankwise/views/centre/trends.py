"""Months: node hours, the recorded share, efficiency, and waste by kind."""

from __future__ import annotations

from rankwise.centre.questions import Trends
from rankwise.text.units import percent_text
from rankwise.views.centre.common import (
    HOURS,
    LEAST_HOURS,
    Row,
    count,
    data_of,
    hours_text,
    no_runs,
    notes_of,
    plain,
    restricted_text,
    saved_percent,
    share,
)
from rankwise.views.view import RATIO, WORD, Column, Format, Table, View, label

_MORE_HOURS = Format("node hours", lambda hours: signed(hours), "node hours", right=True)
_MOST_KINDS = 6


def view(found: Trends) -> View:
    """Return the answer."""
    data: dict[str, object] = {
        **data_of(found.scope, months=found.months, changes=found.changes),
        "earlier": found.earlier,
        "later": found.later,
    }
    if not found.months:
        return no_runs(data)
    sums: dict[str, float] = {}
    for month in found.months:
        for kind, hours in month["waste"].items():
            sums[kind] = sums.get(kind, 0.0) + hours
    kinds = sorted(sums, key=lambda kind: -sums[kind])
    columns: list[Column[Row]] = [
        label("month", lambda row: row["month"], "of the start", kind=WORD),
        count("runs", "number"),
        plain("node hours", lambda row: row["node_hours"], HOURS, "of these runs"),
        share("recorded, %", lambda row: row["recorded_percent"], "of the accounted node hours"),
        Column(
            "efficiency",
            lambda row: row["parallel_efficiency"],
            RATIO,
            "parallel efficiency (POP), mean weighted by node hours",
        ),
        plain("to save", lambda row: row["waste_node_hours"], HOURS, "node hours, at most"),
        share("%", saved_percent, "of the node hours"),
    ]
    tables = [
        Table(
            columns,
            found.months[::-1],
            "",
            title="By month, newest first",
            notes=notes_of(found.scope),
        )
    ]
    by_kind = [_kind(kind, at < _MOST_KINDS) for at, kind in enumerate(kinds)]
    if by_kind:
        tables.append(Table([columns[0], *by_kind], found.months[::-1], "", title="Node hours to save"))
    if found.earlier:
        tables.append(_changes(found))
    return View(title(found), tables, data)


def title(found: Trends) -> str:
    """Return the answer in a sentence, without its full stop."""
    scope = found.scope
    if not found.earlier:
        (newest,) = found.months[-1:]
        return (
            f"In {newest['month']}, up to {hours_text(newest['waste_node_hours'])} of"
            f" {hours_text(newest['node_hours'])} node hours{restricted_text(scope)} could be saved;"
            " there is no comparison, as the data do not cover two whole months"
        )
    by_name = {month["month"]: month for month in found.months}
    before, after = by_name[found.earlier], by_name[found.later]
    text = (
        f"From {found.earlier} to {found.later}, the share that could be saved"
        f"{restricted_text(scope)} went from {percent_text(saved_percent(before) or 0.0)} to"
        f" {percent_text(saved_percent(after) or 0.0)} % of the node hours"
    )
    if first := next(filter(change, found.changes), None):
        text += f"; largest change: {first['program']}, {first['waste']}, {signed(change(first))} node hours"
    return text


def _kind(kind: str, brief: bool) -> Column[Row]:
    return plain(
        kind,
        lambda row: row["waste"].get(kind, 0.0),
        HOURS,
        "node hours of this waste",
        verbose=not brief,
    )


def _changes(found: Trends) -> Table:
    columns: list[Column[Row]] = [
        label("program", lambda row: row["program"], "its name"),
        label("waste", lambda row: row["waste"], "kind", kind=WORD),
        plain(found.earlier, lambda row: row["earlier_node_hours"], HOURS, "node hours"),
        plain(found.later, lambda row: row["later_node_hours"], HOURS, "node hours"),
        plain(
            "change",
            change,
            _MORE_HOURS,
            "node hours that could be saved",
        ),
    ]
    return Table(columns, found.changes, "", title="Largest changes")


def change(row: Row) -> float:
    """Return the change in node hours; 0 where sums of the same numbers differ by rounding."""
    hours: float = row["later_node_hours"] - row["earlier_node_hours"]
    return hours if abs(hours) >= LEAST_HOURS else 0.0


def signed(hours: float) -> str:
    """Return node hours with their sign: `+12.3`; `0` has none."""
    return f"{'-' if hours < 0 else '+'}{hours_text(abs(hours))}" if hours else "0"
