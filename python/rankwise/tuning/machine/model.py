"""What lies between measurements: interpolated on a logarithmic scale, with how unsure that is.

Between two neighbours the logarithm of the ratio default / algorithm is taken to follow a straight line over
the logarithm of the size, or of the number of processes. What the line misses is seen at the points that were
measured: each is predicted from its two neighbours without itself (leave-one-out), from twice as far away as
anything that is predicted later. The largest such error near a gap, or the root mean square of all, if that
is more, is the bend: what is predicted in the middle of the gap may be off by so much more than its
neighbours, and less towards them. With two points nothing shows how the line bends, so the whole difference
between them counts as the bend.

This is no proof, as a measurement is: an algorithm may do something in between that none of the points shows.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from rankwise.tuning.machine.results import Gain

FARTHEST = 2.0
"""Factor by which a number of processes may be beyond those that were measured."""


@dataclass(frozen=True)
class Line:
    """What an algorithm gains, over the logarithm of a size or of a number of processes.

    Attributes:
        known: what was measured, by size or number.
    """

    known: Mapping[int, Gain]

    def at(self, value: int) -> Gain | None:
        """Return what it gains at a value between those that are known, or a little beyond; None: unknown.

        Args:
            value: size or number of processes.
        """
        if found := self.known.get(value):
            return found
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
        """Return by how much the line may be off in the middle of a gap."""
        if len(values) < 3:
            one, other = (self.known[value].middle for value in values)
            return abs(one - other)
        errors = {place: self._error(values, place) for place in range(1, len(values) - 1)}
        every = math.sqrt(sum(error**2 for error in errors.values()) / len(errors))
        return max(every, *(abs(errors.get(place, 0.0)) for place in (right - 1, right)))

    def _error(self, values: list[int], place: int) -> float:
        """Return what a straight line between its neighbours misses at a point that was measured."""
        before, here, after = values[place - 1 : place + 2]
        part = math.log(here / before) / math.log(after / before)
        straight = (1 - part) * self.known[before].middle + part * self.known[after].middle
        return self.known[here].middle - straight


def is_power_of_two(number: int) -> bool:
    """Tell whether algorithms that halve the processes again and again need no further step for a number."""
    return number & (number - 1) == 0
