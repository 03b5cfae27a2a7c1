"""The heat map of a drawing, its labels and the scale of its colours."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rankwise.render.figures.heatmap.caption import quantity
from rankwise.render.figures.heatmap.ordering import Division
from rankwise.render.figures.heatmap.pooling import Pooled
from rankwise.render.figures.heatmap.scale import BEYOND, MISSING, colour, colours, ink, tick_text
from rankwise.render.figures.heatmap.style import FAINT, INK, PAPER, RULE, shown
from rankwise.render.figures.heatmap.view import View
from rankwise.text.units import digits_text

_LEAST_PITCH = 7.0  # points between the labels of two rows
_MOST_LINES = 80  # blocks of a division with lines between them
_LONGEST_NAME = 15
_MOST_NUMBERS = 18  # rows
_POINTS = 72.0  # an inch


def draw_map(axes: Any, view: View, pooled_cells: Pooled, inches: float) -> None:
    """Draw the cells, the lines between groups, and their labels.

    Args:
        axes: matplotlib's, square, with room on the left and below.
        view: to draw.
        pooled_cells: of the view.
        inches: width of the axes.
    """
    size = len(view.ordering.ranks)
    edge = len(pooled_cells.values) * pooled_cells.together - 0.5
    cells = colours(view.scale.height(pooled_cells.values))
    cells[np.isnan(pooled_cells.values) & ~pooled_cells.missing] = 255  # a rank and itself
    if pooled_cells.missing.any():
        axes.patch.set(facecolor=MISSING, hatch="////", edgecolor="#aab4be")
    else:
        axes.set_facecolor(PAPER)
    axes.imshow(cells, interpolation="none", extent=(-0.5, edge, edge, -0.5), zorder=2)
    axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color=RULE, linewidth=0.8)
    divisions = view.ordering.divisions
    nodes = sum(len(division.blocks) for division in divisions if division.name == "node")
    for division in divisions:
        _lines(axes, division, size, inner=bool(nodes) and len(division.blocks) > nodes)
    _numbers(axes, view, pooled_cells)
    _labels(axes, view, inches)


def _lines(axes: Any, division: Division, size: int, *, inner: bool) -> None:
    """Draw white lines between the blocks, the thicker the fewer there are.

    Levels inside nodes only around their own pairs: lines everywhere would hide the cells.
    """
    blocks = len(division.blocks)
    if blocks > _MOST_LINES:
        return
    width = 1.6 if blocks <= 4 else 1.0 if blocks <= 16 else 0.5
    style = {"color": PAPER, "linewidth": width, "zorder": 3}
    for before, after in pairwise(division.blocks):
        low, high = (before.start - 0.5, after.stop - 0.5) if inner else (-0.5, size - 0.5)
        axes.hlines(after.start - 0.5, low, high, **style)
        axes.vlines(after.start - 0.5, low, high, **style)


def _numbers(axes: Any, view: View, pooled_cells: Pooled) -> None:
    """Write the values into the cells, if these are large enough."""
    if len(pooled_cells.values) > _MOST_NUMBERS:
        return
    font = min(9.0, 120 / len(pooled_cells.values))
    for (row, column), height in np.ndenumerate(view.scale.height(pooled_cells.values)):
        if np.isfinite(height):
            text = digits_text(pooled_cells.values[row, column])
            paint = ink(colour(height))
            axes.text(column, row, text, ha="center", va="center", fontsize=font, color=paint, zorder=4)


def _labels(axes: Any, view: View, inches: float) -> None:
    """Name the groups: nodes by words on the left, larger groups by bars next to them."""
    size = len(view.ordering.ranks)
    row = inches * _POINTS / size
    _rank_numbers(axes, view, row)
    divisions = [division for division in view.ordering.divisions if division.name != "machine"]
    nodes = [place for place, division in enumerate(divisions) if division.name == "node"]
    if not divisions:
        return
    fine = nodes[0] if nodes else len(divisions) - 1
    offset = _words(axes, divisions[fine], row)
    for division in reversed(divisions[:fine]):
        offset = _bars(axes, division, offset)
    for division in divisions[fine + 1 :][:1]:
        _above(axes, division, row)


def _words(axes: Any, division: Division, row: float) -> float:
    """Write the names of the blocks next to their rows; return their width in points."""
    blocks = division.blocks
    pitch = row * min(block.stop - block.start for block in blocks)
    every = max(1, int(np.ceil(_LEAST_PITCH / pitch)))
    font = min(8.5, max(6.0, 0.85 * pitch * every))
    names = [shown(block.label, _LONGEST_NAME) for block in blocks]
    for name, block in list(zip(names, blocks, strict=True))[::every]:
        middle = (block.start + block.stop - 1) / 2
        axes.annotate(
            name,
            (0, middle),
            (-6, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=font,
        )
    return 12 + 0.62 * font * max(map(len, names))


def _bars(axes: Any, division: Division, offset: float) -> float:
    """Draw a bar for each block, `offset` points left of the rows, its name along it."""
    gap = 0.006 * division.blocks[-1].stop
    for block in division.blocks:
        ends = [block.start - 0.5 + gap, block.stop - 0.5 - gap]
        axes.plot([0, 0], ends, color=FAINT, linewidth=1.5, clip_on=False, transform=_moved(axes, -offset))
        axes.annotate(
            shown(block.label),
            (0, (block.start + block.stop - 1) / 2),
            (-offset - 3, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="center",
            color=FAINT,
        )
    return offset + 18


def _moved(axes: Any, points: float) -> Any:
    """Return the transformation of the left edge, some points aside."""
    from matplotlib.transforms import ScaledTranslation

    return axes.get_yaxis_transform() + ScaledTranslation(points / _POINTS, 0, axes.figure.dpi_scale_trans)


def _above(axes: Any, division: Division, row: float) -> None:
    """Write the names of the next finer level above their columns, if all fit."""
    names = [shown(block.label) for block in division.blocks]
    needed = max(len(name) for name in names) * 4.6 + 6
    if needed > row * min(block.stop - block.start for block in division.blocks):
        return
    for name, block in zip(names, division.blocks, strict=True):
        axes.annotate(
            name,
            ((block.start + block.stop - 1) / 2, 1),
            (0, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=7.5,
            color=FAINT,
        )


def _rank_numbers(axes: Any, view: View, row: float) -> None:
    """Write ranks below the columns: all if they fit, else some."""
    ranks = view.ordering.ranks
    needed = len(str(int(ranks.max()))) * 5.2 + 4
    every = max(1, int(np.ceil(needed / row)))
    every = next(step for step in _round_steps() if step >= every)
    places = np.arange(0, len(ranks), every)
    axes.set_xticks(places, [str(rank) for rank in ranks[places]])
    axes.tick_params(axis="x", length=2, pad=2, labelsize=7.5)
    axes.set_xlabel("rank", labelpad=1, fontsize=8)


def _round_steps() -> Any:
    power = 1
    while True:
        yield from (power, 2 * power, 4 * power, 5 * power, 8 * power)
        power *= 10


def draw_scale(axes: Any, view: View) -> None:
    """Draw the colours from fast to slow, with values below, and red for still slower ones."""
    scale = view.scale
    axes.imshow(
        colours(np.linspace(0, 1, 256)[None, :]), extent=(0, 1, 0, 1), aspect="auto", interpolation="none"
    )
    axes.spines[:].set_visible(False)
    values = np.array(scale.ticks(apart=0.07))
    axes.set_xticks(scale.height(values), [tick_text(value) for value in values])
    axes.tick_params(axis="x", length=2, pad=2)
    axes.set(yticks=[], ylim=(0, 1), xlim=(0, 1.2))
    if scale.cut:
        from matplotlib.patches import Rectangle

        axes.add_patch(Rectangle((1.012, 0), 0.05, 1, facecolor=BEYOND, linewidth=0))
        word = "down to" if view.smallest else "up to"
        axes.text(1.072, 0.5, f"{word} {digits_text(scale.slowest)}", va="center", fontsize=8)
    axes.text(0, 1.35, "fast", fontsize=8, color=FAINT)
    axes.text(1, 1.35, "slow", ha="right", fontsize=8, color=FAINT)
    axes.text(0.5, 1.35, quantity(view), ha="center", fontsize=8, color=INK)
