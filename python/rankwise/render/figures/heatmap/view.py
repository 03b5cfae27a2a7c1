"""The subject of a drawing: a statistic of a message size, in order, with its classes and its scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.latency.measurement import BANDWIDTHS, STATISTICS, Measurement
from rankwise.render.figures.heatmap.classes import Classes, classes
from rankwise.render.figures.heatmap.ordering import ORDERS, Ordering, measured_pairs, ordering
from rankwise.render.figures.heatmap.scale import Scale, scale
from rankwise.text.units import byte_text
from rankwise.topology.hierarchy.levels import Hierarchy

BANDWIDTH = "bandwidth"
DRAWN = (*STATISTICS, BANDWIDTH)
_DEFAULTS = ("median", "mean", "min", BANDWIDTH, "p95", "std")


@dataclass(frozen=True)
class View:
    """One statistic of one size.

    Attributes:
        measurement, hierarchy: of the statistic; hierarchy None: none was found.
        statistic: one of DRAWN.
        size: of the messages, bytes.
        ordering: of rows and columns.
        classes: of the measurement's pairs.
        values: one array (P,) for each separately measured direction: us, or MB/s.
        scale: of the colours.
    """

    measurement: Measurement
    hierarchy: Hierarchy | None
    statistic: str
    size: int
    ordering: Ordering
    classes: Classes
    values: tuple[NDArray[np.float64], ...]
    scale: Scale

    def of(self, statistic: str, size: int) -> View:
        """Return the same for another statistic and size."""
        values = pair_values(self.measurement, statistic, size)
        chosen = scale(_by_class(self.classes, values), smallest=statistic == BANDWIDTH)
        return replace(self, statistic=statistic, size=size, values=values, scale=chosen)

    @property
    def smallest(self) -> bool:
        """Whether small values are the bad ones."""
        return self.statistic == BANDWIDTH

    @property
    def unit(self) -> str:
        """Of the values."""
        return "MB/s" if self.statistic == BANDWIDTH else "us"

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The values in order, shape (M, M); NaN if missing, and on the diagonal."""
        ranks = self.ordering.ranks
        ordered = self.measurement.matrix(self.statistic, self.size)[np.ix_(ranks, ranks)]
        np.fill_diagonal(ordered, np.nan)
        return ordered


def view(
    measurement: Measurement, hierarchy: Hierarchy | None, statistic: str, size: int, by: str = ORDERS[0]
) -> View:
    """Return the view of a statistic.

    Raises:
        RankwiseError: this statistic and size was not measured.
    """
    if not measured_pairs(measurement).any():
        raise RankwiseError("this file has no measured pair: measure at least two ranks")
    if size not in measurement.sizes:
        sizes = ", ".join(str(known) for known in measurement.sizes)
        raise RankwiseError(f"messages of {size} bytes were not measured: choose --size from {sizes}")
    values = pair_values(measurement, statistic, size)
    if not any(np.isfinite(part).any() for part in values):
        there = ", ".join(available(measurement, size)) or "nothing"
        elsewhere = [str(other) for other in measurement.sizes if statistic in available(measurement, other)]
        other_size = f"; --size {', '.join(elsewhere)} has {statistic}" if elsewhere else ""
        raise RankwiseError(
            f"{statistic} of {byte_text(size)} messages is not in this file: choose from {there}{other_size}"
        )
    sorted_in = classes(measurement, hierarchy)
    return View(
        measurement,
        hierarchy,
        statistic,
        size,
        ordering(measurement, hierarchy, by),
        sorted_in,
        values,
        scale(_by_class(sorted_in, values), smallest=statistic == BANDWIDTH),
    )


def _by_class(classes: Classes, values: tuple[NDArray[np.float64], ...]) -> list[NDArray[np.float64]]:
    return [part[classes.of == place] for place in range(len(classes.names)) for part in values]


def pair_values(measurement: Measurement, statistic: str, size: int) -> tuple[NDArray[np.float64], ...]:
    """Return the values of all pairs, shape (P,): once, or forward and backward."""
    column = measurement.sizes.index(size)
    if statistic == BANDWIDTH:
        return tuple(measurement.pairs.bandwidths[name][:, column] for name in BANDWIDTHS)
    return (measurement.pairs.times[statistic][:, column],)


def available(measurement: Measurement, size: int) -> list[str]:
    """Return the statistics of DRAWN that have values."""
    return [
        statistic
        for statistic in DRAWN
        if any(np.isfinite(part).any() for part in pair_values(measurement, statistic, size))
    ]


def default_statistic(measurement: Measurement, size: int | None) -> str:
    """Return the most informative statistic of DRAWN that the measurement has (of one size)."""
    sizes = measurement.sizes if size is None else [known for known in measurement.sizes if known == size]
    there = {statistic for known in sizes for statistic in available(measurement, known)}
    return next((statistic for statistic in _DEFAULTS if statistic in there), _DEFAULTS[0])


def default_size(measurement: Measurement, statistic: str) -> int:
    """Return the smallest size with this statistic, or the largest with a bandwidth; 0: no such size."""
    sizes = [size for size in measurement.sizes if statistic in available(measurement, size)]
    pick = max if statistic == BANDWIDTH else min
    return pick(sizes or measurement.sizes, default=0)
