"""The traffic between ranks or nodes, as a heat map with logarithmic colours."""

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


def draw_matrix(matrix: Matrix, measure: str, axes: Any = None) -> Any:
    """Draw a matrix; row = sender, column = receiver. Cells without a message are white.

    Args:
        matrix: to draw.
        measure: `bytes` or `messages`.
        axes: to draw on; None = new ones.

    Returns:
        The axes.
    """
    from matplotlib.colors import LogNorm

    text = byte_text if measure == "bytes" else count_text
    factor = max(1, -(-matrix.size // _MOST_CELLS))
    side = -(-matrix.size // factor)
    cells = np.zeros((side, side))
    for cell in matrix.cells:
        cells[cell.source // factor, cell.destination // factor] += getattr(cell, measure)
    amounts = cells[cells > 0]
    with drawing(axes, 6.4, 5.2) as on:
        if not amounts.size:
            on.set_title(_title(matrix, measure))
            return on
        least, most = float(amounts.min()), float(amounts.max())
        image = on.imshow(
            np.ma.masked_equal(cells, 0),
            norm=LogNorm(least, most),
            cmap=amount_colours(),
            interpolation="nearest",
            extent=(-0.5, side * factor - 0.5, side * factor - 0.5, -0.5),
        )
        on.set_title(_title(matrix, measure))
        each = f", each cell {factor} x {factor}" if factor > 1 else ""
        on.set_xlabel(f"to {matrix.ends}{each}")
        on.set_ylabel(f"from {matrix.ends}")
        if matrix.nodes and matrix.size <= _MOST_NAMES:
            names = [shown(name) for name in matrix.nodes]
            on.set_xticks(range(matrix.size), names, rotation=45, ha="right")
            on.set_yticks(range(matrix.size), names)
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


def _title(matrix: Matrix, measure: str) -> str:
    text = byte_text if measure == "bytes" else lambda number: f"{count_text(number)} messages"
    whole = sum(getattr(cell, measure) for cell in matrix.cells)
    if not whole:
        return "No messages were recorded"
    most = max(matrix.cells, key=lambda cell: getattr(cell, measure))
    names = matrix.nodes or [f"{matrix.ends} {number}" for number in range(matrix.size)]
    share = percent_text(100 * getattr(most, measure) / whole)
    kind = f" of {matrix.kind}" if matrix.kind != "all" else ""
    return (
        f"{text(whole)}{kind} between {matrix.size} {matrix.ends}s;\n"
        f"most: {shown(names[most.source])} to {shown(names[most.destination])}, "
        f"{text(getattr(most, measure))} ({share} %)"
    )
