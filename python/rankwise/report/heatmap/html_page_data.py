"""What the page is made from: words, names and numbers of all its views, as JSON."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.report.heatmap.caption import about, quantity, statistic_name, title, warnings
from rankwise.report.heatmap.classes import COLOURS
from rankwise.report.heatmap.histogram import histogram
from rankwise.report.heatmap.hostnames import short_names
from rankwise.report.heatmap.marginals import marginals
from rankwise.report.heatmap.pooling import Pooled, pooled
from rankwise.report.heatmap.scale import BEYOND, MISSING, PALETTE, tick_text
from rankwise.report.heatmap.view import BANDWIDTH, View, available
from rankwise.report.safe import safe
from rankwise.report.units import byte_text, digits_text

_MOST_CELLS = 1024  # rows
_LEAST_CELLS = 256
_MOST_BYTES = 40_000_000  # of all matrices in a page
_ROBUST = ("min", "median", "p95", BANDWIDTH)  # where these are, mean and deviation say nothing more
_CODES = 65534


def page_data(chosen: View, *, surface: bool) -> dict[str, Any]:
    """Return everything that the page shows.

    Args:
        chosen: the view that it begins with.
        surface: whether it begins with the surface.
    """
    measurement, order = chosen.measurement, chosen.ordering.ranks
    short = short_names(host.name for host in measurement.hosts)
    wanted = _wanted(chosen)
    cells = _most_cells(len(order), len(wanted))
    views = [_view_data(chosen, statistic, size, cells) for statistic, size in wanted]
    return {
        "title": _safe(title(chosen)),
        "about": [_safe(phrase) for phrase in about(measurement)],
        "warnings": [_safe(phrase) for phrase in warnings(measurement, chosen.ordering)],
        "palette": PALETTE,
        "beyond": BEYOND,
        "missing": MISSING,
        "classColours": COLOURS,
        "ranks": order.tolist(),
        "hosts": [_safe(host.name) for host in measurement.hosts],
        "shortHosts": [_safe(short[host.name]) for host in measurement.hosts],
        "hostOf": [measurement.ranks[rank].host for rank in order],
        "levels": _levels(chosen),
        "classes": [_safe(name) for name in chosen.classes.names],
        "divisions": [
            {"name": _safe(d.name), "blocks": [[b.start, b.stop, _safe(b.label)] for b in d.blocks]}
            for d in chosen.ordering.divisions
        ],
        "outliers": _outliers(chosen),
        "hierarchy": chosen.hierarchy is not None,
        "views": views,
        "start": wanted.index((chosen.statistic, chosen.size)),
        "surface": surface,
    }


def _wanted(chosen: View) -> list[tuple[str, int]]:
    """Return statistics and sizes that the page holds."""
    found = []
    for size in chosen.measurement.sizes:
        there = available(chosen.measurement, size)
        robust = [statistic for statistic in there if statistic in _ROBUST]
        names = robust if any(name != BANDWIDTH for name in robust) else there
        if size == chosen.size and chosen.statistic not in names:
            names = [*names, chosen.statistic]
        found += [(name, size) for name in names]
    return found


def _most_cells(ranks: int, views: int) -> int:
    """Return how many rows of cells the matrices may have, for a page that a browser still loads."""
    most = _MOST_CELLS
    while most > _LEAST_CELLS and 2 * views * min(ranks, most) ** 2 > _MOST_BYTES:
        most //= 2
    return most


def _view_data(chosen: View, statistic: str, size: int, most: int) -> dict[str, Any]:
    this = chosen.of(statistic, size)
    found = pooled(this.matrix, most, smallest=this.smallest, block=this.ordering.node_size())
    counts, nodes, scale = histogram(this), marginals(this), this.scale
    return {
        "statistic": statistic,
        "name": "bandwidth" if this.smallest else statistic_name(statistic),
        "size": size,
        "sizeName": byte_text(size),
        "unit": this.unit,
        "quantity": quantity(this),
        "smallest": this.smallest,
        "fast": scale.fast,
        "slow": scale.slow,
        "slowest": scale.slowest,
        "cut": scale.cut,
        "ticks": [[value, tick_text(value)] for value in scale.ticks(apart=0.05)],
        "together": found.together,
        "cells": len(found.values),
        **_encoded(found, symmetric=not this.smallest),
        "histogram": {
            "edges": _numbers(counts.edges),
            "counts": counts.counts.tolist(),
            "medians": _numbers(counts.medians),
        },
        "nodes": {
            "kind": nodes.kind,
            "labels": [_safe(label) for label in nodes.labels],
            "median": _numbers(nodes.median),
            "worst": _numbers(nodes.worst),
        },
    }


def _encoded(found: Pooled, *, symmetric: bool) -> dict[str, Any]:
    """Return the cells as logarithms in 16 bits: 0 is no value, then equal steps from `low` to `high`.

    Of a symmetric matrix the upper triangle with the diagonal, row by row. `where`: the worst pair's place in
    its cell, where several pairs share one.
    """
    values = found.values
    known = np.isfinite(values) & (values > 0)
    low, high = (values[known].min(), values[known].max()) if known.any() else (1.0, 1.0)
    span = max(float(np.log(high / low)), 1e-9)
    with np.errstate(invalid="ignore", divide="ignore"):
        code = np.log(np.maximum(values, low) / low) / span
    codes = np.where(np.isfinite(values), 1 + np.round(code * _CODES), 0)
    picked = np.triu_indices(len(values)) if symmetric else tuple(np.indices(values.shape).reshape(2, -1))
    where = (found.row % found.together) * found.together + found.column % found.together
    return {
        "symmetric": symmetric,
        "low": float(low),
        "high": float(high),
        "values": _base64(codes[picked]),
        "where": _base64(where[picked]) if found.together > 1 else "",
    }


def _base64(numbers: NDArray[Any]) -> str:
    return base64.b64encode(np.nan_to_num(numbers).astype("<u2").tobytes()).decode("ascii")


def _levels(chosen: View) -> list[list[int]]:
    """Return the group of each place at each level but the outermost, from the innermost."""
    order = chosen.ordering.ranks
    if chosen.hierarchy is None:
        return [[chosen.measurement.ranks[rank].host for rank in order]]
    return [level.groups[order].tolist() for level in chosen.hierarchy.levels[:-1]]


def _outliers(chosen: View) -> list[list[str]]:
    """Return the rows of the table of outliers."""
    if chosen.hierarchy is None:
        return []
    return [
        [
            _safe(outlier.kind),
            _safe(outlier.where),
            byte_text(outlier.size),
            f"{digits_text(outlier.value)} {'MB/s' if outlier.what == BANDWIDTH else 'us'}",
            f"{digits_text(outlier.expected)} {'MB/s' if outlier.what == BANDWIDTH else 'us'}",
            _safe(outlier.verdict),
        ]
        for outlier in chosen.hierarchy.outliers
    ]


def _numbers(values: Iterable[float]) -> list[float | None]:
    return [float(f"{value:.5g}") if np.isfinite(value) else None for value in values]


def _safe(text: str) -> str:
    return safe(text, "utf-8")
