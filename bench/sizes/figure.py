"""Draws the cost of calls of each size: added nanoseconds above, percent below."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from common.figure import pyplot
from rankwise.text.units import byte_text

_COLOUR = "#a62c2b"
_LABELS = 4  # sizes from label to label


class Curve(NamedTuple):
    """A call by the size of its data.

    Attributes:
        title: of the call.
        sizes: bytes, ascending.
        without: nanoseconds of a call without the library: for each size a value of each pair of runs.
        with_: the same with the library.
    """

    title: str
    sizes: Sequence[int]
    without: Sequence[Sequence[float]]
    with_: Sequence[Sequence[float]]

    def added(self, place: int) -> list[float]:
        """Return the added nanoseconds of a call of a size, for each pair."""
        return [b - a for a, b in zip(self.without[place], self.with_[place], strict=True)]

    def percent(self, place: int) -> list[float]:
        """Return the same in percent of the call without the library."""
        return [
            100 * added / base for added, base in zip(self.added(place), self.without[place], strict=True)
        ]


def draw(curves: Sequence[Curve], path: Path) -> None:
    """Draw a column for each call: medians over the pairs, and all pairs as a band.

    Raises:
        BenchError: matplotlib is missing.
    """
    figure, axes = pyplot("sizes").subplots(
        2, len(curves), figsize=(11, 5.6), squeeze=False, sharex="col", layout="constrained"
    )
    for column, curve in enumerate(curves):
        places = range(len(curve.sizes))
        for ax, values, unit in (
            (axes[0, column], [curve.added(place) for place in places], "ns"),
            (axes[1, column], [curve.percent(place) for place in places], "%"),
        ):
            ax.fill_between(
                curve.sizes, [min(of) for of in values], [max(of) for of in values], color=_COLOUR, alpha=0.15
            )
            ax.plot(curve.sizes, [statistics.median(of) for of in values], color=_COLOUR, marker="o")
            ax.axhline(0, color="#55606e", linewidth=0.8)
            ax.set_ylabel(f"added, {unit}")
            ax.set_xscale("log", base=2)
            shown = curve.sizes[::_LABELS]
            ax.set_xticks(shown, [byte_text(size) for size in shown], minor=False)
            ax.spines[["top", "right"]].set_visible(False)
        # (A large message takes a thousand times as long as a small one, and so does its noise.)
        axes[0, column].set_yscale("symlog", linthresh=100)
        axes[0, column].set_title(curve.title)
        axes[1, column].set_xlabel("size of the message")
    figure.savefig(path, metadata={"Date": None})
