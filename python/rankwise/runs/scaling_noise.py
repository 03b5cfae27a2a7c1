"""The noise of a figure: the scatter of runs of the same configuration, over all configurations."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.runs.models import student_quantile

ASSUMED = 0.05
"""Relative standard deviation that is assumed where no configuration has two runs."""
_ASSUMED_DEGREES = 30


@dataclass(frozen=True)
class Noise:
    """The scatter of a figure.

    Attributes:
        known: some configurations have several runs; else it is assumed.
        deviation: standard deviation of a run, relative to the figure.
        degrees: of freedom.
    """

    known: bool
    deviation: float
    degrees: int

    def half_width(self, runs: int) -> float:
        """Return the half of the 95 % interval of a mean of runs, relative to it."""
        return student_quantile(self.degrees) * self.deviation / math.sqrt(runs)


def noise_of(runs: Sequence[Sequence[float]]) -> Noise:
    """Return the noise of a figure.

    Args:
        runs: the figure in each run, by configuration.
    """
    squares, degrees = 0.0, 0
    for values in runs:
        mean = statistics.fmean(values)
        if len(values) > 1 and mean > 0:
            squares += sum((value / mean - 1) ** 2 for value in values)
            degrees += len(values) - 1
    if not degrees:
        return Noise(False, ASSUMED, _ASSUMED_DEGREES)
    return Noise(True, math.sqrt(squares / degrees), degrees)
