"""Gains between measurements: interpolated on a logarithmic scale, with their uncertainty.

Between two neighbours the logarithm of the ratio default / algorithm is assumed to follow a straight line
over the logarithm of the size, or of the number of processes. The measured points show the error of this:
each is predicted from its two neighbours without itself (leave-one-out), from twice as far away as any later
prediction. The bend is the largest such error near a gap, or the root mean square of all errors, if that is
larger. A prediction in the middle of a gap may be off by the bend in addition to its neighbours' errors;
towards the neighbours by less. With two points the bend is unknown, so their whole difference counts as the
bend.

Unlike a measurement, this is no proof: an algorithm may behave differently in between than at all points.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from rankwise.tuning.machine.results import Gain

FARTHEST = 2.0
"""How far a number of processes may be beyond the measured ones, as a factor."""


@dataclass(frozen=True)
class Line:
    """What an algorithm gains, over the logarithm of a size or of a number of processes.

    Attributes:
        known: the measurements, by size or number.
    """

    known: Mapping[int, Gain]

    def at(self, value: int) -> Gain | None:
        """Return its gain at a value between the known ones, or a little beyond; None: unknown.

        Args:
            value: size or number of processes.
        """
        if gain := self.known.get(value):
            return gain
        values = sorted(self.known)
        if len(values) < 2 or value < 1 or values[0] < 1:
            return None
        if not values[0] / FARTHEST <= value <= values[-1] * FARTHEST:
            return None
        right = min(max(bisect_right(values, value), 1), len(values) - 1)
        before, after = values[right - 1], values[right]
        part = math.log(value / before) / math.log(after / before)
        near, far = self.known[before], self.known[after]
        middle = (1 - part) * near.middle + part * far.middle
        half = abs(1 - part) * near.half + abs(part) * far.half
        return Gain(middle, half + 4 * abs(part * (1 - part)) * self._bend(values, right))

    def _bend(self, values: list[int], right: int) -> float:
        """Return how far off the line may be in the middle of a gap."""
        if len(values) < 3:
            first, second = (self.known[value].middle for value in values)
            return abs(first - second)
        errors = {place: self._error(values, place) for place in range(1, len(values) - 1)}
        every = math.sqrt(sum(error**2 for error in errors.values()) / len(errors))
        return max(every, *(abs(errors.get(place, 0.0)) for place in (right - 1, right)))

    def _error(self, values: list[int], place: int) -> float:
        """Return the error at a measured point of a straight line between its neighbours."""
        before, value, after = values[place - 1 : place + 2]
        part = math.log(value / before) / math.log(after / before)
        straight = (1 - part) * self.known[before].middle + part * self.known[after].middle
        return self.known[value].middle - straight


def is_power_of_two(number: int) -> bool:
    """Return whether algorithms that repeatedly halve the processes need no further step."""
    return number & (number - 1) == 0
