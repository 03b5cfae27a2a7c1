"""A chart of many runs, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Literal, NamedTuple

from rankwise.records import dataclass


class Point(NamedTuple):
    """A value, such as the wall time of a run.

    Attributes:
        x: place on the axis.
        y: the value.
        low: lower end of its range; None = unknown.
        high: upper end of its range; None = unknown.
        text: facts about it.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    text: str = ""


@dataclass(frozen=True)
class Series:
    """Values that belong together.

    Attributes:
        name: in the legend.
        points: by ascending x.
        kind: `line`: measured; `dots`: measured, but not joined by a line; `dashed`: ideal or predicted.
    """

    name: str
    points: Sequence[Point]
    kind: Literal["line", "dots", "dashed"] = "line"


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        name: of the quantity.
        unit: s, B, % or nothing.
        logarithmic: equal distances are equal factors.
        labels: names of values, in ascending order, which are the ticks; empty = numbers are.
    """

    name: str
    unit: str = ""
    _: KW_ONLY
    logarithmic: bool = False
    labels: Sequence[tuple[float, str]] = ()


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart.

    Attributes:
        name: for files and addresses: lower-case letters and hyphens.
        title: the finding, a sentence without its full stop.
        caption: how to read it.
        x: the horizontal axis.
        y: the vertical axis.
        series: six have different colours.
    """

    name: str
    title: str
    caption: str
    x: Axis
    y: Axis
    series: Sequence[Series]
