"""What several answers about a centre have: columns, and sentences on their runs and the gaps in the data."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Any

from rankwise.analysis.to_json import to_json
from rankwise.centre.questions import Scope
from rankwise.records import dataclass
from rankwise.text.units import digits_text, number_of, percent_text
from rankwise.views.view import COUNT, NAME, PERCENT, TEXT, WORD, Column, Detail, Format, Table, Value, View

Row = Mapping[str, Any]

_COMMANDS = 3  # after an answer

LEAST_HOURS = 0.0005
"""Fewer node hours are not shown as a number."""


def hours_text(hours: float) -> str:
    """Return node hours: `12,345`, `12.3`, `0.123`, `<0.001`."""
    if hours <= 0:
        return "0"
    if hours < LEAST_HOURS:
        return "<0.001"
    return f"{hours:,.0f}" if hours >= 99.95 else digits_text(hours)


HOURS = Format("node hours", hours_text, "node hours", right=True)
COMMAND = Format("command", str, flexible=True)


@dataclass(frozen=True)
class Next:
    """A command to type.

    Attributes:
        command: the command.
        what: it shows, in a few words.
    """

    command: str
    what: str


def explaining(rows: Iterable[Row], what: Callable[[Row], str]) -> list[Next]:
    """Return the commands that explain the runs of the first rows whose profiles are known.

    Args:
        rows: of an answer.
        what: returns in a few words what the command of a row shows.
    """
    commands = (Next(command, what(row)) for row in rows if (command := explain_command(row)))
    return [*islice(commands, _COMMANDS)]


def saved_percent(row: Row) -> float | None:
    """Return what could be saved in percent of the node hours; None = there are no node hours."""
    return 100 * row["waste_node_hours"] / row["node_hours"] if row["node_hours"] else None


def explain_command(row: Row) -> str | None:
    """Return the command that explains the run of a row; None = its profile is not known."""
    profile = row["profile"]
    return f"rankwise explain {shlex.quote(profile)}" if profile and profile.isprintable() else None


def period_text(scope: Scope) -> str:
    """Return the days of the first run and of the last one."""
    first, last = (f"{scope.totals[name]:%Y-%m-%d}" for name in ("first_started", "last_started"))
    return f"on {first}" if first == last else f"from {first} to {last}"


def restricted_text(scope: Scope) -> str:
    """Return what the runs are restricted to, with a blank in front; '' = nothing."""
    asked = scope.asked
    words = [
        f"{name} {value}"
        for name, value in (
            ("user", asked.user),
            ("program", asked.program),
            ("account", asked.account),
            ("partition", asked.partition),
            ("cluster", asked.cluster),
        )
        if value
    ]
    return f" of {', '.join(words)}" if words else ""


def saved_text(scope: Scope, *, bounded: bool) -> str:
    """Return how many of the node hours could be saved, the beginning of a sentence.

    Args:
        scope: the runs.
        bounded: whether some of the savings are only upper bounds.
    """
    saved, hours = (hours_text(scope.totals[name]) for name in ("waste_node_hours", "node_hours"))
    percent = percent_text(scope.waste_percent)
    return f"{'Up to' if bounded else 'About'} {saved} of {hours} node hours ({percent} %) could be saved"


NO_RUNS = "No run is left: remove an option such as --since, --user or --program, or ingest profiles."
NO_WASTE = "No finding of high confidence promises a saving."

SAVINGS = (
    "Only findings of high confidence count. Savings of one run overlap, so its total has only the largest."
)
"""How savings are added up."""


def unknown_line(scope: Scope) -> str:
    """Return the gaps in the data as a sentence."""
    totals = scope.totals
    parts = []
    share = scope.without_profile_percent
    if share is not None:
        parts.append(
            f"{percent_text(share)} % of the accounted node hours, in jobs without a profile (no MPI, or not"
            " recorded)"
        )
    elif scope.asked_accounting and not scope.asked.program:
        parts.append("jobs without a profile, since the store has no accounting of them")
    if totals["undiagnosed_runs"]:
        percent = 100 * totals["undiagnosed_node_hours"] / max(totals["node_hours"], 1e-300)
        parts.append(
            f"{number_of(totals['undiagnosed_runs'], 'run')} without a diagnosis"
            f" ({percent_text(percent)} % of the node hours of runs)"
        )
    return f"Not known: {'; '.join(parts)}." if parts else ""


def saving_column(hours: str, bounded: Callable[[Row], bool]) -> list[Column[Row]]:
    """Return the columns of a saving.

    Args:
        hours: key of the node hours.
        bounded: whether an upper bound is in the node hours of a row.
    """
    return [
        Column(
            "saving",
            lambda row: "up to" if bounded(row) else "about",
            WORD,
            "up to: the most possible; about: an estimate",
        ),
        plain("node hours", lambda row: row[hours], HOURS, "that could be saved"),
    ]


def is_bounded(row: Row) -> bool:
    """Return whether an upper bound is in the node hours of a row."""
    return bool(row["bounded_node_hours"] > 0)


def run_columns(of: str) -> list[Column[Any]]:
    """Return the columns of the run that shows something best.

    Args:
        of: what it shows.
    """
    return [
        plain("job", lambda row: row["job"] or None, NAME, f"that shows {of} best"),
        plain("of user", lambda row: row["user"], NAME, "of this job", verbose=True),
        *hidden_columns(),
    ]


def hidden_columns() -> list[Column[Any]]:
    """Return the columns of the run that only verbose answers have."""
    return [
        plain("cluster", lambda row: row["cluster"] or None, WORD, verbose=True),
        plain("profile", lambda row: row["profile"], TEXT, "of the job", verbose=True),
    ]


def data_of(scope: Scope, **lists: Sequence[Any]) -> dict[str, object]:
    """Return what `--json` answers, with the commands of rows that have a profile."""
    return {
        **{name: [_in_json(row) for row in rows] for name, rows in lists.items()},
        "totals": in_json(scope.totals),
        "recorded": scope.recorded,
        "without_profile_percent": scope.without_profile_percent,
        "asked": to_json(scope.asked),
    }


def _in_json(row: Any) -> Any:
    if not isinstance(row, dict):
        return row
    return in_json({**row, "explain": explain_command(row)} if "profile" in row else row)


def in_json(row: Row) -> dict[str, Any]:
    """Return the values of a row as JSON has them: instants are texts, in UTC."""
    return {name: _value_in_json(value) for name, value in row.items()}


def _value_in_json(value: Any) -> Any:
    if isinstance(value, date):  # an instant is one, too
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return value if isinstance(value, str | int | float | bool | dict | list | None) else str(value)


def no_runs(data: dict[str, object]) -> View:
    """Return the answer about no runs."""
    nothing: Column[Any] = plain("run", str, NAME)
    return View("", [Table([nothing], (), NO_RUNS)], data)


def plain(
    name: str,
    value: Callable[[Any], Value],
    kind: Format,
    meaning: str = "",
    *,
    verbose: bool = False,
) -> Column[Any]:
    """Return a column that needs no explanation below the table.

    Args:
        name: its title.
        value: of a row.
        kind: how values are written.
        meaning: of the values.
        verbose: whether only verbose answers have it.
    """
    detail = Detail.VERBOSE if verbose else Detail.ALL
    return Column(name, value, kind, meaning, obvious=True, detail=detail)


def count(name: str, meaning: str, *, verbose: bool = False) -> Column[Any]:
    """Return a column of counts, whose key is its name."""
    return plain(name, lambda row: row[name], COUNT, meaning, verbose=verbose)


def share(name: str, value: Callable[[Row], float | None], meaning: str) -> Column[Any]:
    """Return a column of percentages."""
    return plain(name, value, PERCENT, meaning)


def notes_of(scope: Scope) -> list[str]:
    """Return how savings are added up, and the gaps in the data."""
    return [line for line in (SAVINGS, unknown_line(scope)) if line]


def which_text(scope: Scope) -> str:
    """Return which runs an answer is about: `227 runs of user alice from 2026-10-01 to 2026-10-18`."""
    runs = number_of(scope.totals["runs"], "run")
    return f"{runs}{restricted_text(scope)} {period_text(scope)}"
