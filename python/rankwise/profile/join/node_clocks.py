"""Puts the times of all processes on one clock, the one of rank 0's node.

The ticks of all processes of a node are of one counter. The counters of two nodes were compared in MPI_Init
and in MPI_Finalize (src/runtime/wrappers/node_clocks.h), along a tree whose root is rank 0's node.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.clock import NANOSECONDS, Clock, Stamp, frequency
from rankwise.profile.collect.counters import Comparison, Counters, Header
from rankwise.records import dataclass

OWN, COMPARED, COLLECTIVES = "own", "compared", "collectives"
"""What it rests on that the clock of a node is known."""

DRIFT = 1e-5  # of two clocks that were compared once: what NTP lets them differ by, with room to spare
_LEAST_DISTANCE = 0.05  # seconds between two comparisons that tell how the clocks drift
_STRANGEST_RATE = 1e-3  # of two clocks that are not damaged: an oscillator is off by some 1e-5


@dataclass(frozen=True, kw_only=True)
class NodeClock:
    """From ticks of a node's counter to seconds.

    Attributes:
        group: nodes of the same group have times that can be compared.
        ticks: an instant, by the node's counter.
        seconds: the same instant.
        seconds_per_tick: how it goes.
        first: instant of the first comparison, seconds; 0.0 if there was none.
        last: of the last one; if there was one only, the node's last stamp.
        error: at the first instant, seconds, at most; 0.0 for rank 0's node.
        last_error: at the instant of the last comparison.
        ahead: how far the node's wall clock is ahead of rank 0's node's, seconds; None = not known.
        source: basis of the clock: 'own' = it is rank 0's node, 'compared', 'collectives'; '' = not known.
    """

    group: int
    ticks: int
    seconds: float
    seconds_per_tick: float
    first: float = 0.0
    last: float = 0.0
    error: float = 0.0
    last_error: float = 0.0
    ahead: float | None = None
    source: str = ""

    def of(self, ticks: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Convert instants from ticks to seconds."""
        # Subtracted as integers first: a float has no room for an epoch and a microsecond.
        passed: NDArray[np.int64] = (ticks - np.uint64(self.ticks)).view(np.int64)
        return self.seconds + passed.astype(np.float64) * self.seconds_per_tick

    def at(self, ticks: int) -> float:
        """Convert one instant."""
        return self.seconds + (ticks - self.ticks) * self.seconds_per_tick

    def error_at(self, seconds: float) -> float:
        """Return how far an instant may be off, seconds."""
        if self.last <= self.first:
            return self.error
        passed = (seconds - self.first) / (self.last - self.first)
        return self.error + (self.last_error - self.error) * min(max(passed, 0.0), 1.0)

    @property
    def largest_error(self) -> float:
        """Of the times of the run, seconds."""
        return max(self.error, self.last_error)


def node_clocks(
    world: Mapping[int, Counters], clocks: Mapping[int, Clock], started_ns: int
) -> dict[int, NodeClock]:
    """Return the clock of each rank's node.

    Args:
        world: counters by rank, in the order of the ranks.
        clocks: of the processes, by rank.
        started_ns: what becomes 0 seconds: nanoseconds since 1970, by the wall clock of rank 0's node.

    Returns:
        by rank; nodes that were not compared each have a separate group, and use their wall clock.
    """
    numbers: dict[int | str, list[int]] = {}
    for rank, counters in world.items():
        numbers.setdefault(_node(counters.header), []).append(rank)
    known: dict[int | str, NodeClock] = {}
    compared = {
        node: next((rank for rank in ranks if world[rank].header.at_start.is_done), None)
        for node, ranks in numbers.items()
    }

    def find(node: int | str, visited: frozenset[int | str]) -> NodeClock:
        if node in known:
            return known[node]
        ranks, leader = numbers[node], compared[node]
        own = clocks[ranks[0]]
        rate = _rate(world, ranks) or own.ticks_per_second
        header = world[ranks[0] if leader is None else leader].header
        if leader is not None and header.reference in numbers and header.reference not in visited | {node}:
            reference = find(header.reference, visited | {node})
            end = max(stamp.ticks for rank in ranks for stamp in world[rank].header.stamps.values())
            known[node] = _compared(reference, header, rate, end, clocks[leader], started_ns)
        else:
            seconds = (own.anchor.realtime_ns - started_ns) / NANOSECONDS
            group = list(numbers).index(node)
            known[node] = NodeClock(
                group=group,
                ticks=own.anchor.ticks,
                seconds=seconds,
                seconds_per_tick=1 / rate,
                ahead=None if group else 0.0,
                source="" if group else OWN,
            )
        return known[node]

    clock_of_rank = {rank: find(node, frozenset()) for node, ranks in numbers.items() for rank in ranks}
    return {rank: clock_of_rank[rank] for rank in world}


def _node(header: Header) -> int | str:
    return header.clock or header.host


def _rate(world: Mapping[int, Counters], ranks: list[int]) -> float | None:
    """Return a node's ticks per second, by the stamps of all its processes."""
    stamps: list[Stamp] = [stamp for rank in ranks for stamp in world[rank].header.stamps.values()]
    return frequency(stamps)


def _compared(
    reference: NodeClock, header: Header, rate: float, end: int, clock: Clock, started_ns: int
) -> NodeClock:
    start, stop = header.at_start, header.at_stop
    first, error = _instant(reference, start, rate)
    ahead = (clock.realtime_ns(start.own_ticks) - started_ns) / NANOSECONDS - first
    passed = max(end - start.own_ticks, 0) / rate
    drift = DRIFT * passed
    once = NodeClock(
        group=reference.group,
        ticks=start.own_ticks,
        seconds=first,
        seconds_per_tick=1 / rate,
        first=first,
        last=first + passed,
        error=error,
        last_error=error + drift,
        ahead=ahead,
        source=COMPARED if reference.source else "",
    )
    if not stop.is_done or stop.own_ticks <= start.own_ticks:
        return once
    last, last_error = _instant(reference, stop, rate)
    seconds_per_tick = (last - first) / (stop.own_ticks - start.own_ticks)
    if last - first < _LEAST_DISTANCE or abs(seconds_per_tick * rate - 1) > _STRANGEST_RATE:
        return once
    return NodeClock(
        group=reference.group,
        ticks=start.own_ticks,
        seconds=first,
        seconds_per_tick=seconds_per_tick,
        first=first,
        last=last,
        error=error,
        last_error=last_error,
        ahead=ahead,
        source=COMPARED if reference.source else "",
    )


def _instant(reference: NodeClock, comparison: Comparison, rate: float) -> tuple[float, float]:
    """Return when a comparison was made, and how far that may be off: seconds."""
    seconds = reference.at(comparison.other_ticks)
    return seconds, reference.error_at(seconds) + comparison.round_trip / 2 / rate
