"""Two matrices side by side, and the bytes that meet at each level: SVG, PDF or PNG."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.messages.traffic import RunTraffic
from rankwise.placement.mapping import Mapping
from rankwise.placement.placement_cost import PlacementCost
from rankwise.render.figures.heatmap.picture import METADATA
from rankwise.render.figures.heatmap.style import FAINT, RULE, SETTINGS, shown
from rankwise.render.figures.placement.cells import Cells, cells
from rankwise.render.terminal.placement import verdict
from rankwise.text.units import byte_text
from rankwise.topology.machine.model import NODE
from rankwise.topology.machine.shape import Shapes

_WIDTH, _HEIGHT = 13.6, 5.9  # inches
_SIDE, _BOTTOM = 4.2, 0.75  # of a matrix
_LEFT = (1.15, 6.35)
_BARS = (11.55, 1.25)  # left end and width
_DOTS = 160  # an inch
_MOST_NAMES = 32
_MOST_LINES = 32
_MOST_NUMBERS = 48
_PALETTES = {"off node": "Oranges", "within a node": "Blues"}
_LIGHTEST = 0.3  # of the palette: cells with traffic are never white
_STRONG = 0.75


def placement_picture(mapping: Mapping, run_traffic: RunTraffic, kind: str) -> bytes:
    """Draw a placement next to the previous one.

    Args:
        mapping: the placement.
        run_traffic: between the ranks.
        kind: one of heatmap.picture.FORMATS.

    Returns:
        The content of the file.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    before = mapping.present or mapping.natural
    names = "present placement" if mapping.present else "natural order", "found"
    drawn = [
        cells(run_traffic.traffic, mapping.machine, slot) for slot in (mapping.slot_before, mapping.slot)
    ]
    limits = _limits(drawn)
    with rc_context(SETTINGS):
        figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=_DOTS, facecolor="white")
        _head(figure, mapping, drawn[0])
        for left, name, each, effect in zip(_LEFT, names, drawn, (before, mapping.found), strict=True):
            axes = figure.add_axes((left / _WIDTH, _BOTTOM / _HEIGHT, _SIDE / _WIDTH, _SIDE / _HEIGHT))
            axes.set_title(f"{name}: {byte_text(effect.bytes_off_node)} off node")
            _matrix(axes, each, limits)
        _bars(figure, mapping, before, names)
        figure.text(_LEFT[0] / _WIDTH, 0.55 / _HEIGHT, _legend(limits), color=FAINT, va="top")
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, metadata=METADATA[kind])
    return buffer.getvalue()


def _head(figure: Any, mapping: Mapping, drawn: Cells) -> None:
    left = 0.3 / _WIDTH
    shape = shown(Shapes(mapping.machine).inside(mapping.machine.root), 80)
    text = f"Placement of {len(mapping.bindings)} ranks on {shape}"
    figure.text(left, 1 - 0.2 / _HEIGHT, text, fontsize=13, fontweight="bold", va="top")
    phrases = [verdict(mapping), "rows send to columns, both in the order of slots"]
    if drawn.together > 1:
        phrases.append(f"each cell: the sum of about {drawn.together:.3g} x {drawn.together:.3g} pairs")
    line = "   \N{MIDDLE DOT}   ".join(phrases)
    figure.text(left, 1 - 0.47 / _HEIGHT, line, color=FAINT, va="top")


def _limits(drawn: list[Cells]) -> tuple[float, float]:
    """Return the logarithms of the smallest and largest cell that is not 0."""
    values = np.concatenate([part[part > 0] for each in drawn for part in (each.within, each.off_node)])
    return (float(np.log(values.min())), float(np.log(values.max()))) if len(values) else (0.0, 0.0)


def _legend(limits: tuple[float, float]) -> str:
    low, high = (byte_text(np.exp(limit)) for limit in limits)
    return f"blue: within a node, orange: off node; light to dark: {low} to {high} in a cell, logarithmic"


def _matrix(axes: Any, each: Cells, limits: tuple[float, float]) -> None:
    ranks = len(each.ranks)
    edge = ranks - 0.5
    for kind, values in (("within a node", each.within), ("off node", each.off_node)):
        axes.imshow(
            _colours(kind, values, limits), interpolation="none", extent=(-0.5, edge, edge, -0.5), zorder=2
        )
    axes.set(xlim=(-0.5, edge), ylim=(edge, -0.5), xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color=RULE, linewidth=0.8)
    for places, width in ((each.borders, 0.5), (each.outer, 1.4)):
        if len(places) <= _MOST_LINES:
            lines = np.array(places) - 0.5
            axes.hlines(lines, -0.5, edge, color=FAINT, linewidth=width, zorder=3)
            axes.vlines(lines, -0.5, edge, color=FAINT, linewidth=width, zorder=3)
    if ranks <= _MOST_NUMBERS:
        for place, rank in enumerate(each.ranks):
            axes.text(place, place, str(rank), ha="center", va="center", fontsize=min(8.0, 130 / ranks))
    if len(each.hosts) <= _MOST_NAMES:
        middles = [(first + end - 1) / 2 for first, end in pairwise((0, *each.borders, ranks))]
        axes.set_yticks(middles, [shown(host, 13) for host in each.hosts], fontsize=7)
        axes.tick_params(length=0)


def _colours(kind: str, values: NDArray[np.float64], limits: tuple[float, float]) -> NDArray[np.float64]:
    """Return red, green, blue and opacity; transparent without traffic."""
    from matplotlib import colormaps

    with np.errstate(divide="ignore"):
        height = np.maximum((np.log(values) - limits[0]) / max(limits[1] - limits[0], 1e-9), 0)
    paint = np.array(colormaps[_PALETTES[kind]](_LIGHTEST + (1 - _LIGHTEST) * height))
    paint[..., 3] = values > 0
    return paint


def _bars(figure: Any, mapping: Mapping, before: PlacementCost, names: tuple[str, str]) -> None:
    """Draw the bytes that meet at each level; the innermost below."""
    from matplotlib import colormaps

    left, width = _BARS
    axes = figure.add_axes((left / _WIDTH, _BOTTOM / _HEIGHT, width / _WIDTH, _SIDE / _HEIGHT))
    axes.set_title("bytes that meet at")
    node = mapping.machine.depth(NODE)
    levels = mapping.found.levels
    most = max(level.bytes for effect in (before, mapping.found) for level in effect.levels) or 1
    for place, level in enumerate(levels):
        outside = mapping.machine.depth(level.level) < node
        paint = colormaps[_PALETTES["off node" if outside else "within a node"]](_STRONG)
        for row, (effect, opacity) in enumerate(((before, 0.45), (mapping.found, 1.0))):
            size = effect.levels[place].bytes
            at = place + 0.36 * row - 0.18
            axes.barh(at, size / most, height=0.34, color=paint, alpha=opacity)
            axes.text(size / most + 0.03, at, byte_text(size), va="center", fontsize=7)
    axes.set_yticks(range(len(levels)), [shown(level.level, 12) for level in levels])
    axes.set(xlim=(0, 1), ylim=(len(levels) - 0.5, -0.5), xticks=[])
    axes.spines["bottom"].set(visible=False)
    axes.tick_params(length=0)
    axes.set_xlabel(f"pale: {names[0]}\nfull: {names[1]}", loc="left")
