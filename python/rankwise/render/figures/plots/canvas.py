"""Axes to draw on, and colours and scales that all drawings of profiles share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rankwise.render.figures.heatmap.style import SETTINGS, shown
from rankwise.text.units import second_text, second_texts

# Okabe and Ito 2008, in the order in which neighbours differ most: also for the colour-blind.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
REST = "#b8c0c8"
"""Of merged parts."""

_LONGEST = 160  # characters: of a part's name in a title

IN_MPI, IN_THESE_CALLS = "time in MPI", "time in these calls"
"""The drawn time: of whole ranks, of some of their calls."""


@contextmanager
def drawing(axes: Any, width: float, height: float) -> Iterator[Any]:
    """Yield axes in Rankwise's style: the given ones, or new ones, width x height in inches."""
    from matplotlib import pyplot, rc_context

    with rc_context(SETTINGS):
        if axes is None:
            _, axes = pyplot.subplots(figsize=(width, height), layout="constrained", facecolor="white")
        yield axes


def name_part(axes: Any, part: str) -> None:
    """Put the drawn part of a run in front of the title."""
    with drawing(axes, 0, 0) as on:
        on.set_title(f"Only {shown(part, _LONGEST)}.\n{on.get_title(loc='left')}")


def texts_on(axis: Any, text: Callable[[float], str]) -> None:
    """Write the numbers of an axis with their units, as in tables."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: text(value) if value else "0"))


def seconds_on(axis: Any) -> None:
    """Write instants on an axis with enough digits to distinguish neighbours."""
    from matplotlib.ticker import FuncFormatter

    class Instants(FuncFormatter):  # type: ignore[misc,unused-ignore]
        def format_ticks(self, values: Sequence[float]) -> list[str]:
            some = [float(value) for value in values if value > 0]
            texts = dict(zip(some, second_texts(some), strict=True))
            return [texts.get(float(value), "0") for value in values]

    axis.set_major_formatter(Instants(lambda value, _: second_text(value)))


def largest(amounts: dict[str, float], most: int) -> list[str]:
    """Return the names with the largest amounts, the largest first; a single further one is included."""
    names = sorted(amounts, key=lambda name: -amounts[name])
    return names if len(names) <= most + 1 else names[:most]


def sums_of(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Add up the amounts of each name."""
    sums: dict[str, float] = {}
    for name, amount in pairs:
        sums[name] = sums.get(name, 0.0) + amount
    return sums


def legend(axes: Any, names: Sequence[str]) -> None:
    """Put a legend next to the drawing, if there is more than one name."""
    if len(names) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
