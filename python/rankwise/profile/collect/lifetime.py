"""When a process started and when it had its last heartbeat."""

from __future__ import annotations

from typing import NamedTuple

from rankwise.profile.collect.clock import NANOSECONDS, Clock, Stamp
from rankwise.profile.collect.counters import Counters


class Lifetime(NamedTuple):
    """The time of one process from MPI_Init entered to MPI_Finalize returned, or its end as far as known.

    Attributes:
        started_ns: nanoseconds since 1970.
        stopped_ns: nanoseconds since 1970.
        run: seconds of it from MPI_Init returned to MPI_Finalize called; 0 if it never came so far.
    """

    started_ns: int
    stopped_ns: int
    run: float = 0.0

    @property
    def wall(self) -> float:
        """Seconds."""
        return (self.stopped_ns - self.started_ns) / NANOSECONDS

    @staticmethod
    def of(counters: Counters, clock: Clock | None = None, lived_until_ns: int | None = None) -> Lifetime:
        """Find the lifetime of a process.

        Args:
            counters: of the process.
            clock: its clock; with it, to have entered the latest call is a heartbeat too, and so
                is to have spent time in calls.
            lived_until_ns: an instant until which it is known to have lived, on its node's CLOCK_MONOTONIC;
                of no use where it returned from MPI_Finalize, or Rankwise switched itself off in it.
        """
        stamps = counters.header.stamps
        used = [stamp for stamp in stamps.values() if stamp.used]
        if not used:
            return Lifetime(0, 0)
        first = stamps["loaded"] if stamps["loaded"].used else min(used, key=_monotonic)
        last = stamps["stopped"] if stamps["stopped"].used else max(used, key=_monotonic)
        # The length comes from the monotonic clock, which is never set.
        wall_ns = max(last.monotonic_ns - first.monotonic_ns, 0)
        if clock and not stamps["stopped"].used:
            entered = [int(thread["inside_since"]) for thread in counters.threads if thread["inside_since"]]
            wall_ns = max([wall_ns, *(clock.realtime_ns(ticks) - first.realtime_ns for ticks in entered)])
            wall_ns = max(wall_ns, _known_ns(counters, clock))
        if lived_until_ns is not None and counters.header.state not in ("finalized", "switched_off"):
            wall_ns = max(wall_ns, lived_until_ns - first.monotonic_ns)
        run = _run(counters, clock, wall_ns / NANOSECONDS) if clock else 0.0
        return Lifetime(first.realtime_ns, first.realtime_ns + wall_ns, run)


def _run(counters: Counters, clock: Clock, wall: float) -> float:
    """Find the seconds between MPI_Init and MPI_Finalize, by the clock that times the calls.

    `wall` is the whole lifetime, as far as it is known.
    """
    stamps = counters.header.stamps
    if not stamps["started"].used:
        return 0.0
    if stamps["stopping"].used:
        return max(clock.seconds_of(stamps["stopping"].ticks - stamps["started"].ticks), 0.0)
    first = stamps["loaded"] if stamps["loaded"].used else stamps["started"]
    return max(wall - clock.seconds_of(stamps["started"].ticks - first.ticks), 0.0)


def _known_ns(counters: Counters, clock: Clock) -> int:
    """Return how long it has lived at least, from the time that its calls took after MPI_Init."""
    stamps = counters.header.stamps
    if not stamps["started"].used or not stamps["loaded"].used:
        return 0
    ticks = counters.ticks_between / max(len(counters.threads), 1)
    ticks += stamps["started"].ticks - stamps["loaded"].ticks
    return round(clock.seconds_of(ticks) * NANOSECONDS)


def _monotonic(stamp: Stamp) -> int:
    return stamp.monotonic_ns
