"""The matrix as a surface in three dimensions: the slower a pair, the higher."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.render.figures.heatmap.caption import quantity
from rankwise.render.figures.heatmap.pooling import pooled
from rankwise.render.figures.heatmap.scale import colours, round_values, tick_text
from rankwise.render.figures.heatmap.style import shown
from rankwise.render.figures.heatmap.view import View

_MOST_NAMES = 12
_LONGEST_NAME = 12
_MOST_CELLS = 64  # rows: more of them hide each other


def draw_surface(axes: Any, view: View) -> None:
    """Draw steps, one for each cell, on matplotlib's axes in three dimensions."""
    pooled_cells = pooled(view.matrix, _MOST_CELLS, smallest=view.smallest, block=view.ordering.node_size())
    values = pooled_cells.values.copy()
    own = np.isnan(values) & ~pooled_cells.missing
    values[own] = view.scale.fast
    heights = view.scale.height(values)
    cells = colours(view.scale.height(values)) / 255
    edges = np.arange(len(values) + 1) * pooled_cells.together - 0.5
    steps = np.repeat(edges, 2)[1:-1]
    rows, columns = np.meshgrid(steps, steps, indexing="ij")
    surface = axes.plot_surface(
        columns,
        rows,
        _doubled(heights),
        facecolors=_doubled(cells)[:-1, :-1],
        rstride=1,
        cstride=1,
        shade=False,
        linewidth=0,
        antialiased=False,
    )
    surface.set_rasterized(True)
    ticks = np.array(round_values(*sorted((view.scale.fast, view.scale.slowest))))
    axes.set_zticks(view.scale.height(ticks), [tick_text(value) for value in ticks])
    axes.set_zlabel(quantity(view))
    places, names = _names(view)
    axes.set_xticks(places, names, rotation=20, ha="right")
    axes.set_yticks(places, names, rotation=-20, ha="left")
    axes.view_init(elev=48, azim=-60)
    axes.set_box_aspect((1, 1, 0.45), zoom=1.05)


def _names(view: View) -> tuple[list[float], list[str]]:
    """Return the middle and the name of some nodes, or of some ranks if there is only one node."""
    nodes = [division.blocks for division in view.ordering.divisions if division.name == "node"]
    labels = (
        [((block.start + block.stop - 1) / 2, shown(block.label, _LONGEST_NAME)) for block in nodes[0]]
        if nodes
        else [(float(place), str(rank)) for place, rank in enumerate(view.ordering.ranks)]
    )
    some = labels[:: max(1, -(-len(labels) // _MOST_NAMES))]
    return [place for place, _ in some], [name for _, name in some]


def _doubled(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.repeat(np.repeat(cells, 2, axis=0), 2, axis=1)
