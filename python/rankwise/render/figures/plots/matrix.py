"""Who sends how much to whom, as a heat map with logarithmic colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.analysis.messages.matrix import Matrix
from rankwise.render.figures.heatmap.scale import amount_colours
from rankwise.render.figures.heatmap.style import shown
from rankwise.render.figures.plots.canvas import drawing, texts_on
from rankwise.text.units import byte_text, count_text, percent_text

_MOST_CELLS = 512  # rows: more of them are finer than pixels
_MOST_NAMES = 32
_MOST_TICKS = 6


def draw_matrix(found: Matrix, measure: str, axes: Any = None) -> Any:
    """Draw a matrix; row = who sends, column = who gets. Cells without a message are white.

    Args:
        found: the matrix.
        measure: `bytes` or `messages`.
        axes: to draw on; None = new ones.

    Returns:
        The axes.
    """
    from matplotlib.colors import LogNorm

    text = byte_text if measure == "bytes" else count_text
    factor = max(1, -(-found.size // _MOST_CELLS))
    side = -(-found.size // factor)
    cells = np.zeros((side, side))
    for cell in found.cells:
        cells[cell.source // factor, cell.destination // factor] += getattr(cell, measure)
    seen = cells[cells > 0]
    with drawing(axes, 6.4, 5.2) as on:
        if not seen.size:
            on.set_title(_title(found, measure))
            return on
        least, most = float(seen.min()), float(seen.max())
        image = on.imshow(
            np.ma.masked_equal(cells, 0),
            norm=LogNorm(least, most),
            cmap=amount_colours(),
            interpolation="nearest",
            extent=(-0.5, side * factor - 0.5, side * factor - 0.5, -0.5),
        )
        on.set_title(_title(found, measure))
        each = f", each cell {factor} x {factor}" if factor > 1 else ""
        on.set_xlabel(f"to {found.ends}{each}")
        on.set_ylabel(f"from {found.ends}")
        if found.nodes and found.size <= _MOST_NAMES:
            names = [shown(name) for name in found.nodes]
            on.set_xticks(range(found.size), names, rotation=45, ha="right")
            on.set_yticks(range(found.size), names)
        else:
            on.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
            on.yaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        bar = on.figure.colorbar(image, ax=on, shrink=0.9)
        bar.outline.set_visible(False)
        bar.ax.minorticks_off()
        bar.set_ticks(_ticks(least, most))
        texts_on(bar.ax.yaxis, text)
    return on


def _ticks(least: float, most: float) -> list[float]:
    """Return both ends, and between them powers of two at even distances."""
    low, high = int(np.ceil(np.log2(least))), int(np.floor(np.log2(most)))
    step = max(1, -(-(high - low) // _MOST_TICKS))
    inner = [2.0**power for power in range(low, high + 1, step)]
    room = (most / least) ** (0.5 / _MOST_TICKS)
    return [least, *(tick for tick in inner if least * room <= tick <= most / room), most]


def _title(found: Matrix, measure: str) -> str:
    text = byte_text if measure == "bytes" else lambda number: f"{count_text(number)} messages"
    whole = sum(getattr(cell, measure) for cell in found.cells)
    if not whole:
        return "No messages were recorded"
    most = max(found.cells, key=lambda cell: getattr(cell, measure))
    names = found.nodes or [f"{found.ends} {number}" for number in range(found.size)]
    share = percent_text(100 * getattr(most, measure) / whole)
    kind = f" of {found.kind}" if found.kind != "all" else ""
    return (
        f"{text(whole)}{kind} between {found.size} {found.ends}s;\n"
        f"most: {shown(names[most.source])} to {shown(names[most.destination])}, "
        f"{text(getattr(most, measure))} ({share} %)"
    )
