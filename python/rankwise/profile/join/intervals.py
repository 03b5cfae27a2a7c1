"""Resamples the time lines of all processes to a common axis: all ranks have the same intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.clock import Clock
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.lifetime import Lifetime
from rankwise.profile.collect.time_line import BETWEEN, COLUMNS, TimeLine
from rankwise.profile.join.grouping import LARGEST
from rankwise.profile.join.node_clocks import NodeClock
from rankwise.records import dataclass

MOST = CONSTANTS["MOST_INTERVALS"]
"""Intervals of a profile; of one with many ranks fewer."""
_MOST_ROWS, _LEAST = 1 << 18, 16
_ROUNDING = 2e-3  # of the logarithm of widths that differ only because clocks do
_TICKS = COLUMNS.index("ticks")

Row = tuple[int, int, float, int, int, int, int]


@dataclass(frozen=True)
class Axis:
    """The intervals of all ranks: seconds after the run's start, by the clock of rank 0's node.

    Attributes:
        begin: of the first one.
        width: of each.
        count: how many.
    """

    begin: float
    width: float
    count: int

    def overlaps(self, begin: float, end: float) -> NDArray[np.float64]:
        """Return how many seconds of each interval are between two instants."""
        edges = self.begin + self.width * np.arange(self.count + 1)
        inside: NDArray[np.float64] = np.minimum(edges[1:], end) - np.maximum(edges[:-1], begin)
        return np.maximum(inside, 0.0)


@dataclass(frozen=True)
class Intervals:
    """The time lines of a world.

    Attributes:
        axis: None without intervals.
        spans: rank → its time between MPI_Init and MPI_Finalize, begin and end in seconds.
        rows: rank, interval, seconds in MPI, bytes sent, bytes received, messages, calls; none of zero.
    """

    axis: Axis | None
    spans: Mapping[int, tuple[float, float]]
    rows: Iterator[Row]


def join_intervals(
    world: Mapping[int, Counters],
    clocks: Mapping[int, Clock],
    node_clocks: Mapping[int, NodeClock],
    lifetimes: Mapping[int, Lifetime],
    wall: float,
) -> Intervals:
    """Join the time lines of all processes.

    Args:
        world: counters by rank.
        clocks: of the processes.
        node_clocks: of their nodes: what tells when something was on a common clock.
        lifetimes: of the processes.
        wall: seconds from the run's start to its end.
    """
    lines: dict[int, TimeLine] = {}
    spans: dict[int, tuple[float, float]] = {}
    for rank, counters in world.items():
        started = counters.header.stamps["started"]
        if counters.time_line is None or not started.used:
            continue
        begin = node_clocks[rank].at(started.ticks)
        if math.isfinite(begin):
            begin = min(max(begin, 0.0), wall)
            lines[rank] = counters.time_line
            spans[rank] = begin, min(max(begin + lifetimes[rank].run, begin), wall)
    if not lines:
        return Intervals(None, {}, iter(()))
    reference = node_clocks[next(iter(lines))]
    axis, shift, first = _axis(reference, lines, spans, node_clocks)

    def rows() -> Iterator[Row]:
        for rank, line in lines.items():
            if node_clocks[rank] == reference and line.shift <= shift:
                sums = np.zeros((axis.count, len(COLUMNS)), np.int64)
                np.add.at(sums, np.clip(line.places(shift, first), 0, axis.count - 1), line.sums)
            else:
                sums = _resampled(line, node_clocks[rank], spans[rank], axis)
            seconds = sums[:, _TICKS] / clocks[rank].ticks_per_second
            for since in _unfinished(world[rank]):
                seconds += axis.overlaps(max(node_clocks[rank].at(since), spans[rank][0]), spans[rank][1])
            yield from _rows(rank, seconds, np.delete(sums, _TICKS, axis=1))

    return Intervals(axis, spans, rows())


def _axis(
    reference: NodeClock,
    lines: Mapping[int, TimeLine],
    spans: Mapping[int, tuple[float, float]],
    clocks: Mapping[int, NodeClock],
) -> tuple[Axis, int, int]:
    """Return the common axis; log2 of its width, and the number of its first interval, by the reference."""
    tick = reference.seconds_per_tick
    width = max(2.0**line.shift * clocks[rank].seconds_per_tick for rank, line in lines.items())
    shift = max(math.ceil(math.log2(width / tick) - _ROUNDING), 0)
    low, high = (
        reference.ticks + round((instant - reference.seconds) / tick)
        for instant in (min(begin for begin, _ in spans.values()), max(end for _, end in spans.values()))
    )
    most = max(min(MOST, _MOST_ROWS // len(lines)), _LEAST)
    while (high >> shift) - (low >> shift) >= most:
        shift += 1
    first = low >> shift
    axis = Axis(reference.at(first << shift), 2.0**shift * tick, (high >> shift) - first + 1)
    return axis, shift, first


def _resampled(line: TimeLine, clock: NodeClock, span: tuple[float, float], axis: Axis) -> NDArray[np.int64]:
    """Distribute counts of intervals of another clock; the sums stay the same."""
    numbers = np.uint64(line.first) + np.arange(len(line.sums) + 1, dtype=np.uint64)
    edges = clock.of(numbers << np.uint64(line.shift))
    # Of the first and the last one only a part was there.
    edges[0] = min(max(edges[0], span[0]), edges[1])
    edges[-1] = max(min(edges[-1], span[1]), edges[-2])
    places = np.clip((edges - axis.begin) / axis.width, 0, axis.count)
    resampled = np.zeros((axis.count, len(COLUMNS)), np.int64)
    for column, counted in enumerate(line.sums.T):
        until = np.concatenate(([0], np.cumsum(counted)))
        shared = np.rint(np.interp(np.arange(axis.count + 1), places, until)).astype(np.int64)
        shared[0], shared[-1] = 0, until[-1]
        resampled[:, column] = np.diff(shared)
    return resampled


def _unfinished(counters: Counters) -> list[int]:
    """Return when the calls began that a process never left, ticks."""
    if counters.header.state in ("starting", "finalized", "switched_off"):
        return []
    threads = counters.threads
    inside = (threads["inside_key"] != 0) & (threads["alive"] != 0)
    inside &= BETWEEN[part(threads["inside_key"], "CALLS", "PROCEDURE")]
    return [int(ticks) for ticks in threads["inside_since"][inside]]


def _rows(rank: int, seconds: NDArray[np.float64], counts: NDArray[np.int64]) -> Iterator[Row]:
    used = np.flatnonzero((seconds > 0) | counts.any(axis=1))
    for interval in used.tolist():
        sent, received, messages, calls = (min(max(count, 0), LARGEST) for count in counts[interval].tolist())
        yield rank, interval, float(seconds[interval]), sent, received, messages, calls
