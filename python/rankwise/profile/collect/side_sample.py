"""Which messages are in the samples of processes, as these choose them.

The same in C++: src/runtime/streams.h and time_sample.h.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect import layout
from rankwise.profile.collect.rows import Rows
from rankwise.records import dataclass

_SCATTER = np.uint64(0x9E3779B97F4A7C15)  # of src/runtime/hash.h
_ALL = 64  # the period of the sample that has everything
_SHORTEST, _WANTED, _STRETCHES = 10, 24, 16
_SHIFT = layout.CONSTANTS["SIDE_AFTER_SHIFT"]
NOT_BY_TIME = 255


@dataclass(frozen=True)
class TimeSample:
    """A sample by time, like the one of time_sample.h.

    Attributes:
        length: its stretches are of 2^length ticks.
        period: they begin at each multiple of 2^period ticks; `_ALL` = it has everything.

    How a message is in it: 0 = by when it was posted, `NOT_BY_TIME` = it is not, else after a stretch: 1 +
    the periods since this began.
    """

    length: int = 0
    period: int = _ALL

    def keeps(self, posted: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which messages are in the sample, by their posting times."""
        if self.period == _ALL:
            return np.ones(len(posted), bool)
        margin = 1 << (self.length - 2)
        inside: NDArray[np.bool_] = self._within_period(posted + np.uint64(margin)) < np.uint64(5 * margin)
        return inside

    def still(
        self, how: NDArray[np.int64], posted: NDArray[np.uint64], before: TimeSample
    ) -> NDArray[np.int64]:
        """Return which messages of a larger sample are still in this one, which was thinned out from it."""
        by_time = np.where(self.keeps(posted), 0, NOT_BY_TIME)
        if self.period == before.period or before.period == _ALL:
            return np.where(how == 0, by_time, how)
        stretch = (posted >> np.uint64(before.period)).astype(np.int64) - (how - 1)
        after = 1 + (posted >> np.uint64(self.period)).astype(np.int64) - stretch // 2
        after = np.where((how == NOT_BY_TIME) | (stretch % 2 != 0), NOT_BY_TIME, after)
        return np.where(how == 0, by_time, after)

    def stretches(self, ticks: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the numbers of the stretches that instants are in, -1 = none."""
        if self.period == _ALL:
            return np.zeros(len(ticks), np.int64)
        inside = self._within_period(ticks) < np.uint64(1 << self.length)
        return np.where(inside, (ticks >> np.uint64(self.period)).astype(np.int64), -1)

    def _within_period(self, ticks: NDArray[np.uint64]) -> NDArray[np.uint64]:
        within: NDArray[np.uint64] = ticks & np.uint64((1 << self.period) - 1)
        return within

    def thinner(self, first: int, now: int, messages: int) -> TimeSample:
        """Return one that has less of the time between two instants, in which there were so many messages."""
        passed = max(now - first, 0)
        if self.period == _ALL:
            length = max((passed // max(messages, 1) * _WANTED).bit_length(), _SHORTEST)
            return TimeSample(length, length + 1)
        if self.period < _ALL - 1 and (self.length == _SHORTEST or passed >> self.period >= _STRETCHES):
            return TimeSample(self.length, self.period + 1)
        return TimeSample(max(self.length - 1, _SHORTEST), self.period)


def time_sample(thread: Any) -> TimeSample:
    """Return the sample of a thread (record of struct rankwise_thread)."""
    period = int(thread["period"])
    return TimeSample(int(thread["stretch"]), period) if 0 < period < _ALL else TimeSample()


def since(threads: Rows, sides: Rows) -> int:
    """Return since when, in ticks, the threads of a process have sampled by time; 0 = from their begin."""
    latest = 0
    for place in np.flatnonzero(threads["renewed"]):
        theirs = sides["posted"][(sides["thread"] == place) & (sides["flags"] >> _SHIFT == 0)]
        latest = max(latest, int(theirs.min()) if len(theirs) else 0)
    return latest


def common(samples: Iterable[TimeSample]) -> TimeSample:
    """Return the intersection of the samples."""
    some = [sample for sample in samples if sample.period != _ALL]
    return (
        TimeSample(min(sample.length for sample in some), max(sample.period for sample in some))
        if some
        else TimeSample()
    )


def by_number(numbers: NDArray[Any], halved: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which messages, by number, are in a sample that was halved that often."""
    with np.errstate(over="ignore"):
        places = (numbers.astype(np.uint64) + np.uint64(1)) * _SCATTER
    limits = np.uint64(2**64 - 1) >> np.minimum(halved, 63).astype(np.uint64)
    inside: NDArray[np.bool_] = places <= limits
    return inside


def thinned_out(threads: Rows, sides: Rows, most: int) -> tuple[Rows, Rows]:
    """Make the samples of the threads of a process smaller, until they have `most` messages or fewer.

    The same halving of the samples of other processes keeps the same messages, or half of them, a
    quarter, ...

    Args:
        threads: records of struct rankwise_thread.
        sides: the sides that they have kept.
        most: messages.

    Returns:
        The threads, with what their samples are now, and the sides that stay.
    """
    if len(sides) <= most or not len(threads):
        return threads, sides
    threads, sides = threads.copy(), sides.copy()
    while len(sides) > most and threads["halved"][:, 0].min() < _ALL:
        first, last = int(sides["posted"].min()), int(sides["posted"].max())
        threads["halved"][:, 0] += 1
        for place, thread in enumerate(threads):
            before = time_sample(thread)
            after = before.thinner(first, last, len(sides))
            thread["stretch"], thread["period"] = after.length, after.period
            theirs = sides["thread"] == place
            how = (sides["flags"][theirs] >> _SHIFT).astype(np.int64)
            how = after.still(how, sides["posted"][theirs], before)
            sides["flags"][theirs] = sides["flags"][theirs] % (1 << _SHIFT) + (how << _SHIFT)
        stay = by_number(sides["number"], halved_of(threads, sides)) | (
            sides["flags"] >> _SHIFT != NOT_BY_TIME
        )
        sides = sides[stay]
    return threads, sides


def halved_of(threads: Rows, sides: Rows) -> NDArray[np.int64]:
    """Return of each side how often its thread has halved the sample by number."""
    if not len(threads):
        return np.zeros(len(sides), np.int64)
    halved = threads["halved"][:, 0].astype(np.int64)
    own: NDArray[np.int64] = halved[np.minimum(sides["thread"], len(threads) - 1)]
    return own
