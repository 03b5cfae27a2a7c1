"""The page Comparison: what became slower or faster from one side to the other, and how sure that is."""

from __future__ import annotations

from typing import Any

from rankwise.comparison.compare import Changed, Comparison
from rankwise.report.comparison.sentences import noise_note, side_lines, title
from rankwise.report.comparison.view import view
from rankwise.report.contents.tables import tables_data
from rankwise.report.names import call_name, quoted_name
from rankwise.report.safe import safe
from rankwise.report.view import Detail

_MOST_CHANGES = 200


def comparison_data(found: Comparison) -> dict[str, Any]:
    """Return the data of the page, as web/src/comparison/contract.ts declares it."""
    return {
        "finding": _safe(title(found)),
        "sides": [_safe(line) for line in side_lines(found)],
        "unlike": [_safe(sentence) for sentence in found.unlike],
        "noise": _safe(noise_note(found)),
        "wall": found.figure("wall").value.change,
        "apart": [
            {"name": name, "change": found.figure(figure).value.change}
            for name, figure in (("outside of MPI", "other"), ("MPI_Init, MPI_Finalize", "init_finalize"))
        ],
        "changes": [_change(row) for row in found.rows["communicator_calls"][:_MOST_CHANGES]],
        "tables": tables_data(view(found), Detail.ALL),
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


def _safe(text: str) -> str:
    return safe(text, "utf-8")
