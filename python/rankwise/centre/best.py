"""The runs that show a problem best: looked up after ranking, in the months that have one of them.

Joining them while ranking would read long texts of all months.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwise.centre.asked import Asked
from rankwise.centre.engines.engine import Engine
from rankwise.centre.queries import detail

Row = Mapping[str, Any]

_OF_RUN = ("cluster", "job", "user", "profile")
_OF_FINDING = ("upper_bound", "title", "command")


def with_best_runs(
    engine: Engine, asked: Asked, rows: Sequence[Row], more: Sequence[str] = (), *, findings: bool = False
) -> list[Row]:
    """Return rows with what identifies the run of each; None if a row has no run.

    Args:
        engine: over the store.
        asked: whose period has the runs.
        rows: with `run`. Columns that a row has stay as they are.
        more: further columns of `details/best_runs.sql`.
        findings: whether bound, title and command of the run's finding are added, of the row's kind of waste.
    """
    columns = (*_OF_RUN, *more)
    numbers = sorted({row["run"] for row in rows if row["run"] is not None})
    if not numbers:
        return [{**_chosen({}, columns), **row} for row in rows]
    in_months = engine.ask(detail("months", numbers), asked.parameters()).named()
    months = sorted({row["month"] for row in in_months})
    runs = {run["run"]: run for run in engine.ask(detail("best_runs", numbers, months), {}).named()}
    wide: list[Row] = [{**_chosen(runs.get(row["run"], {}), columns), **row} for row in rows]
    if not findings:
        return wide
    largest = {
        (finding["run"], finding["waste"]): finding
        for finding in engine.ask(detail("best_findings", numbers, months), {}).named()
    }
    return [{**_chosen(largest.get((row["run"], row["waste"]), {}), _OF_FINDING), **row} for row in wide]


def _chosen(row: Row, columns: Sequence[str]) -> dict[str, Any]:
    return {name: row.get(name) for name in columns}
