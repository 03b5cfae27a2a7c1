"""A chart of many runs, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, field
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
        about: what it shows, by the names of columns of tables that pages filter by; empty = the whole run.
    """

    name: str
    points: Sequence[Point]
    kind: Literal["line", "dots", "dashed"] = "line"
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        name: of the quantity.
        unit: s, B, % or nothing.
        logarithmic: equal distances are equal factors.
        labels: names of values, in ascending order, which are the ticks; empty = numbers are.
        from_zero: it begins at zero.
    """

    name: str
    unit: str = ""
    _: KW_ONLY
    logarithmic: bool = False
    labels: Sequence[tuple[float, str]] = ()
    from_zero: bool = True


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
