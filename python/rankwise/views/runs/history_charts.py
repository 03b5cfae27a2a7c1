"""A history as charts: the run time, and the calls that changed or take most."""

from __future__ import annotations

from itertools import pairwise

from rankwise.runs.history import History
from rankwise.text.names import call_name, quoted_name
from rankwise.text.units import second_text
from rankwise.views.runs.chart import Axis, Chart, Series
from rankwise.views.runs.chart import Point as Dot
from rankwise.views.runs.history import point_name

_DIGITS = 7  # of a commit below the axis


def charts(history: History) -> list[Chart]:
    """Return the charts: a line of the run time for each part between two changes."""
    points = history.points
    names = [point_name(history, place) for place in range(len(points))]
    ticks = [point.commit[:_DIGITS] or point.started[:10] for point in points]
    axis = Axis(history.by, labels=[(float(place), name) for place, name in enumerate(ticks)])
    cuts = [0, *(change.after for change in history.changes), len(points)]
    parts = [
        Series(
            f"from {names[first]}" if history.changes else "run time",
            [
                Dot(
                    float(place),
                    points[place].wall_seconds,
                    points[place].least_wall_seconds if len(points[place].profiles) > 1 else None,
                    points[place].most_wall_seconds if len(points[place].profiles) > 1 else None,
                    f"{names[place]}: {second_text(points[place].wall_seconds)}",
                )
                for place in range(first, last)
            ],
        )
        for first, last in pairwise(cuts)
    ]
    calls = [
        f"{call_name(procedure)} on {quoted_name(communicator, user_name)}"
        for communicator, user_name, procedure in history.rows
    ]
    rows = [
        Series(
            name,
            [
                Dot(
                    float(place),
                    point.rows[number],
                    text=f"{names[place]}: {second_text(point.rows[number])}",
                )
                for place, point in enumerate(points)
            ],
            about={"part": name},
        )
        for number, name in enumerate(calls)
    ]
    outside = Series(
        "outside MPI",
        [
            Dot(
                float(place),
                point.outside_seconds,
                text=f"{names[place]}: {second_text(point.outside_seconds)}",
            )
            for place, point in enumerate(points)
        ],
        about={"part": "outside MPI"},
    )
    return [
        Chart(
            name="run-time",
            title="Run time",
            caption="Median of the runs; vertical lines reach from the fastest run to the slowest. "
            "A new colour begins at each change.",
            x=axis,
            y=Axis("wall time", "s"),
            series=parts,
        ),
        Chart(
            name="calls",
            title="Time outside MPI, and in the calls that take most",
            caption="Mean over ranks, median of the runs.",
            x=axis,
            y=Axis("time", "s"),
            series=[outside, *rows],
        ),
    ]
