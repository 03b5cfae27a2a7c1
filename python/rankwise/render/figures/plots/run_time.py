"""Run time of repeated runs over what it goes with: a dot for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.render.figures.plots.canvas import COLOURS, REST, drawing, seconds_on

_ROOM = 0.06  # of the spread, at both ends of an axis


def draw_run_time(
    values: Sequence[float],
    wall: Sequence[float],
    name: str,
    title: str,
    line: tuple[float, float] | None,
    axes: Any = None,
    *,
    is_time: bool = True,
) -> Any:
    """Draw a dot for each run.

    Args:
        values: what the run time goes with, for each run.
        wall: run times, seconds.
        name: of the values.
        title: of the picture.
        line: offset and slope of the run time over the values; None = no line.
        axes: to draw on; None = new ones.
        is_time: whether the values are seconds.

    Returns:
        The axes.
    """
    with drawing(axes, 5.0, 3.6) as on:
        if not wall:
            on.set_title("There are no runs")
            return on
        if line:
            ends = [min(values), max(values)]
            on.plot(ends, [line[0] + line[1] * end for end in ends], color=REST, linewidth=1.2, zorder=1)
        on.scatter(values, wall, s=18, color=COLOURS[0], edgecolors="white", linewidths=0.5, zorder=2)
        on.margins(_ROOM, 2 * _ROOM)
        on.set_xlabel(name)
        on.set_ylabel("run time")
        seconds_on(on.yaxis)
        if is_time:
            seconds_on(on.xaxis)
        on.set_title(title)
    return on
