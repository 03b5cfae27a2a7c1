"""The cost of a measurement, on the terminal."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TextIO

from rankwise.render.terminal.page import Page
from rankwise.text.units import count_text, digits_text, number_of, second_text
from rankwise.trials.cost import Cost
from rankwise.trials.interval import Interval
from rankwise.trials.plan import about


def print_cost(cost: Cost, before: Sequence[float], interval: Interval | None, file: TextIO) -> None:
    """Write the cost.

    Args:
        cost: of the whole measurement.
        before: seconds of the runs of the program as given.
        interval: of its gain; None: no pair was run.
        file: to write to.
    """
    page = Page(file)
    page.write(*page.wrapped(cost_text(cost, before, interval), indent=2))


def cost_text(cost: Cost, before: Sequence[float], interval: Interval | None) -> str:
    """Return the cost as a sentence, and the number of runs after which a gain has paid for it."""
    hours = digits_text(cost.node_hours)
    spent = f"Cost: {about(cost.seconds).removeprefix('about ')} on {number_of(cost.nodes, 'node')}"
    text = f"{spent}, {hours} node hours"
    if interval is None or interval.verdict != "faster" or not before:
        return f"{text}."
    of_run = statistics.median(before)
    saved = [of_run * (1 - 1 / ratio) for ratio in (interval.ratio, interval.low, interval.high)]
    runs, most, least = (cost.runs_to_pay(seconds) for seconds in saved)
    if runs is None or most is None or least is None:
        return f"{text}."
    between = f" ({count_text(least)} to {count_text(most)})" if least != most else ""
    return (
        f"{text}. With {second_text(saved[0])} saved per run, it has paid off after "
        f"{number_of(runs, 'run')}{between}."
    )
