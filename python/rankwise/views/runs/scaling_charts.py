"""Scaling as charts: factors, speed-up, and the time of the rows that lose most."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.runs.scaling import Scaling
from rankwise.runs.scaling_factors import Factors
from rankwise.runs.scaling_rows import Row
from rankwise.text.units import number_of, ratio_text, second_text
from rankwise.views.runs.chart import Axis, Chart, Point, Series
from rankwise.views.runs.scaling import name_columns
from rankwise.views.runs.scaling_sentences import row_name
from rankwise.views.view import Column

_MOST_LINES = 6
_FACTORS: dict[str, Callable[[Factors], float | None]] = {
    "global efficiency": lambda row: row.global_efficiency,
    "load balance": lambda row: row.load_balance,
    "communication efficiency": lambda row: row.communication,
    "computation scalability": lambda row: row.computation,
}


def charts(scaling: Scaling) -> list[Chart]:
    """Return the charts; none if a second parameter has several values: lines would join different jobs."""
    factors = scaling.factors
    if len({row.ranks for row in factors}) < len(factors):
        return []
    ranks = Axis("ranks", logarithmic=True, labels=[(float(row.ranks), f"{row.ranks:,}") for row in factors])
    speedup = [
        Point(
            float(row.ranks),
            row.speedup,
            row.speedup * row.run_seconds / row.most_run_seconds if row.runs > 1 else None,
            row.speedup * row.run_seconds / row.least_run_seconds if row.runs > 1 else None,
            f"{number_of(row.ranks, 'rank')}: {ratio_text(row.speedup)}, {second_text(row.run_seconds)}",
        )
        for row in factors
    ]
    ideal = [Point(float(row.ranks), row.ideal_speedup) for row in factors]
    rows = scaling.rows[scaling.by][:_MOST_LINES]
    return [
        Chart(
            name="efficiency",
            title="Efficiency",
            caption="Global efficiency is the product of the other factors. 1 is ideal.",
            x=ranks,
            y=Axis("efficiency"),
            series=[_factor(name, factors, value) for name, value in _FACTORS.items()],
        ),
        Chart(
            name="speed-up",
            title=f"Speed-up against {number_of(scaling.reference, 'rank')}",
            caption="Medians; vertical lines reach from the slowest run to the fastest.",
            x=ranks,
            y=Axis("speed-up"),
            series=[Series("measured", speedup), Series("ideal", ideal, "dashed")],
        ),
        Chart(
            name="time",
            title="Time of the rows that lose most",
            caption="Mean over ranks, median of the runs.",
            x=ranks,
            y=Axis("time", "s"),
            series=[_times(row, factors, name_columns(scaling.by)) for row in rows],
        ),
    ]


def _factor(name: str, factors: Sequence[Factors], value: Callable[[Factors], float | None]) -> Series:
    points = [
        Point(float(row.ranks), known, text=f"{name} at {number_of(row.ranks, 'rank')}: {ratio_text(known)}")
        for row in factors
        if (known := value(row)) is not None
    ]
    return Series(name, points)


def _times(row: Row, factors: Sequence[Factors], names: Sequence[Column[Row]]) -> Series:
    name = row_name(row)
    points = [
        Point(
            float(each.ranks),
            seconds,
            text=f"{name} at {number_of(each.ranks, 'rank')}: {second_text(seconds)}",
        )
        for each, seconds in zip(factors, row.seconds, strict=True)
    ]
    return Series(name, points, about={column.name: column.cell(row).text for column in names})
