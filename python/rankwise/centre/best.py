"""The runs that show a problem best: looked up after ranking, in the months that have one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwise.centre.asked import Asked
from rankwise.centre.engines.engine import Engine
from rankwise.centre.queries import detail

Row = Mapping[str, Any]

_OF_RUN = ("cluster", "job", "user", "profile")
_OF_FINDING = ("upper_bound", "title", "command")


def with_runs(engine: Engine, asked: Asked, rows: Sequence[Row], *more: str) -> list[Row]:
    """Return rows with what identifies the run of each; None if they name none.

    Args:
        engine: over the store.
        asked: whose period has the runs.
        rows: with `run`.
        more: further columns of `details/best_runs.sql`. Columns that a row has stay as they are.
    """
    columns = (*_OF_RUN, *more)
    runs = {run["run"]: run for run in _ask(engine, asked, "best_runs", rows)}
    return [{**{name: runs.get(row["run"], {}).get(name) for name in columns}, **row} for row in rows]


def with_findings(engine: Engine, asked: Asked, rows: Sequence[Row]) -> list[Row]:
    """Return rows with the finding of their run and their kind of waste; None if there is none."""
    findings = {
        (finding["run"], finding["waste"]): finding for finding in _ask(engine, asked, "best_findings", rows)
    }
    return [
        {**row, **{name: findings.get((row["run"], row["waste"]), {}).get(name) for name in _OF_FINDING}}
        for row in rows
    ]


def _ask(engine: Engine, asked: Asked, name: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    runs = sorted({row["run"] for row in rows if row["run"] is not None})
    if not runs:
        return []
    parameters = asked.parameters()
    months = sorted({row["month"] for row in engine.ask(detail("months", runs), parameters).named()})
    return engine.ask(detail(name, runs, months), parameters).named() if months else []
