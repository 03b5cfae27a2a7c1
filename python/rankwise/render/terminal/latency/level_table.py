"""The levels of a machine as a table: the cost of a message at each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.text import Text

from rankwise.latency.measurement import Measurement
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, label, table_lines
from rankwise.text.units import byte_text, count_text, percent_text
from rankwise.topology.hierarchy.levels import Level
from rankwise.views.latency.texts import number_text, value_text

_KIB = 1024
_MOST_WINDOW_BYTES = 8 << 20  # larger messages are sent alone, see src/probes/latency/window.c


def level_lines(page: Page, measurement: Measurement, levels: Sequence[Level]) -> list[Text]:
    """Return the table, and an explanation."""
    return [*table_lines(page, columns(), levels), *page.wrapped(caption(measurement), "dim")]


def columns() -> list[TextColumn[Level]]:
    """Return the columns: shape, costs in the order of LogGP, and the confidence in the level."""
    return [
        label("level", lambda level: level.name),
        TextColumn("groups", groups_text, right=True),
        TextColumn("pairs", lambda level: count_text(level.pairs), right=True),
        TextColumn("latency", lambda level: value_text("latency", level.cost.latency_us), right=True),
        TextColumn("overhead", lambda level: value_text("latency", level.cost.overhead_us), right=True),
        TextColumn("us/KiB", _slope, right=True),
        TextColumn("bandwidth", lambda level: value_text("bandwidth", level.cost.bandwidth_mb_s), right=True),
        TextColumn("spread", lambda level: _percent(level.spread), right=True),
        TextColumn("again", lambda level: _percent(level.stability, 0), right=True),
    ]


def groups_text(level: Level) -> str:
    """Return the numbers of groups and of their ranks: `4 x 8`, `3 x 7-8`."""
    sizes = np.bincount(level.groups)
    least, most = int(sizes.min()), int(sizes.max())
    return f"{len(sizes)} x {least}" + (f"-{most}" if most > least else "")


def caption(measurement: Measurement) -> str:
    """Return the explanation of the table."""
    smallest, largest = (byte_text(pick(measurement.sizes)) for pick in (min, max))
    messages = (
        "many messages at once, each" if max(measurement.sizes) <= _MOST_WINDOW_BYTES else "one message"
    )
    return (
        "The level of two ranks is the smallest one with both in one group. latency: half a round trip of "
        f"{smallest}. overhead: time in MPI_Send. us/KiB: increase of half a round trip with the size. "
        f"bandwidth: of {messages} of {largest}. spread: robust spread of the latencies. again: share of "
        "measurements with the same noise that find this level."
    )


def _slope(level: Level) -> str:
    slope = level.cost.us_per_byte
    return number_text(None if slope is None else slope * _KIB)


def _percent(share: float, decimals: int = 1) -> str:
    return "-" if np.isnan(share) else f"{percent_text(100 * share, decimals)} %"
