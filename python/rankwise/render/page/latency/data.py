"""The data of the page, as web/src/latency/contract.ts declares it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.render.figures.heatmap.caption import about, quantity, statistic_name, title, warnings
from rankwise.render.figures.heatmap.classes import COLOURS
from rankwise.render.figures.heatmap.histogram import histogram
from rankwise.render.figures.heatmap.hostnames import short_names
from rankwise.render.figures.heatmap.marginals import marginals
from rankwise.render.figures.heatmap.scale import tick_text
from rankwise.render.figures.heatmap.view import BANDWIDTH, View, available
from rankwise.render.page.container import Container
from rankwise.render.page.latency.matrices import ROUNDING, is_rounded, matrix_data, most_cells
from rankwise.text.safe import safe
from rankwise.text.units import byte_text, digits_text

_FORMAT = 1
_ROBUST = ("min", "median", "p95", BANDWIDTH)  # with these, mean and deviation add nothing


def page_data(chosen: View, container: Container, *, surface: bool) -> dict[str, Any]:
    """Return everything that the page shows; its numbers go into the container.

    Args:
        chosen: the first view.
        container: for the numbers.
        surface: whether it shows the surface first.
    """
    measurement, ranks = chosen.measurement, chosen.ordering.ranks
    short = short_names(host.name for host in measurement.hosts)
    wanted = _wanted(chosen)
    views = [chosen.of(statistic, size) for statistic, size in wanted]
    start = wanted.index((chosen.statistic, chosen.size))
    cells = most_cells(len(ranks), views, start)
    rounded = is_rounded(cells, views)
    return {
        "format": _FORMAT,
        "title": _safe(title(chosen)),
        "about": [_safe(phrase) for phrase in about(measurement)],
        "warnings": [_safe(phrase) for phrase in warnings(measurement, chosen.ordering)],
        "classColours": list(COLOURS),
        "ranks": container.column(ranks, ascending=True),
        "hosts": [_safe(host.name) for host in measurement.hosts],
        "shortHosts": [_safe(short[host.name]) for host in measurement.hosts],
        "hostOf": container.column([measurement.ranks[rank].host for rank in ranks], ascending=True),
        "levels": _levels(chosen, container),
        "classes": [_safe(name) for name in chosen.classes.names],
        "divisions": [
            {"name": _safe(d.name), "blocks": [[b.start, b.stop, _safe(b.label)] for b in d.blocks]}
            for d in chosen.ordering.divisions
        ],
        "outliers": _outliers(chosen),
        "hierarchy": chosen.hierarchy is not None,
        "rounding": ROUNDING if rounded else 0,
        "views": [
            _view_data(view, rows, container, rounded=rounded)
            for view, rows in zip(views, cells, strict=True)
        ],
        "start": start,
        "surface": surface,
    }


def _wanted(chosen: View) -> list[tuple[str, int]]:
    """Return the statistics and sizes of the page."""
    wanted = []
    for size in chosen.measurement.sizes:
        there = available(chosen.measurement, size)
        robust = [statistic for statistic in there if statistic in _ROBUST]
        names = robust if any(name != BANDWIDTH for name in robust) else there
        if size == chosen.size and chosen.statistic not in names:
            names = [*names, chosen.statistic]
        wanted += [(name, size) for name in names]
    return wanted


def _view_data(view: View, cells: int, container: Container, *, rounded: bool) -> dict[str, Any]:
    counts, nodes, scale = histogram(view), marginals(view), view.scale
    return {
        "statistic": view.statistic,
        "name": "bandwidth" if view.smallest else statistic_name(view.statistic),
        "size": view.size,
        "sizeName": byte_text(view.size),
        "unit": view.unit,
        "quantity": quantity(view),
        "smallest": view.smallest,
        "fast": scale.fast,
        "slow": scale.slow,
        "cut": scale.cut,
        "ticks": [[value, tick_text(value)] for value in scale.ticks(apart=0.05)],
        "matrix": matrix_data(view, cells, container, rounded=rounded),
        "histogram": {
            "edges": container.column(counts.edges),
            "counts": [container.column(row) for row in counts.counts],
            "medians": container.column(np.asarray(counts.medians, np.float64)),
        },
        "nodes": {
            "kind": nodes.kind,
            "labels": [_safe(label) for label in nodes.labels],
            "median": container.column(nodes.median),
            "worst": container.column(nodes.worst),
        },
    }


def _levels(chosen: View, container: Container) -> list[dict[str, Any]]:
    """Return the group of each place at each level but the outermost, from the innermost."""
    order = chosen.ordering.ranks
    if chosen.hierarchy is None:
        return [container.column([chosen.measurement.ranks[rank].host for rank in order], ascending=True)]
    return [container.column(level.groups[order], ascending=True) for level in chosen.hierarchy.levels[:-1]]


def _outliers(chosen: View) -> list[dict[str, str]]:
    """Return the rows of the table of outliers."""
    if chosen.hierarchy is None:
        return []
    rows = []
    for outlier in chosen.hierarchy.outliers:
        unit = "MB/s" if outlier.what == BANDWIDTH else "us"
        rows.append(
            {
                "kind": _safe(outlier.kind),
                "where": _safe(outlier.where),
                "size": byte_text(outlier.size),
                "measured": f"{digits_text(outlier.value)} {unit}",
                "others": f"{digits_text(outlier.expected)} {unit}",
                "verdict": _safe(outlier.verdict),
            }
        )
    return rows


def _safe(text: str) -> str:
    return safe(text, "utf-8")
