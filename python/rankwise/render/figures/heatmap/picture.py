"""A measurement as a drawing: SVG, PDF or PNG."""

from __future__ import annotations

import io
from typing import Any

from rankwise.render.figures.heatmap.caption import about, title, warnings
from rankwise.render.figures.heatmap.map_axes import draw_map, draw_scale
from rankwise.render.figures.heatmap.pooling import pooled
from rankwise.render.figures.heatmap.side_axes import draw_histogram, draw_marginals, draw_outliers
from rankwise.render.figures.heatmap.style import FAINT, SETTINGS, WARNING, shown
from rankwise.render.figures.heatmap.surface import draw_surface
from rankwise.render.figures.heatmap.view import View

FORMATS = ("svg", "pdf", "png")

_WIDTH, _HEIGHT = 12.6, 8.5  # inches
_LEFT, _BOTTOM, _SIDE = 1.5, 1.05, 6.3  # of the heat map
_RIGHT, _RIGHT_WIDTH = 8.55, 3.85  # of the column next to it
_MOST_CELLS = 1024  # rows: about as many as there are pixels
_DOTS = 160  # an inch

METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
"""Of drawings: without the date and the versions of libraries, the same input gives the same file."""


def picture(view: View, kind: str, *, surface: bool = False) -> bytes:
    """Draw a heat map with its histogram, its nodes and its outliers.

    Args:
        view: to draw.
        kind: one of FORMATS.
        surface: whether to draw a surface in three dimensions instead of the heat map.

    Returns:
        The content of the file.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=_DOTS, facecolor="white")
        cells = pooled(view.matrix, _MOST_CELLS, smallest=view.smallest, block=view.ordering.node_size())
        _head(figure, view, cells.together)
        if surface:
            draw_surface(_axes(figure, 0.1, _BOTTOM - 0.3, 7.9, _SIDE + 0.4, projection="3d"), view)
        else:
            draw_map(_axes(figure, _LEFT, _BOTTOM, _SIDE, _SIDE), view, cells, _SIDE)
        draw_scale(_axes(figure, _LEFT, 0.38, _SIDE / 1.2, 0.12), view)
        draw_histogram(_axes(figure, _RIGHT, 5.65, _RIGHT_WIDTH, 1.7), view)
        draw_marginals(_axes(figure, _RIGHT, 3.1, _RIGHT_WIDTH, 1.35), view)
        draw_outliers(figure, view, _RIGHT / _WIDTH, 2.25 / _HEIGHT, 0.155 / _HEIGHT)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, metadata=METADATA[kind])
    return buffer.getvalue()


def _axes(figure: Any, left: float, bottom: float, width: float, height: float, **how: str) -> Any:
    return figure.add_axes((left / _WIDTH, bottom / _HEIGHT, width / _WIDTH, height / _HEIGHT), **how)


def _head(figure: Any, view: View, together: int) -> None:
    """Write the title, the method, and warnings."""
    left = 0.3 / _WIDTH
    figure.text(left, 1 - 0.2 / _HEIGHT, shown(title(view), 120), fontsize=13, fontweight="bold", va="top")
    phrases = about(view.measurement)
    if together > 1:
        phrases.insert(1, f"each cell: the worst of {together} x {together} pairs")
    line = "   \N{MIDDLE DOT}   ".join(shown(phrase, 80) for phrase in phrases)
    figure.text(left, 1 - 0.47 / _HEIGHT, line, color=FAINT, va="top")
    beware = "; ".join(shown(phrase, 100) for phrase in warnings(view.measurement, view.ordering))
    if beware:
        figure.text(left, 1 - 0.66 / _HEIGHT, f"Beware: {beware}", color=WARNING, va="top")
