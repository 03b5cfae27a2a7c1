"""Stacked bars: each part in its own colour, small parts merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwise.render.figures.heatmap.style import shown
from rankwise.render.figures.plots.canvas import COLOURS, REST, largest, legend, sums_of

_THICKNESS = 0.72


def draw_stacks(axes: Any, stacks: Sequence[Mapping[str, float]], *, across: bool) -> None:
    """Draw a bar for each stack, at 0, 1, 2, ...

    Args:
        axes: to draw on.
        stacks: name of a part → how much; the same part has the same colour in all of them.
        across: bars from left to right, the first at the top; else upright.
    """
    amounts = sums_of(part for stack in stacks for part in stack.items())
    names = largest(amounts, len(COLOURS) - 1)
    places = range(len(stacks))
    starts = [0.0] * len(stacks)
    merged = len(amounts) - len(names)
    for name, colour in [*zip(names, COLOURS, strict=False), *([(None, REST)] if merged else [])]:
        sizes = [
            sum(amount for part, amount in stack.items() if part not in names)
            if name is None
            else stack.get(name, 0.0)
            for stack in stacks
        ]
        label = f"{merged} others" if name is None else shown(name)
        look = {"color": colour, "label": label, "linewidth": 0.4, "edgecolor": "white"}
        if across:
            axes.barh(places, sizes, _THICKNESS, left=starts, **look)
        else:
            axes.bar(places, sizes, _THICKNESS, bottom=starts, **look)
        starts = [start + size for start, size in zip(starts, sizes, strict=True)]
    if across:
        axes.invert_yaxis()
    axes.grid(axis="x" if across else "y")
    legend(axes, names)
