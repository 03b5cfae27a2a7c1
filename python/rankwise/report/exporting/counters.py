"""The time line as counters: what ranks did in each interval, per second of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rankwise.analysis.percent import percent
from rankwise.analysis.time_line import Interval, RankLine, TimeLine


class Counter(NamedTuple):
    """What a counter counts, and its unit."""

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


def counters_of_rank(line: RankLine, whole: TimeLine) -> Iterator[Level]:
    """Yield what a rank did: the sums of the intervals, each spread evenly over its interval."""
    shares = [
        min(percent(spent, there * max(line.threads, 1)), 100.0)
        for spent, there in zip(line.mpi_seconds, line.inside_seconds, strict=True)
    ]
    rows = zip(shares, line.bytes_sent, line.messages, line.calls, strict=True)
    return _levels([*rows], whole)


def counters_of_all(whole: TimeLine) -> Iterator[Level]:
    """Yield what all ranks did together."""
    rows = [_of_interval(one) for one in whole.intervals]
    return _levels(rows, whole)


def _of_interval(one: Interval) -> tuple[float, float, float, float]:
    return min(one.percent_of_mpi or 0.0, 100.0), one.bytes_sent, one.messages, one.calls


def _short(value: float) -> float:
    """Return a value with as many digits as anybody needs."""
    return float(f"{value:.9g}")


def _levels(rows: Sequence[tuple[float, ...]], whole: TimeLine) -> Iterator[Level]:
    """Yield the levels where they change; the last one is nothing."""
    before = None
    width = whole.width_seconds
    for number, (share, *counts) in enumerate(rows):
        values = tuple(_short(value) for value in (share, *(count / width for count in counts)))
        if values != before:
            yield Level(round((whole.begin_seconds + number * width) * 1e9), values)
        before = values
    if before is not None and before != _NOTHING:
        yield Level(round((whole.begin_seconds + len(rows) * width) * 1e9), _NOTHING)
