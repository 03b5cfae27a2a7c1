"""When a process started and when it gave its last sign of life."""

from __future__ import annotations

from typing import NamedTuple

from rankwise.profile.clock import NANOSECONDS, Clock, Stamp
from rankwise.profile.counters import Counters


class Lifetime(NamedTuple):
    """The time of one process between MPI_Init entered and MPI_Finalize returned, or its last sign of life.

    Attributes:
        started_ns: nanoseconds since 1970.
        stopped_ns: nanoseconds since 1970.
    """

    started_ns: int
    stopped_ns: int

    @property
    def wall(self) -> float:
        """Seconds."""
        return (self.stopped_ns - self.started_ns) / NANOSECONDS

    @staticmethod
    def of(counters: Counters, clock: Clock | None = None) -> Lifetime:
        """Find the lifetime of a process.

        Args:
            counters: what it counted.
            clock: its clock; with it, to have entered the latest call is a sign of life too.
        """
        stamps = counters.header.stamps
        used = [stamp for stamp in stamps.values() if stamp.used]
        if not used:
            return Lifetime(0, 0)
        first = stamps["loaded"] if stamps["loaded"].used else min(used, key=_monotonic)
        last = stamps["stopped"] if stamps["stopped"].used else max(used, key=_monotonic)
        # The length is taken from the clock that nobody sets.
        wall_ns = max(last.monotonic_ns - first.monotonic_ns, 0)
        if clock and not stamps["stopped"].used:
            entered = [int(thread["inside_since"]) for thread in counters.threads if thread["inside_since"]]
            wall_ns = max([wall_ns, *(clock.realtime_ns(ticks) - first.realtime_ns for ticks in entered)])
        return Lifetime(first.realtime_ns, first.realtime_ns + wall_ns)


def _monotonic(stamp: Stamp) -> int:
    return stamp.monotonic_ns
