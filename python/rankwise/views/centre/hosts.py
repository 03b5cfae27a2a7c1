"""Hosts that are slow in many runs, and ports that are blocked or count errors in many."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.centre.questions import BLOCKED_PERCENT, LEAST_RUNS, SLOW_PERCENT, Hosts
from rankwise.text.units import number_of
from rankwise.views.centre.common import (
    HOURS,
    Row,
    count,
    data_of,
    no_runs,
    plain,
    share,
    unknown_line,
    which_text,
)
from rankwise.views.view import FIGURES, WORD, Column, Format, Table, View, label

_NAMED = 3
_CHANCE = Format("chance", lambda chance: f"{chance:.2g}", right=True)


def view(found: Hosts) -> View:
    """Return the answer."""
    scope = found.scope
    if not scope.totals["runs"]:
        return no_runs(_data(found))
    unknown = unknown_line(scope)
    return View(
        title(found),
        [_slow(found), _blocked(found), _faulty(found, [unknown] if unknown else [])],
        _data(found),
    )


def title(found: Hosts) -> str:
    """Return the answer in a sentence, without its full stop."""
    parts = []
    if len(found.slow) == 1:
        (host,) = found.slow
        parts.append(
            f"slow: {host['host']}, by {host['slower_percent']} % compared with the other hosts in"
            f" {host['slow_runs']} of {host['runs']} runs"
        )
    elif found.slow:
        parts.append(f"slow in most of their runs: {_hosts(found.slow)}")
    if found.blocked:
        parts.append(f"ports blocked in most runs: {_hosts(found.blocked)}")
    if found.faulty:
        parts.append(f"ports with errors: {_hosts(found.faulty)}")
    which = which_text(found.scope)
    if not parts:
        return f"No host stands out in {which}"
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}; in {which}"


def _slow(found: Hosts) -> Table:
    columns: list[Column[Row]] = [
        label("host", lambda row: row["host"], "its name"),
        Column(
            "slower, %",
            lambda row: row["slower_percent"],
            FIGURES,
            "its ranks outside MPI against the median of the other hosts of the run, median of the runs",
        ),
        plain("in", lambda row: f"{row['slow_runs']} of {row['runs']} runs", FIGURES, "slower"),
        Column(
            "waiting caused",
            lambda row: row["caused_node_hours"],
            HOURS,
            "node hours that others waited for its late ranks",
        ),
        plain("chance", lambda row: row["chance"], _CHANCE, "", verbose=True),
    ]
    return Table(
        columns,
        found.slow,
        f"No host is slower than others in so many runs that chance is no explanation, of {found.compared}."
        if found.compared
        else "No run has three or more hosts with equally many ranks, so hosts cannot be compared.",
        title="Slow hosts",
        notes=[
            f"Of {number_of(found.compared, 'host')}, by {SLOW_PERCENT:g} % or more. The chance of one or"
            " more false ones is at most 5 %, by the sign test. A host that always has the same ranks may be"
            " slow because of their work."
        ]
        if found.slow
        else [],
    )


def _blocked(found: Hosts) -> Table:
    columns: list[Column[Row]] = [
        *_port(),
        share(
            "blocked, %", lambda row: row["blocked_percent"], "of the time in which it had data, an estimate"
        ),
        plain("in", lambda row: f"{row['blocked_runs']} of {row['runs']} runs", FIGURES, "blocked"),
        count("retransmissions", "of its adapter", verbose=True),
    ]
    return Table(
        columns,
        found.blocked,
        f"No port is blocked for {BLOCKED_PERCENT:g} % or more in most of {LEAST_RUNS} or more runs.",
        title="Blocked ports",
    )


def _faulty(found: Hosts, notes: Sequence[str]) -> Table:
    columns: list[Column[Row]] = [
        *_port(),
        count("errors", "of cable, port and adapter"),
        plain(
            "in",
            lambda row: f"{row['faulty_runs']} of {row['runs']} runs",
            FIGURES,
            "with errors",
        ),
    ]
    return Table(
        columns,
        found.faulty,
        "No port counts errors in several runs.",
        title="Ports with errors",
        notes=notes,
    )


def _port() -> list[Column[Row]]:
    return [
        label("host", lambda row: row["host"], "its name"),
        label("port", lambda row: row["port"], "device and number", kind=WORD),
        plain("kind", lambda row: row["kind"], WORD, "of network", verbose=True),
    ]


def _data(found: Hosts) -> dict[str, object]:
    return {
        **data_of(found.scope, slow_hosts=found.slow, blocked_ports=found.blocked, faulty_ports=found.faulty),
        "compared_hosts": found.compared,
    }


def _hosts(rows: Sequence[Row]) -> str:
    names = [*dict.fromkeys(row["host"] for row in rows)]
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
