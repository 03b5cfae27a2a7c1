"""The summary of a measurement: its levels, outliers, and the agreement with the kernels' data."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from rich.text import Text

from rankwise.render.terminal.latency.agreement import agreement_lines, agreements
from rankwise.render.terminal.latency.head import head_lines, warnings
from rankwise.render.terminal.latency.level_table import level_lines
from rankwise.render.terminal.latency.outliers import cure, outlier_lines, slowness
from rankwise.render.terminal.page import Page
from rankwise.views.latency.found import Found, found_in

MOST_OUTLIERS = 10


def print_summary(path: Path, file: TextIO) -> None:
    """Print the summary of a measurement's file of any kind.

    Raises:
        RankwiseError: it can't be read, or has no measured pair.
    """
    page = Page(file)
    page.write(*summary_lines(page, found_in(path), MOST_OUTLIERS))


def summary_lines(page: Page, latency: Found, limit: int) -> list[Text]:
    """Return the summary with at most `limit` outliers (0 = all)."""
    measurement, hierarchy = latency.measurement, latency.hierarchy
    compared = agreement_lines(page, agreements(measurement, hierarchy))
    return [
        *head_lines(page, measurement),
        Text(),
        *level_lines(page, measurement, hierarchy.levels),
        Text(),
        *outlier_lines(page, hierarchy.outliers, limit),
        *([Text(), *compared] if compared else []),
    ]


def data(latency: Found) -> dict[str, object]:
    """Return the summary as plain values."""
    measurement, hierarchy = latency.measurement, latency.hierarchy
    return {
        "file": str(latency.path),
        "about": {key: value for key, value in measurement.about.items() if key != "mmpi"},
        "warnings": warnings(measurement),
        "ranks": len(measurement.ranks),
        "hosts": [host.name for host in measurement.hosts],
        "host_of_rank": [rank.host for rank in measurement.ranks],
        "sizes": measurement.sizes,
        "repeats": [
            dict(zip(("size", "least", "most"), (size, *measurement.repeats(size)), strict=True))
            for size in measurement.sizes
        ],
        "pairs": len(measurement.pairs),
        "levels": hierarchy.levels,
        "outliers": [
            {**vars(outlier), "slowness": slowness(outlier), "cure": cure(outlier)}
            for outlier in hierarchy.outliers
        ],
        "order": hierarchy.order,
        "agreement": agreements(measurement, hierarchy),
    }
