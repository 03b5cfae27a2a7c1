"""What the data set has of single runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwise.centre.asked import Asked
from rankwise.centre.engines.engine import Engine
from rankwise.centre.queries import detail
from rankwise.records import dataclass

Row = Mapping[str, Any]

_TOGETHER = 500  # runs of a query


@dataclass(frozen=True, kw_only=True)
class Details:
    """A run.

    Attributes:
        run: columns of `details/runs.sql`.
        findings: in the order of `rankwise explain`.
        hosts: by the waiting that they caused, descending.
        calls: the most expensive first.
    """

    run: Row
    findings: Sequence[Row]
    hosts: Sequence[Row]
    calls: Sequence[Row]


def details(engine: Engine, asked: Asked, runs: Sequence[int]) -> list[Details]:
    """Return the details of runs, in their order.

    Args:
        engine: over the store.
        asked: only its period and its user count. Runs of other users are left out.
        runs: their numbers.
    """
    found: list[Details] = []
    for first in range(0, len(runs), _TOGETHER):
        some = runs[first : first + _TOGETHER]
        parts = {name: _by_run(engine, asked, name, some) for name in ("runs", "findings", "hosts", "calls")}
        found += [
            Details(
                run=parts["runs"][run][0],
                findings=parts["findings"].get(run, ()),
                hosts=parts["hosts"].get(run, ()),
                calls=parts["calls"].get(run, ()),
            )
            for run in some
            if run in parts["runs"]
        ]
    return found


def _by_run(engine: Engine, asked: Asked, name: str, runs: Sequence[int]) -> dict[int, list[Row]]:
    rows: dict[int, list[Row]] = {}
    for row in engine.ask(detail(name, runs), asked.parameters()).named():
        rows.setdefault(row["run"], []).append(row)
    return rows
