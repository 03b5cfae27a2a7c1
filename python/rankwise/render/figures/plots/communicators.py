"""The time on each family of communicators, by call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.analysis.calls.communicator_calls import CommunicatorCalls
from rankwise.analysis.calls.communicators import Communicator
from rankwise.analysis.calls.families import Family
from rankwise.render.figures.heatmap.style import shown
from rankwise.render.figures.plots.canvas import IN_MPI, drawing, texts_on
from rankwise.render.figures.plots.stacks import draw_stacks
from rankwise.text.names import call_name, family_name, size_name
from rankwise.text.units import second_text
from rankwise.views.totals_columns import share_of_mpi

_MOST_BARS = 12
_LEAST_PERCENT = 0.2  # of the time in MPI: less is invisible


def draw_communicators(
    families: Sequence[Family],
    communicators: Sequence[Communicator],
    calls: Sequence[CommunicatorCalls],
    axes: Any = None,
    time: str = IN_MPI,
) -> Any:
    """Draw a bar for each family, most time first; its parts are the calls.

    Args:
        families: all.
        communicators: all.
        calls: on each of them.
        axes: to draw on; None = new ones.
        time: to draw.

    Returns:
        The axes.
    """
    used = [row for row in families if row.totals.seconds]
    bars = [row for row in used[:_MOST_BARS] if row.totals.percent_of_mpi >= _LEAST_PERCENT]
    names = [f"{shown(family_name(row), 40)}\n{size_name(row)}" for row in bars]
    if others := len(used) - len(bars):
        names.append(f"{others} other{'s' * (others > 1)}")
    place = {row.family: number for number, row in enumerate(bars)}
    family_of = {row.name: row.family for row in communicators}
    stacks: list[dict[str, float]] = [{} for _ in names]
    for row in calls:
        if row.totals.seconds:
            stack = stacks[place.get(family_of.get(row.communicator, ""), len(bars))]
            call = call_name(row.procedure)
            stack[call] = stack.get(call, 0.0) + row.totals.seconds
    with drawing(axes, 7.2, 1.4 + 0.42 * max(len(names), 2)) as on:
        if not names:
            on.set_title("No MPI call was recorded")
            return on
        draw_stacks(on, stacks, across=True)
        on.set_yticks(range(len(names)), names)
        on.set_title(share_of_mpi(shown(family_name(bars[0]), 40), bars[0].totals, time=time))
        on.set_xlabel(f"{time}, summed over ranks")
        texts_on(on.xaxis, second_text)
    return on
