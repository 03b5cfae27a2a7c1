"""The page Overview: a run's trust line, its limit, its time by part, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.analysis.calls.heaviest import heaviest
from rankwise.analysis.calls.operations import Operation
from rankwise.analysis.next_step import EXPLAIN, next_step
from rankwise.findings.as_json import command_line
from rankwise.findings.search import LEAST_PERCENT, Found
from rankwise.findings.texts import confidence_text, facts_text, saved_text, share_text
from rankwise.render.page.contents.overview_figures import efficiency_part, late_part, time_part
from rankwise.render.page.contents.packed_tables import table_data
from rankwise.render.page.contents.subject import Subject
from rankwise.text.empty import NO_CALLS, NOTHING_BETWEEN
from rankwise.text.last_calls import held_text, place_text
from rankwise.text.names import call_name, operation_name
from rankwise.text.safe import safe
from rankwise.text.summary import step_command
from rankwise.text.trust import cost_line, coverage_fields, memory_line, partial_line
from rankwise.text.units import bin_text, percent_text
from rankwise.views.summary_tables import CALLS_OF_RUN, COMMUNICATORS, Row
from rankwise.views.view import FIGURES, NUMBER, TEXT, Cell, Column, Detail, Line, Table, label

_TABLE_LINES = 4
_PLACE_LINES = 6
_MOSTLY = 50.0  # percent of the time of calls: above it, their size is shown

_PLACES = [
    label("ranks", lambda row: row.ranks, "of MPI_COMM_WORLD", kind=TEXT),
    Column("n", lambda row: row.count, NUMBER, "how many", obvious=True),
    label("ended in", place_text, "last known state", kind=TEXT),
    label("for", held_text, "how long they had been there, shortest to longest", kind=FIGURES),
    label("missing", lambda row: row.missing or "-", "members that the call waited for", kind=TEXT),
]


def overview_data(of: Subject) -> dict[str, Any]:
    """Return the overview of a run, as web/src/overview/contract.ts declares it."""
    summary = of.summary
    shown = of.findings.in_summary
    steps = [*([EXPLAIN] if shown else []), next_step(summary)]
    return {
        "missing": "",
        "trust": _trust(of),
        "verdict": safe(of.diagnosis.verdict, "utf-8"),
        "heaviest": _heaviest(of),
        "places": _places(of),
        "time": time_part(of),
        "efficiency": efficiency_part(of),
        "late": late_part(of),
        "findings": [_finding(of, entry) for entry in shown],
        "noFindings": _no_findings(of),
        "next": [
            {"command": safe(step_command(step, of.path), "utf-8"), "why": safe(step.why, "utf-8")}
            for step in steps
        ],
        "communicators": _short(
            of, COMMUNICATORS, summary.families, "communicator", [row.family for row in summary.families]
        ),
        "calls": _short(
            of, CALLS_OF_RUN, summary.calls, "procedure", [call_name(row.procedure) for row in summary.calls]
        ),
    }


def _trust(of: Subject) -> dict[str, Any]:
    trust = of.summary.trust
    texts = [*coverage_fields(trust, verbose=False), cost_line(trust), memory_line(trust)]
    return {
        "complete": trust.complete,
        "line": "complete" if trust.complete else safe(partial_line(trust), "utf-8"),
        "fields": [safe(text, "utf-8") for text in texts if text],
    }


def _heaviest(of: Subject) -> dict[str, Any] | None:
    """Return the calls with the most time: procedure, place, communicator and size."""
    group = heaviest(of.connection)
    if group is None:
        return None
    operation = Operation(group.procedure, group.size_bin, None, None, group.seconds)
    is_one_size = group.percent_of_size >= _MOSTLY
    sized = operation_name(operation)
    texts = {
        "operation": sized if is_one_size else f"{call_name(group.procedure)} of several sizes",
        "communicator": next(
            (COMMUNICATORS[0].cell(row).text for row in of.summary.families if row.family == group.family),
            group.family,
        ),
        "site": group.place.name if group.place else "",
        "function": (group.place.function or "") if group.place else "",
        "share": f"{percent_text(group.percent_of_mpi)} % of the time in MPI",
        "size": bin_text(group.size_bin) if is_one_size and sized != call_name(group.procedure) else "",
        "procedure": call_name(group.procedure),
        "family": group.family,
    }
    return {name: safe(text, "utf-8") for name, text in texts.items()}


def _places(of: Subject) -> dict[str, Any] | None:
    """Return where the ranks of a partial run ended, outliers first, as on the terminal."""
    rows = sorted(of.summary.places, key=lambda place: place.count)
    if not rows:
        return None
    return table_data(Table(_PLACES, rows, ""), Detail.BRIEF, _PLACE_LINES)


def _finding(of: Subject, entry: Found) -> dict[str, Any]:
    finding, run = entry.finding, of.seen.run
    facts = {
        "could save": saved_text(entry),
        "formula": finding.formula,
        "from": facts_text(finding.inputs),
        "seen": facts_text(finding.evidence),
        "confidence": confidence_text(finding),
        "rule": f"{finding.rule} (rankwise explain {finding.rule})",
    }
    return {
        "title": safe(finding.title, "utf-8"),
        "share": share_text(entry),
        "confidence": finding.confidence,
        "command": safe(command_line(finding.command, run, of.path), "utf-8"),
        "facts": [[name, safe(text, "utf-8")] for name, text in facts.items() if text],
    }


def _no_findings(of: Subject) -> str:
    if of.findings.in_summary:
        return ""
    return f"No rule found a possible saving of {LEAST_PERCENT:.0f} % of the run."


def _short(
    of: Subject, columns: Sequence[Column[Row]], rows: Sequence[Row], key: str, values: Sequence[str]
) -> dict[str, Any]:
    """Return the rows with the most time, each with the value of its filter."""
    if not of.summary.calls:
        rows, values = (), ()  # communicators, none of them used
    ordered = sorted(rows, key=lambda row: -row.totals.seconds)
    # (A row takes no more space than "1 other".)
    most = _TABLE_LINES if len(rows) <= _TABLE_LINES else _TABLE_LINES - 1
    shown, unlisted = ordered[:most], ordered[most:]
    empty = NOTHING_BETWEEN if of.summary.opening_and_closing else NO_CALLS
    others: Line = {
        columns[0].name: Cell(f"{len(unlisted)} other{'s' * (len(unlisted) > 1)}"),
        **{column.name: column.total_cell(unlisted) for column in columns if column.total},
    }
    whole = table_data(Table(columns, shown, empty, apart=[others] if unlisted else []), Detail.BRIEF)
    whole["sums"] = whole["sums"][-1:] if unlisted else []  # without unlisted rows, the total adds nothing
    named = dict(zip(map(id, rows), values, strict=True))
    return {"table": whole, "filter": key, "values": [safe(named[id(row)], "utf-8") for row in shown]}
