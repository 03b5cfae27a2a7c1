"""What goes with the run time, as charts: the run time over it, and over the date."""

from __future__ import annotations

from rankwise.runs.correlation import trend
from rankwise.runs.variance import Relation, Variance
from rankwise.text.units import second_text
from rankwise.views.runs.chart import Axis, Chart, Point, Series
from rankwise.views.runs.variance import correlation_text, relation_name


def charts(variance: Variance) -> list[Chart]:
    """Return the charts; none of less than two runs."""
    if len(variance.runs) < 2:
        return []
    best = variance.main or next(iter(variance.relations), None)
    return [*([_over(variance, best)] if best else []), _over_time(variance)]


def _over(variance: Variance, one: Relation) -> Chart:
    wall = [run.wall_seconds for run in variance.runs]
    offset, rise = trend(one.values, wall)
    runs = sorted(
        Point(value, run.wall_seconds, text=f"{run.started[:10]}: {second_text(run.wall_seconds)}")
        for value, run in zip(one.values, variance.runs, strict=True)
    )
    ends = [Point(value, offset + rise * value) for value in (runs[0].x, runs[-1].x)]
    name = relation_name(one).removeprefix("the ")
    return Chart(
        name="run-time",
        title=f"Run time and {name}: rank correlation {correlation_text(one)}",
        caption="A dot for each run; the dashed line has the median slope of all pairs of runs.",
        x=Axis(name, "s" if one.is_time else "", from_zero=False),
        y=Axis("wall time", "s", from_zero=False),
        series=[Series("runs", runs, "dots"), *([Series("trend", ends, "dashed")] if rise else [])],
    )


def _over_time(variance: Variance) -> Chart:
    runs = sorted(variance.runs, key=lambda run: run.started)
    points = [
        Point(float(place), run.wall_seconds, text=f"{run.started[:16]}: {second_text(run.wall_seconds)}")
        for place, run in enumerate(runs)
    ]
    labels = [(float(place), run.started[:10]) for place, run in enumerate(runs)]
    return Chart(
        name="dates",
        title="Run time by date",
        caption="A dot for each run, in the order of their start.",
        x=Axis("start", labels=labels),
        y=Axis("wall time", "s"),
        series=[Series("runs", points, "dots")],
    )
