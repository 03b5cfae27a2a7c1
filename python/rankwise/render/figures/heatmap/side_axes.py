"""The column next to the heat map: histogram, nodes, and outliers."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.render.figures.heatmap.caption import outlier_words, quantity
from rankwise.render.figures.heatmap.classes import COLOURS
from rankwise.render.figures.heatmap.histogram import histogram
from rankwise.render.figures.heatmap.marginals import marginals
from rankwise.render.figures.heatmap.scale import BEYOND, colours, round_values, tick_text
from rankwise.render.figures.heatmap.style import FAINT, RULE, WARNING, shown
from rankwise.render.figures.heatmap.view import View
from rankwise.text.units import count_text, digits_text

_MOST_NAMES = 36  # nodes that are all named
_MOST_OUTLIERS = 6
_STICKS_OUT = 0.15  # of the height of the scale
_LEAST_RATIO = 2.5  # of the ends of the axis of nodes


def draw_histogram(axes: Any, view: View) -> None:
    """Draw the number of pairs over their value, a colour for each level."""
    counted = histogram(view)
    axes.set_title("All pairs by level, and its median", pad=8)
    axes.set(xscale="log", yscale="log")
    for place, (name, median) in enumerate(zip(counted.names, counted.medians, strict=True)):
        if counted.counts[place].any():
            axes.stairs(
                counted.counts[place],
                counted.edges,
                fill=True,
                color=COLOURS[place % len(COLOURS)],
                alpha=0.8,
                baseline=0.7,
                label=f"{shown(name)}  {digits_text(median)} {view.unit}",
            )
    axes.set(
        ylabel="pairs, each way" if view.smallest else "pairs",
        xlabel=quantity(view),
        ylim=(0.7, max(10.0, 2.0 * counted.counts.max())),
    )
    _few_ticks(axes.xaxis, *axes.get_xlim())
    powers = 10.0 ** np.arange(0, np.ceil(np.log10(axes.get_ylim()[1])))
    powers = powers[:: 1 + len(powers) // 5]
    axes.set_yticks(powers, [count_text(power) for power in powers])
    axes.grid(visible=True, axis="y", which="major")
    axes.minorticks_off()
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(-0.01, -0.24),
        ncols=2,
        frameon=False,
        fontsize=7.5,
        borderpad=0,
        labelspacing=0.3,
        columnspacing=1.2,
        handlelength=0.9,
        handleheight=0.8,
        handletextpad=0.5,
    )


def draw_marginals(axes: Any, view: View) -> None:
    """Draw the median and the worst pair of each node with the others."""
    of_nodes = marginals(view)
    word = "rank" if of_nodes.kind == "rank" else "node"
    axes.set_title(f"Each {word} with the others", pad=8)
    places = np.arange(len(of_nodes.labels))
    axes.set_yscale("log")
    axes.vlines(places, of_nodes.median, of_nodes.worst, color=RULE, linewidth=min(3.0, 150 / len(places)))
    style = {"s": float(np.clip(900 / len(places), 4, 26)), "linewidths": 0, "zorder": 3}
    axes.scatter(
        places, of_nodes.worst, c=_paint(view, of_nodes.worst), marker="_", **style | {"linewidths": 1.4}
    )
    axes.scatter(places, of_nodes.median, c=_paint(view, of_nodes.median), marker="o", **style)
    axes.set(xlim=(-0.8, len(places) - 0.2), ylabel=view.unit)
    axes.text(
        1,
        1.05,
        "dot: median, dash: worst pair",
        transform=axes.transAxes,
        ha="right",
        fontsize=7.5,
        color=FAINT,
    )
    if np.isnan(of_nodes.median).all():  # the only pairs are inside a node
        axes.set_axis_off()
        return
    axes.set_ylim(*_wide(of_nodes.median, of_nodes.worst))
    _few_ticks(axes.yaxis, *axes.get_ylim())
    axes.grid(visible=True, axis="y", which="major")
    axes.minorticks_off()
    if len(places) <= _MOST_NAMES:
        font = 7.5 if len(places) <= 20 else 6
        axes.set_xticks(places, [shown(label, 14) for label in of_nodes.labels], rotation=90, fontsize=font)
        axes.tick_params(axis="x", length=0, pad=2)
    else:
        axes.set_xlabel(f"{word}s in the order of the picture")
        _name_worst(axes, view, of_nodes.median, of_nodes.labels)


def _wide(*values: Any) -> tuple[float, float]:
    """Return limits with some margin, wide enough that noise does not look like a difference."""
    low, high = np.nanmin(values) * 0.9, np.nanmax(values) / 0.9
    more = max(1.0, np.sqrt(_LEAST_RATIO * low / high))
    return float(low / more), float(high * more)


def _name_worst(axes: Any, view: View, medians: Any, labels: tuple[str, ...]) -> None:
    """Name the node whose median is the worst, if it sticks out."""
    heights = view.scale.height(medians)
    worst = int(np.nanargmax(heights))
    if heights[worst] < np.nanmedian(heights) + _STICKS_OUT:
        return
    right = worst > 0.7 * len(labels)
    axes.annotate(
        shown(labels[worst]),
        (worst, medians[worst]),
        (-5 if right else 5, 0),
        textcoords="offset points",
        ha="right" if right else "left",
        va="center",
        fontsize=7.5,
    )


def _paint(view: View, values: Any) -> Any:
    return colours(view.scale.height(values)) / 255


def _few_ticks(axis: Any, low: float, high: float) -> None:
    """Put round numbers on a logarithmic axis, however short it is."""
    values = round_values(low, high)
    axis.set_ticks(values, labels=[tick_text(value) for value in values])
    axis.set_ticks([], minor=True)


def draw_outliers(figure: Any, view: View, left: float, top: float, line: float) -> None:
    """Write the outliers, the worst first.

    Args:
        figure: matplotlib's.
        view: to draw.
        left: place, as a share of the figure's width.
        top: place, as a share of its height.
        line: height of a line, as a share of it.
    """
    if view.hierarchy is None:
        return
    outliers = view.hierarchy.outliers
    count = f" ({len(outliers)})" if outliers else ""
    figure.text(left, top, f"Outliers{count}", fontsize=9.5, fontweight="bold", va="top")
    if not outliers:
        figure.text(left, top - 1.3 * line, "none: all pairs match their level", color=FAINT, va="top")
    for place, outlier in enumerate(outliers[:_MOST_OUTLIERS]):
        what, how = outlier_words(outlier)
        y = top - (1.35 + place * 1.95) * line
        figure.text(left, y, "\N{BLACK SQUARE}", color=BEYOND, va="top", fontsize=7)
        figure.text(left + 0.012, y, shown(what, 56), va="top")
        figure.text(left + 0.012, y - 0.92 * line, shown(how, 72), color=FAINT, fontsize=7.5, va="top")
    unlisted = len(outliers) - _MOST_OUTLIERS
    if unlisted > 0:
        y = top - (1.35 + _MOST_OUTLIERS * 1.95) * line
        figure.text(left + 0.012, y, f"and {unlisted} more", color=WARNING, va="top")
