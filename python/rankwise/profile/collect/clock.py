"""From ticks of a processor's counter to seconds and to instants.

Every process writes down a few instants on all clocks at once (stamps). Two of them give the length
of a tick.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.records import dataclass

NANOSECONDS = 1e9
_CLOSEST_NS = 100_000  # reading the clocks takes some 0.1 us: an error of 0.1 % at this distance
_SLOWEST, _FASTEST = 1e6, 1e11  # ticks per second of any counter there is: anything else is a damaged stamp
_LAST_NS = 253_402_214_400 * 10**9  # 9999-12-31: the last day that ISO 8601 and Python can write


class Stamp(NamedTuple):
    """One instant on all clocks. An unused stamp is all zero."""

    ticks: int
    monotonic_ns: int
    realtime_ns: int

    @property
    def used(self) -> bool:
        """Whether the process came to this instant."""
        return self.ticks != 0 and self.monotonic_ns > 0


def frequency(stamps: Sequence[Stamp]) -> float | None:
    """Return ticks per second from the widest pair of stamps; None if closer than 100 us, or damaged."""
    used = sorted((stamp for stamp in stamps if stamp.used), key=lambda stamp: stamp.monotonic_ns)
    if len(used) < 2:
        return None
    first, last = used[0], used[-1]
    distance_ns = last.monotonic_ns - first.monotonic_ns
    if distance_ns < _CLOSEST_NS:
        return None
    ticks_per_second = (last.ticks - first.ticks) / distance_ns * NANOSECONDS
    return ticks_per_second if _SLOWEST <= ticks_per_second <= _FASTEST else None


def is_damaged(stamps: Sequence[Stamp]) -> bool:
    """Return whether the stamps should give a frequency, but do not."""
    times = [stamp.monotonic_ns for stamp in stamps if stamp.used]
    return bool(times) and max(times) - min(times) >= _CLOSEST_NS and frequency(stamps) is None


@dataclass(frozen=True)
class Clock:
    """The clock of one process.

    Attributes:
        ticks_per_second: frequency of the counter.
        anchor: an instant known on all clocks.
    """

    ticks_per_second: float
    anchor: Stamp

    def seconds(self, ticks: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Convert durations from ticks to seconds."""
        return ticks.astype(np.float64) / self.ticks_per_second

    def seconds_of(self, ticks: float) -> float:
        """Convert one duration from ticks to seconds."""
        return ticks / self.ticks_per_second

    def realtime_ns(self, ticks: int) -> int:
        """Return the instant at a count of ticks, in nanoseconds since 1970."""
        return self.anchor.realtime_ns + round(self.seconds_of(ticks - self.anchor.ticks) * NANOSECONDS)

    def behind(self, nanoseconds: int) -> Clock:
        """Return a clock that is shifted: each instant is this much earlier."""
        return Clock(
            self.ticks_per_second, self.anchor._replace(realtime_ns=self.anchor.realtime_ns - nanoseconds)
        )

    def since(self, origin_ns: int, ticks: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Convert instants from ticks to seconds after an instant in nanoseconds since 1970."""
        return instants([self], np.array([len(ticks)]), origin_ns, ticks)


def instants(
    clocks: Sequence[Clock], lengths: NDArray[np.int64], origin_ns: int, ticks: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """Convert instants of several processes from ticks to seconds after an instant.

    Args:
        clocks: of the processes.
        lengths: how many instants are of each.
        origin_ns: nanoseconds since 1970.
        ticks: of the first process, then of the next, ...
    """
    # Subtracted as integers first: a float has no room for both an epoch and a microsecond.
    anchors = np.array([clock.anchor.ticks for clock in clocks], np.uint64)
    offsets = np.array([(clock.anchor.realtime_ns - origin_ns) / NANOSECONDS for clock in clocks])
    ticks_per_second = np.array([clock.ticks_per_second for clock in clocks])
    after_anchor: NDArray[np.int64] = (ticks - np.repeat(anchors, lengths)).view(np.int64)
    seconds: NDArray[np.float64] = after_anchor.astype(np.float64) / np.repeat(ticks_per_second, lengths)
    seconds += np.repeat(offsets, lengths)
    return seconds


def clocks(processes: Sequence[Sequence[Stamp]]) -> list[Clock]:
    """Return the clock of each process, from its own stamps.

    A process that ended too early to measure its frequency gets the median of the others; without any, ticks
    are taken as nanoseconds.
    """
    own = [frequency(stamps) for stamps in processes]
    known = [ticks_per_second for ticks_per_second in own if ticks_per_second is not None]
    fallback = median(known) if known else NANOSECONDS
    return [
        Clock(
            fallback if ticks_per_second is None else ticks_per_second,
            next((stamp for stamp in stamps if stamp.used), Stamp(0, 0, 0)),
        )
        for ticks_per_second, stamps in zip(own, processes, strict=True)
    ]


def iso(realtime_ns: int) -> str:
    """Write an instant as ISO 8601 with a time zone; a damaged one is moved to the nearest writable."""
    # Apart, because a float has no room for both.
    seconds, rest_ns = divmod(min(max(realtime_ns, 0), _LAST_NS), round(NANOSECONDS))
    instant = datetime.fromtimestamp(seconds, timezone.utc).replace(microsecond=rest_ns // 1000)
    return instant.astimezone().isoformat(timespec="microseconds")
