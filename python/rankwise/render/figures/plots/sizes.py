"""The time of calls by the size of their data, by call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.analysis.calls.bins import OTHER
from rankwise.analysis.calls.sizes import SizeRow
from rankwise.render.figures.plots.canvas import IN_MPI, drawing, sums_of, texts_on
from rankwise.render.figures.plots.stacks import draw_stacks
from rankwise.text.names import call_name
from rankwise.text.units import bin_text, percent_text, second_text, sized_calls


def draw_sizes(rows: Sequence[SizeRow], axes: Any = None, time: str = IN_MPI) -> Any:
    """Draw a bar for each size bin, from the smallest on; its parts are the calls.

    Args:
        rows: one for each procedure and size bin.
        axes: to draw on; None = new ones.
        time: to draw.

    Returns:
        The axes.
    """
    seconds = sums_of((str(row.size_bin), row.totals.seconds) for row in rows)
    with drawing(axes, 7.2, 3.6) as on:
        if not rows:
            on.set_title("No MPI call was recorded")
            return on
        there = {row.size_bin for row in rows}
        sized = there - {0, OTHER}
        # Also bins without a call, so that the axis is to scale.
        inner = range(min(sized), max(sized) + 1) if sized else range(0)
        bins = [*sorted(there & {0}), *inner, *sorted(there & {OTHER})]
        stacks = [
            sums_of((call_name(row.procedure), row.totals.seconds) for row in rows if row.size_bin == size)
            for size in bins
        ]
        draw_stacks(on, stacks, across=False)
        names = ["no data" if size == 0 else bin_text(size) for size in bins]
        on.set_xticks(range(len(bins)), names, rotation=45, ha="right")
        most = max(seconds, key=lambda key: seconds[key])
        what = sized_calls(int(most), sum(row.totals.calls for row in rows if row.size_bin == int(most)))
        share = percent_text(100 * seconds[most] / (sum(seconds.values()) or 1))
        on.set_title(f"{what} take {share} % of the {time}")
        on.set_ylabel(f"{time}, summed over ranks")
        texts_on(on.yaxis, second_text)
    return on
