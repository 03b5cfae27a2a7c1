"""The page Comparison: what became slower or faster from one side to the other, and how sure that is."""

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


def comparison_data(found: Comparison, ran: str) -> dict[str, Any]:
    """Return the data of the page, as web/src/comparison/contract.ts declares it.

    Args:
        found: the comparison.
        ran: what ran on each side.
    """
    return {
        "title": _safe(ran),
        "finding": _safe(title(found)),
        "sides": [_safe(line) for line in (*side_lines(found), *limit_lines(found))],
        "unlike": [_safe(sentence) for sentence in found.unlike],
        "noise": _safe(noise_note(found)),
        "wall": found.figure("wall").value.change,
        "apart": [
            {"name": name, "change": found.figure(figure).value.change}
            for name, figure in (("outside of MPI", "other"), ("MPI_Init, MPI_Finalize", "init_finalize"))
        ],
        "changes": [_change(row) for row in found.rows["communicator_calls"][:_MOST_CHANGES]],
        "tables": tables_data(view(found), Detail.ALL),
        "files": [
            _run_file(found),
            _findings_file(found),
            _estimates_file("time-in-mpi", "s", found.time_in_mpi),
            _estimates_file("efficiency", "", found.efficiency),
            *(_file(found, kind) for kind in headings(found)),
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


def _run_file(found: Comparison) -> dict[str, Any]:
    """Return the table of the run as a file has it: its figures have different units."""
    return {
        "name": "run",
        "lines": [
            ["figure", "unit", *_OF_CHANGE, "change, %", "verdict"],
            *(
                [NAMES[row.name], row.unit, *_numbers(row.value), row.value.percent, row.value.verdict]
                for row in found.whole
            ),
        ],
    }


def _findings_file(found: Comparison) -> dict[str, Any]:
    """Return the findings as a file has them."""
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
        for row in found.findings
    ]
    return {"name": "findings", "lines": [head, *lines]}


def _estimates_file(name: str, unit: str, rows: Sequence[Estimated]) -> dict[str, Any]:
    """Return estimates of both sides as a file has them: with their ranges."""
    of_unit = f", {unit}" if unit else ""
    head = [
        f"{what}{end}{of_unit}"
        for what in ("before", "after", "change")
        for end in ("", " at least", " at most")
    ]
    lines = [
        [
            row.name,
            *(end for one in (row.before, row.after, row.change) for end in _ends(one)),
            *((row.value.low, row.value.high, row.value.verdict) if row.value else (None, None, "")),
        ]
        for row in rows
    ]
    return {"name": name, "lines": [["figure", *head, f"low{of_unit}", f"high{of_unit}", "verdict"], *lines]}


def _ends(one: Range | None) -> list[float | None]:
    return [one.value, one.low, one.high] if one else [None] * 3


def _file(found: Comparison, kind: str) -> dict[str, Any]:
    """Return a table of calls as a file has it: numbers with all their digits."""
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
        for row in found.rows[kind]
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
