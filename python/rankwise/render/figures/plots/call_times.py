"""The time of each rank in some of its calls, without the other calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.analysis.calls.ranks import Rank
from rankwise.render.figures.heatmap.style import INK
from rankwise.render.figures.plots.canvas import COLOURS, drawing, legend, texts_on
from rankwise.text.units import ratio_text, second_text


def draw_call_times(rows: Sequence[Rank], axes: Any = None) -> Any:
    """Draw the time of each rank in the chosen calls, by rank.

    Args:
        rows: the ranks, with their times in these calls.
        axes: to draw on; None = new ones.

    Returns:
        The axes.
    """
    with drawing(axes, 7.2, 3.2) as on:
        ranks = sorted(rows, key=lambda row: row.rank)
        # (The times of several threads are summed up: the rank spent their mean.)
        seconds = np.array([row.seconds / max(row.threads, 1) for row in ranks])
        if not seconds.any():
            on.set_title("No rank spends time in these calls")
            return on
        numbers = np.array([row.rank for row in ranks])
        on.bar(numbers, seconds, 1.0, color=COLOURS[0], label="in these calls")
        mean, most = float(seconds.mean()), int(seconds.argmax())
        on.axhline(mean, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), label="mean")
        longest = f"Rank {ranks[most].rank} spends"
        times = (
            f" the most time in these calls: {second_text(seconds[most])}, {ratio_text(seconds[most] / mean)}"
        )
        on.set_title(
            f"{longest}{times} times the mean"
            if len(ranks) > 1
            else f"{longest} {second_text(mean)} in these calls"
        )
        on.set_xlim(numbers[0] - 0.5, numbers[-1] + 0.5)
        on.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        on.set_xlabel("rank")
        on.set_ylabel("time in these calls")
        on.grid(axis="y")
        texts_on(on.yaxis, second_text)
        legend(on, ["in these calls", "mean"])
    return on
