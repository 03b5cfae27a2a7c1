"""The time line as counters: the activity of ranks in each interval, per second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rankwise.analysis.timing.time_line import RankLine, TimeLine


class Counter(NamedTuple):
    """A counter's name, and its unit."""

    name: str
    unit: str


class Level(NamedTuple):
    """The values of `COUNTERS` from an instant on, in nanoseconds after the start of the run."""

    at: int
    values: tuple[float, ...]


COUNTERS = (
    Counter("time in MPI", "%"),
    Counter("bytes sent", "B/s"),
    Counter("messages", "1/s"),
    Counter("calls", "1/s"),
)
_NOTHING = (0.0,) * len(COUNTERS)
_SLACK = 1.01  # for differences of clocks


class _Sums(NamedTuple):
    """The sums of an interval: seconds in MPI, and the counts of the other counters."""

    mpi_seconds: float
    counts: tuple[int, ...]


def counters_of_rank(line: RankLine, whole: TimeLine) -> Iterator[Level]:
    """Yield the levels of a rank."""
    columns = zip(line.mpi_seconds, line.bytes_sent, line.messages, line.calls, strict=True)
    sums = (_Sums(seconds, tuple(counts)) for seconds, *counts in columns)
    return _levels(sums, whole, line.begin_seconds, line.end_seconds, max(line.threads, 1))


def counters_of_all(whole: TimeLine) -> Iterator[Level]:
    """Yield the levels of all ranks together, from the first rank's begin to the last one's end."""
    sums = (
        _Sums(interval.mpi_seconds, (interval.bytes_sent, interval.messages, interval.calls))
        for interval in whole.intervals
    )
    begin = min((line.begin_seconds for line in whole.ranks), default=0.0)
    end = max((line.end_seconds for line in whole.ranks), default=0.0)
    return _levels(sums, whole, begin, end, sum(max(line.threads, 1) for line in whole.ranks))


def _short(value: float) -> float:
    """Return a value without needless digits."""
    return float(f"{value:.9g}")


def _levels(
    rows: Iterable[_Sums], whole: TimeLine, begin: float, end: float, threads: int
) -> Iterator[Level]:
    """Yield the levels where they change: the integral of each is the sum; the last one is zero.

    Args:
        rows: of each interval; spread evenly over its part between `begin` and `end`.
        whole: the intervals.
        begin: seconds: no activity before.
        end: seconds: no activity after.
        threads: whose time in MPI is added up.
    """
    until = 0
    before: tuple[float, ...] | None = None
    for number, row in enumerate(rows):
        edges = [whole.begin_seconds + whole.width_seconds * side for side in (number, number + 1)]
        first, last = (min(max(edge, begin), end) for edge in edges)
        if row.mpi_seconds > threads * (last - first) * _SLACK or (first >= last and any(row.counts)):
            first, last = edges  # more than there was time for: clocks are off
        if first >= last:
            continue
        if _at(first) > until and before not in (None, _NOTHING):
            yield Level(until, _NOTHING)
            before = _NOTHING
        rates = (100 * row.mpi_seconds / threads, *row.counts)
        values = tuple(_short(rate / (last - first)) for rate in rates)
        if values != before:
            yield Level(_at(first), values)
        until, before = _at(last), values
    if before not in (None, _NOTHING):
        yield Level(until, _NOTHING)


def _at(seconds: float) -> int:
    return round(seconds * 1e9)
