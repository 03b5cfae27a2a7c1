"""A sheet on many runs: findings, charts and tables. A page by itself, or a page of a report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rankwise.render.page.contents.packed_tables import Linked, no_links, tables_data
from rankwise.text.safe import safe
from rankwise.views.runs.chart import Axis, Chart, Series
from rankwise.views.view import Detail, View


def sheet_data(
    title: str,
    view: View,
    charts: Sequence[Chart] = (),
    lines: Sequence[str] = (),
    warnings: Sequence[str] = (),
    linked: Linked = no_links,
) -> dict[str, Any]:
    """Return the data of a sheet, as web/src/runs/contract.ts declares it.

    Args:
        title: the heading.
        view: its title is the result; all its tables are shown.
        charts: above the tables.
        lines: facts, a sentence each, or several two blanks apart.
        warnings: files that were left out, and other reasons for doubt.
        linked: the reports of the profiles that cells name.
    """
    return {
        "title": _safe(title),
        "finding": _safe(f"{view.title}." if view.title else ""),
        "lines": [_safe(_joined(line)) for line in lines],
        "warnings": [_safe(line) for line in warnings],
        "charts": [_chart(chart) for chart in charts],
        "tables": tables_data(view, Detail.ALL, linked),
    }


def _joined(line: str) -> str:
    """Return facts, which are two blanks apart on a terminal, with commas: a browser would show one blank."""
    return re.sub(r" {2,}", ", ", line)


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        "name": chart.name,
        "title": _safe(chart.title),
        "caption": _safe(chart.caption),
        "x": _axis(chart.x),
        "y": _axis(chart.y),
        "series": [_series(series) for series in chart.series],
    }


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "name": _safe(axis.name),
        "unit": axis.unit,
        "logarithmic": axis.logarithmic,
        "fromZero": axis.from_zero,
        "labels": [[value, _safe(text)] for value, text in axis.labels],
    }


def _series(series: Series) -> dict[str, Any]:
    return {
        "name": _safe(series.name),
        "kind": series.kind,
        "points": [[*point[:-1], _safe(point.text)] for point in series.points],
        "about": {name: _safe(value) for name, value in series.about.items()},
    }


def _safe(text: str) -> str:
    return safe(text, "utf-8")
