"""The page Time line: rank and time as a matrix, and its phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.nodes.network import MUCH_BLOCKED_PERCENT
from rankwise.analysis.nodes.port_lines import port_lines
from rankwise.analysis.timing.time_line import RankLine, TimeLine
from rankwise.render.page.container import Container
from rankwise.render.page.contents.packed_tables import tables_data
from rankwise.render.page.contents.subject import Subject
from rankwise.text.empty import NO_TIME_LINE
from rankwise.text.units import percent_text
from rankwise.views.by import time
from rankwise.views.view import Detail

_COUNTS = {"sent": "bytes_sent", "received": "bytes_received", "messages": "messages", "calls": "calls"}
_MOST_EXACT = 20_000
"""Cells: if there are more, only a byte per number is kept."""
_MOST_CELLS = 100_000
_NOT_THERE = 255  # of the levels
_UNKNOWN = 255  # percent
_STEP = 0.4  # percent: between levels of shares

Floats = NDArray[np.float64]


class _Cells(NamedTuple):
    """Rates, shape (rows, intervals), of merged neighbouring ranks; NaN = none of them was present."""

    mean: Floats
    most: Floats


def time_line_data(of: Subject) -> dict[str, Any]:
    """Return the time line, as web/src/time_line/contract.ts declares it."""
    view = time.view(of.connection, Detail.BRIEF)
    whole = view.data["time"]
    if not isinstance(whole, TimeLine) or not whole.ranks or not whole.phases:
        return {"missing": NO_TIME_LINE}
    count = len(whole.intervals)
    edges = np.array([whole.begin_seconds + place * whole.width_seconds for place in range(count + 1)])
    together = 1  # a power of two, like most numbers of ranks on nodes and of nodes
    while len(whole.ranks) * count > together * _MOST_CELLS:
        together *= 2
    cells = _measures(whole.ranks, together)
    column = of.container.column
    packed, precision = _packed(of.container, cells, together)
    return {
        "missing": "",
        "title": view.title,
        "begin": whole.begin_seconds,
        "width": whole.width_seconds,
        "count": count,
        "together": together,
        "rank": column([line.rank for line in whole.ranks], ascending=True),
        "from": column([line.begin_seconds for line in whole.ranks]),
        "to": column([line.end_seconds for line in whole.ranks]),
        "threads": column([max(line.threads, 1) for line in whole.ranks]),
        "measures": packed,
        "precision": precision,
        "ports": _ports(of, edges),
        "phases": {
            "begin": [phase.begin_seconds for phase in whole.phases],
            "end": [phase.end_seconds for phase in whole.phases],
            "mpi": [phase.percent_of_mpi for phase in whole.phases],
            **{
                name: [getattr(phase, long) / (phase.seconds or 1.0) for phase in whole.phases]
                for name, long in _COUNTS.items()
            },
            "table": tables_data(view, Detail.BRIEF)[0],
        },
    }


def _ports(of: Subject, edges: Floats) -> dict[str, Any] | None:
    """Return the bytes at the network ports of each node, or of the nodes that moved most."""
    host_of = {host: number for number, host in enumerate(of.axes.hosts)}
    lines = [line for line in port_lines(of.connection, edges) if line.host in host_of]
    if not lines:
        return None
    lines.sort(key=lambda line: -float(np.sum(line.sent_bytes + line.received_bytes)))
    shown = sorted(lines[: max(_MOST_CELLS // (len(edges) - 1), 1)], key=lambda line: host_of[line.host])
    seconds = np.array([line.sampled_seconds for line in shown])
    blocked = np.array([line.blocked_percent for line in shown])
    column = of.container.column

    def rates(amounts: Sequence[Floats]) -> dict[str, Any]:
        return column(_ratio(np.array(amounts), seconds).ravel().astype(np.float32))

    return {
        "host": column([host_of[line.host] for line in shown], ascending=True),
        "sent": rates([line.sent_bytes for line in shown]),
        "received": rates([line.received_bytes for line in shown]),
        "blocked": column(np.where(np.isnan(blocked), _UNKNOWN, np.rint(blocked)).ravel().astype(np.uint8)),
        "much": MUCH_BLOCKED_PERCENT,
        "others": len(lines) - len(shown),
    }


def _measures(lines: list[RankLine], together: int) -> dict[str, _Cells]:
    inside = np.array([line.inside_seconds for line in lines])
    threads = np.array([[max(line.threads, 1)] for line in lines])
    # The times of several threads are summed up: they can be in MPI for that many times as long.
    amounts = {
        "mpi": (100 * np.array([line.mpi_seconds for line in lines]), inside * threads),
        **{
            name: (np.array([getattr(line, long) for line in lines], np.float64), inside)
            for name, long in _COUNTS.items()
        },
    }
    measured = {name: _cells(amount, time, together) for name, (amount, time) in amounts.items()}
    # (Times are read one after the other: a share may be slightly above.)
    measured["mpi"] = _Cells(*(np.minimum(cells, 100.0) for cells in measured["mpi"]))
    return measured


def _cells(amount: Floats, time: Floats, together: int) -> _Cells:
    starts = np.arange(0, len(amount), together)
    mean = _ratio(np.add.reduceat(amount, starts, axis=0), np.add.reduceat(time, starts, axis=0))
    return _Cells(mean, np.fmax.reduceat(_ratio(amount, time), starts, axis=0))


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratios: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return ratios


class _Levels(NamedTuple):
    """The values of bytes, and the borders between them; `error` = the largest relative error of a value."""

    values: Floats
    borders: Floats
    error: float = 0.0

    @property
    def table(self) -> Floats:
        """Return the values by byte, including the one for absent ranks."""
        return np.append(np.pad(self.values, (0, _NOT_THERE - len(self.values)), "edge"), np.nan)

    def codes(self, values: Floats) -> NDArray[np.uint8]:
        """Return the bytes."""
        places = np.searchsorted(self.borders, values)
        return np.where(np.isnan(values), _NOT_THERE, places).astype(np.uint8)


def _packed(
    container: Container, measures: Mapping[str, _Cells], together: int
) -> tuple[dict[str, Any], str]:
    """Return the columns, and their precision; '' = exact."""
    exact = measures["mpi"].mean.size <= _MOST_EXACT
    columns: dict[str, Any] = {}
    worst = 0.0
    for name, cells in measures.items():
        levels = None if exact else _shares() if name == "mpi" else _rates(cells)
        worst = max(worst, levels.error if levels else 0.0)
        columns[name] = {
            "levels": container.column(levels.table) if levels else None,
            "mean": _column(container, cells.mean, levels),
            "most": _column(container, cells.most, levels) if together > 1 else None,
        }
    if exact:
        return columns, ""
    share = percent_text(_STEP / 2)
    return (
        columns,
        f"Shares are rounded to {share} %, other numbers to {percent_text(100 * worst)} % of their value.",
    )


def _column(container: Container, values: Floats, levels: _Levels | None) -> dict[str, Any]:
    return container.column(levels.codes(values) if levels else values.astype(np.float32))


def _shares() -> _Levels:
    values = np.arange(0.0, 100.0 + _STEP, _STEP)
    return _Levels(values, (values[1:] + values[:-1]) / 2)


def _rates(cells: _Cells) -> _Levels:
    """Return 0, and levels from the least to the most at equal ratios."""
    both = np.stack([cells.mean, cells.most])
    some = both[both > 0]
    if not some.size:
        return _Levels(np.zeros(1), np.zeros(0))
    values = np.geomspace(some.min(), some.max(), _NOT_THERE - 1)
    borders = np.sqrt(values[1:] * values[:-1])
    ratio = float(values[1] / values[0])
    return _Levels(
        np.concatenate(([0.0], values)), np.concatenate(([values[0] / 2], borders)), ratio**0.5 - 1
    )
