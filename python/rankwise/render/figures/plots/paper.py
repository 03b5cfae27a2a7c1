"""A drawing as a figure for print: as wide as a column, with legible texts at that size."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from typing import Any

from rankwise.render.figures.heatmap.picture import METADATA
from rankwise.render.figures.heatmap.style import PAPER, SETTINGS

FORMATS = ("pdf", "svg", "png")
_NARROW = 5.0  # inches: too narrow for a legend next to the drawing
_TITLE, _LABEL, _SMALL = 8.0, 7.0, 6.5  # points
_ROW = 0.2  # inches, of a line of text with its surroundings
_BAR, _ENDS = 0.34, 0.8  # inches: of a bar with names next to it; of the space above and below the bars
_NAME = 1.4 * _SMALL / 72  # inches, from one name on an axis to the next
_UPRIGHT = 1.05 * _SMALL / 72  # the same, of upright names
_LEGEND_COLUMN = 1.15  # inches
_PAD = 0.04  # inches


def paper_figure(
    draw: Callable[[Any], object], width: float, height: float | None, kind: str, dots: int
) -> bytes:
    """Draw on axes of a new figure.

    Args:
        draw: gets the axes.
        width: of the figure, inches.
        height: inches; None = as the names on its y axis need.
        kind: one of FORMATS.
        dots: an inch, of PNG.

    Returns:
        The content of the file; the same drawing has the same bytes.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(width, height or width), dpi=dots, layout="constrained", facecolor=PAPER)
        figure.get_layout_engine().set(w_pad=_PAD, h_pad=_PAD)  # type: ignore[union-attr,call-arg]
        axes = figure.add_subplot()
        draw(axes)
        title, empty = axes.get_title(loc="left"), not axes.has_data()
        axes.set_title("", loc="left")
        if empty:
            axes.set_axis_off()
            figure.set_size_inches(width, 3 * _ROW)
        elif height is None:
            figure.set_size_inches(width, _ENDS + _BAR * max(len(axes.get_yticks()), 2))
        else:
            _thin(axes.xaxis, 0.7 * width)
            _thin(axes.yaxis, 0.7 * height)
        _size_texts(figure, width)
        _place_legend(figure, axes, width)
        _wrap_title(figure, " ".join(title.split()), width)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, metadata=METADATA[kind])
    return buffer.getvalue()


def _thin(axis: Any, room: float) -> None:
    """Leave names out, at even distances, if an axis has less room, in inches, than they need."""
    from matplotlib.ticker import FixedLocator

    names, places = axis.get_ticklabels(), axis.get_majorticklocs()
    if len(names) * _NAME <= room or not isinstance(axis.get_major_locator(), FixedLocator):
        return
    look = {"rotation": names[0].get_rotation(), "ha": names[0].get_ha()}
    needs = _NAME
    if look["rotation"]:  # upright ones need less
        look, needs = {"rotation": 90, "ha": "center"}, _UPRIGHT
    step = math.ceil(len(names) * needs / room)
    first = _highest(axis.axes, places) % step if axis.axis_name == "x" else 0
    axis.set_ticks(places[first::step], [name.get_text() for name in names[first::step]], **look)


def _highest(axes: Any, places: Sequence[float]) -> int:
    """Return the place of the highest bar, whose name has to stay."""
    if not axes.patches:
        return 0
    bar = max(axes.patches, key=lambda bar: bar.get_y() + bar.get_height())
    middle = bar.get_x() + bar.get_width() / 2
    return min(range(len(places)), key=lambda place: abs(places[place] - middle))


def _size_texts(figure: Any, width: float) -> None:
    from matplotlib.ticker import MaxNLocator

    for on in figure.axes:
        on.tick_params(labelsize=_SMALL)
        for axis in (on.xaxis, on.yaxis):
            axis.label.set_size(_LABEL)
            if width >= _NARROW:
                continue
            axis.label.set_text(axis.label.get_text().replace(", ", ",\n"))
            # Numbers with their units are wide.
            if isinstance(axis.get_major_locator(), MaxNLocator):
                axis.get_major_locator().set_params(nbins=5)


def _place_legend(figure: Any, axes: Any, width: float) -> None:
    legend = axes.get_legend()
    if legend is None:
        return
    handles, labels = axes.get_legend_handles_labels()
    legend.remove()
    look = {"frameon": False, "fontsize": _SMALL, "handlelength": 1.0, "handleheight": 0.8}
    if width < _NARROW:
        columns = max(1, min(len(labels), int(width / _LEGEND_COLUMN)))
        figure.legend(handles, labels, loc="outside lower left", ncols=columns, columnspacing=1.0, **look)
        # It takes its room from the figure, not from the drawing.
        rows = -(-len(labels) // columns)
        figure.set_size_inches(width, figure.get_figheight() + 0.7 * _ROW * rows)
    else:
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.0, 1.0), **look)


def _wrap_title(figure: Any, title: str, width: float) -> None:
    """Break the lines of a title at the end of the figure."""
    shown = figure.suptitle("", x=_PAD / width, ha="left", fontsize=_TITLE, fontweight="bold")
    room = (width - 2 * _PAD) * figure.dpi
    lines: list[str] = []
    for word in title.split():
        longer = f"{lines[-1]} {word}" if lines else word
        shown.set_text(longer)
        if lines and shown.get_window_extent().width <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    shown.set_text("\n".join(lines))
