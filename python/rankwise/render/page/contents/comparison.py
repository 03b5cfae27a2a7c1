"""The page Comparison: what became slower or faster between the two sides, and with what confidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.comparison.change import Change
from rankwise.comparison.compare import Changed, Comparison
from rankwise.comparison.estimates import Estimated, Range
from rankwise.comparison.figures import KEYS
from rankwise.render.page.contents.packed_tables import tables_data
from rankwise.text.names import call_name, quoted_name
from rankwise.text.safe import safe
from rankwise.views.comparison.sentences import NAMES, limit_lines, noise_note, side_lines, title
from rankwise.views.comparison.view import HEADINGS, headings, region_name, site_name, view
from rankwise.views.view import Detail

_MOST_CHANGES = 200
_OF_CHANGE = ("before", "after", "change", "low", "high")


def comparison_data(comparison: Comparison, ran: str) -> dict[str, Any]:
    """Return the data of the page, as web/src/comparison/contract.ts declares it.

    Args:
        comparison: of two sides.
        ran: the programs of the sides.
    """
    return {
        "title": _safe(ran),
        "finding": _safe(title(comparison)),
        "sides": [_safe(line) for line in (*side_lines(comparison), *limit_lines(comparison))],
        "unlike": [_safe(sentence) for sentence in comparison.unlike],
        "noise": _safe(noise_note(comparison)),
        "wall": comparison.figure("wall").value.change,
        "apart": [
            {"name": name, "change": comparison.figure(figure).value.change}
            for name, figure in (("outside of MPI", "other"), ("MPI_Init, MPI_Finalize", "init_finalize"))
        ],
        "changes": [_change(row) for row in comparison.rows["communicator_calls"][:_MOST_CHANGES]],
        "tables": tables_data(view(comparison), Detail.ALL),
        "files": [
            _run_file(comparison),
            _findings_file(comparison),
            _estimates_file("time-in-mpi", "s", comparison.time_in_mpi),
            _estimates_file("efficiency", "", comparison.efficiency),
            *(_file(comparison, kind) for kind in headings(comparison)),
        ],
    }


def _change(row: Changed) -> dict[str, Any]:
    value = row.seconds
    return {
        "communicator": _safe(row.communicator),
        "label": _safe(quoted_name(row.communicator, row.user_name)),
        "procedure": call_name(row.procedure),
        "before": value.before,
        "after": value.after,
        "change": value.change,
        "low": value.low,
        "high": value.high,
        "verdict": value.verdict,
        "only": row.only,
    }


def _run_file(comparison: Comparison) -> dict[str, Any]:
    """Return the table of the run for a file: its figures have different units."""
    return {
        "name": "run",
        "lines": [
            ["figure", "unit", *_OF_CHANGE, "change, %", "verdict"],
            *(
                [NAMES[row.name], row.unit, *_numbers(row.value), row.value.percent, row.value.verdict]
                for row in comparison.whole
            ),
        ],
    }


def _findings_file(comparison: Comparison) -> dict[str, Any]:
    """Return the findings for a file."""
    of_side = ("could save, % of run", "runs", "runs that show it", "title")
    head = ["state", "finding", "subject"]
    head += [f"{side}: {what}" for side in ("before", "after") for what in of_side]
    lines = [
        [
            *(row.state, row.rule, _safe(row.subject)),
            *(
                value
                for side in (row.before, row.after)
                for value in (side.saved_percent_of_run, side.runs, side.asked, _safe(side.title))
            ),
        ]
        for row in comparison.findings
    ]
    return {"name": "findings", "lines": [head, *lines]}


def _estimates_file(name: str, unit: str, rows: Sequence[Estimated]) -> dict[str, Any]:
    """Return estimates of both sides for a file, with their ranges."""
    of_unit = f", {unit}" if unit else ""
    head = [
        f"{what}{end}{of_unit}"
        for what in ("before", "after", "change")
        for end in ("", " at least", " at most")
    ]
    lines = [
        [
            row.name,
            *(end for estimate in (row.before, row.after, row.change) for end in _ends(estimate)),
            *((row.value.low, row.value.high, row.value.verdict) if row.value else (None, None, "")),
        ]
        for row in rows
    ]
    return {"name": name, "lines": [["figure", *head, f"low{of_unit}", f"high{of_unit}", "verdict"], *lines]}


def _ends(estimate: Range | None) -> list[float | None]:
    return [estimate.value, estimate.low, estimate.high] if estimate else [None] * 3


def _file(comparison: Comparison, kind: str) -> dict[str, Any]:
    """Return a table of calls for a file: numbers with all their digits."""
    names = KEYS[kind]
    head = [
        *("call" if name == "procedure" else name for name in names),
        *(f"{name}, s" for name in _OF_CHANGE),
        *("change, %", "change, % of the change of wall", "verdict", "only"),
        *("calls before", "calls after", "sent before, B", "sent after, B"),
    ]
    lines = [
        [
            *(_name(row, name) for name in names),
            *_numbers(row.seconds),
            *(row.seconds.percent, row.percent_of_wall_change, row.seconds.verdict, row.only),
            *(row.calls.before, row.calls.after, row.bytes_sent.before, row.bytes_sent.after),
        ]
        for row in comparison.rows[kind]
    ]
    return {"name": HEADINGS[kind].lower().replace(" ", "-"), "lines": [head, *lines]}


def _name(row: Changed, of: str) -> str:
    names = {
        "communicator": row.communicator,
        "procedure": call_name(row.procedure),
        "region": region_name(row),
        "site": site_name(row),
        "function": row.function,
    }
    return _safe(names[of])


def _numbers(value: Change) -> list[float | None]:
    return [value.before, value.after, value.change, value.low, value.high]


def _safe(text: str) -> str:
    return safe(text, "utf-8")
