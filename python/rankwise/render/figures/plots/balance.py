"""The time of each rank: MPI, its start and end, and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.analysis.calls.ranks import Rank
from rankwise.render.figures.heatmap.style import INK
from rankwise.render.figures.plots.canvas import COLOURS, REST, drawing, legend, texts_on
from rankwise.text.empty import NO_CALL_BETWEEN
from rankwise.text.units import second_text
from rankwise.views.by.rank import rank_title

_COMPUTE = "#e1e7ee"  # pale: not the subject here


def draw_balance(rows: Sequence[Rank], axes: Any = None) -> Any:
    """Draw the time of each rank, by rank: in MPI, in MPI_Init and MPI_Finalize, and the rest.

    Args:
        rows: the ranks.
        axes: to draw on; None = new ones.

    Returns:
        The axes.
    """
    with drawing(axes, 7.2, 3.2) as on:
        if not rows:
            on.set_title("No rank's counters could be read")
            return on
        ranks = sorted(rows, key=lambda row: row.rank)
        # (The times in MPI of several threads are summed up: the rank spent their mean.)
        mpi = np.array([row.seconds / max(row.threads, 1) for row in ranks])
        ends = np.array([row.init_finalize_seconds for row in ranks])
        outside = np.maximum([row.run_seconds for row in ranks] - mpi, 0)
        bottom = np.zeros(len(ranks))
        parts = (
            ("in MPI", mpi, COLOURS[0]),
            ("compute, other", outside, _COMPUTE),
            ("Init, Finalize", ends, REST),
        )
        edges = np.append(np.array([row.rank for row in ranks]) - 0.5, ranks[-1].rank + 0.5)
        for name, seconds, colour in parts:
            on.stairs(bottom + seconds, edges, baseline=bottom, fill=True, color=colour, label=name)
            bottom = bottom + seconds
        mean = float(mpi.mean())
        on.axhline(mean, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), label="mean in MPI")
        on.set_title(rank_title(sorted(rows, key=lambda row: -row.seconds)) or NO_CALL_BETWEEN)
        on.set_xlim(edges[0], edges[-1])
        on.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        on.set_xlabel("rank")
        on.set_ylabel("time")
        on.grid(axis="y")
        texts_on(on.yaxis, second_text)
        legend(on, ["in MPI", "other"])
    return on
