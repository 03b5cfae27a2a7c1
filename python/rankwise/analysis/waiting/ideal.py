"""Waiting that an ideal network would end, because transfer has made others late.

A rank may be late because it left the previous collective later than the others, or because its own message
took long. On an ideal network, where transfer takes no time, it would not have been late. So each rank has a
*delay*: how much earlier it would have been at the same place on an ideal network. Computing does not change
the delay, transfer adds to it, and a waiting rank takes over the delay of the rank that it waits for. In a
wait, the difference between the delays of the late and the waiting rank is transfer, not waiting.

If the samples have all calls, these are replayed from the first to the last. Else the delays of two ranks
before a call are unknown. But a collective in which all wait for all makes them equal, and the sample of the
next one has the time that each rank computed since. Its other calls since then are replayed, too, if the
samples have them. Other waits for messages have no such start: they are divided between computing and
transfer in the ratio of the whole run, and the bounds are all or none.
"""

from __future__ import annotations

import math
import sqlite3
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rankwise.analysis.calls.totals import RUN_SECONDS
from rankwise.analysis.waiting.message_sample import Wait, samples_of
from rankwise.analysis.waiting.procedures import FOR_ALL, FOR_NEIGHBOURS, FOR_OTHERS, FOR_ROOT, POSTED
from rankwise.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rankwise.analysis.timing.time_in_mpi import TimeInMpi
    from rankwise.analysis.waiting.instances import Instances
    from rankwise.analysis.waiting.one_collective import Table

MOST_EVENTS = 100_000
"""Most events of a replay: with more, each collective is analysed by itself."""
_MOST_UNSEEN = 0.05  # of the time in MPI, for a replay; or of the time between two collectives
_ENOUGH = 0.1  # of the waiting for messages in the sample
_STANDARD_ERRORS = 1.96
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Delayed:
    """The waiting, over the ranks, that an ideal network would end; negative: it would have more.

    Attributes:
        seconds: estimate.
        low: lower bound.
        high: upper bound.
    """

    seconds: float = 0.0
    low: float = 0.0
    high: float = 0.0

    def __add__(self, other: Delayed) -> Delayed:
        """Return both together."""
        return Delayed(self.seconds + other.seconds, self.low + other.low, self.high + other.high)


def delayed(connection: sqlite3.Connection, tables: Sequence[Table], time: TimeInMpi) -> Delayed:
    """Return how much of the waiting an ideal network would end.

    Args:
        connection: to the profile.
        tables: its blocking collectives.
        time: in MPI.
    """
    # (For collectives that were only posted the time of completion is not known.)
    tables = [table for table in tables if table.instances.procedure not in POSTED]
    samples = samples_of(connection, "")
    waits = [wait for sample in samples.values() for wait in sample.waits]
    sampled_seconds = sum(
        float((table.instances.departure - table.instances.arrival).sum()) for table in tables
    )
    sampled_seconds += sum(sample.seconds for sample in samples.values())
    unseen = max(time.seconds - time.posting_seconds - sampled_seconds, 0.0)
    events = len(waits) + sum(table.instances.arrival.size for table in tables)
    (threads,) = connection.execute("SELECT TOTAL(threads > 1) FROM ranks").fetchone()
    can_replay = events <= MOST_EVENTS and not threads
    if can_replay and unseen <= _MOST_UNSEEN * time.seconds:
        ideal = Replay().run(waits, [table.instances for table in tables])
        waited = sum(wait.waited for wait in waits)
        waited += sum(float(table.waits.seconds.sum()) for table in tables)
        # Calls outside of the samples, and the times of calls that only start something, are not known.
        error = min(unseen + time.posting_seconds, waited)
        return Delayed(waited - ideal, waited - ideal - error, min(waited - ideal + error, waited))
    windows = Windows(waits if can_replay else ())
    moving_share = _share(time.moving_seconds, time.moving_seconds + time.waiting_seconds)
    own = [_in_collective(table, tables, moving_share, windows) for table in tables]
    late = max(time.waiting_seconds - sum(float(table.waiting.sum()) for table in tables), 0.0)
    return sum(own, _for_messages(connection, late, time.moving_seconds, windows))


def _for_messages(connection: sqlite3.Connection, late: float, moving: float, windows: Windows) -> Delayed:
    """Return what an ideal network would end of the waits for messages, by those replayed."""
    waited = sum(window.waited for window in windows.replayed)
    if len(windows.replayed) > 1 and waited > _ENOUGH * windows.waited:
        share = 1 - sum(window.ideal for window in windows.replayed) / waited
        residuals = math.fsum(
            (window.waited - window.ideal - share * window.waited) ** 2 for window in windows.replayed
        )
        error = _STANDARD_ERRORS * math.sqrt(residuals) / waited
        return Delayed(share * late, (share - error) * late, min(share + error, 1.0) * late)
    (useful,) = connection.execute(
        f"SELECT TOTAL(MAX({RUN_SECONDS} * MAX(threads, 1) - mpi, 0)) FROM ranks"
    ).fetchone()
    return Delayed(late * _share(moving, moving + useful), 0.0, late)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


class Replay:
    """A replay, on an ideal network, of calls that are all in the samples: of a run, or of a part of it."""

    def __init__(self) -> None:
        """Begin: no rank is delayed."""
        self._since: defaultdict[int, list[float]] = defaultdict(list)
        self._delays: defaultdict[int, list[float]] = defaultdict(list)
        self._latest: dict[int, float] = {}

    def run(self, waits: Iterable[Wait], collectives: Iterable[Instances]) -> float:
        """Return how long ranks would wait for each other, summed over them."""
        calls = [_Call(wait.rank, wait.began, wait.ended, wait.needed) for wait in waits]
        for instances in collectives:
            calls += _calls_in(instances)
        return sum(self._end(call) for call in sorted(calls, key=lambda call: (call.ended, call.began)))

    def start(self, rank: int, at: float, delay: float) -> None:
        """Set the delay of a rank from a time on."""
        self._since[rank].append(at)
        self._delays[rank].append(delay)

    def delay(self, rank: int, at: float) -> float:
        """Return the delay of a rank at a time."""
        place = bisect_right(self._since[rank], at)
        return self._delays[rank][place - 1] if place else 0.0

    def _end(self, call: _Call) -> float:
        """Let a rank leave a call; return how long it would have waited."""
        began = call.began - self.delay(call.rank, call.began)
        ended = max(began, self._ready(call))
        self.start(call.rank, call.ended, call.ended - ended)
        return ended - began

    def _ready(self, call: _Call) -> float:
        """Return when the last one that a call needs would have come."""
        if id(call.needed) not in self._latest:  # (members of a collective have one list)
            others = (min(at, call.ended) - self.delay(other, at) for at, other in call.needed)
            self._latest[id(call.needed)] = max(others, default=-math.inf)
        return self._latest[id(call.needed)]


class _Call(NamedTuple):
    """A call of a rank, with the arrivals and ranks of the others that it needed."""

    rank: int
    began: float
    ended: float
    needed: Sequence[tuple[float, int]]


def _calls_in(instances: Instances) -> Iterable[_Call]:
    """Return the calls of a collective, and the ranks that each of them needs."""
    from rankwise.analysis.waiting.instances import NOBODY

    ranks, roots = instances.ranks.tolist(), instances.roots.tolist()
    for arrivals, departures, root in zip(
        instances.arrival.tolist(), instances.departure.tolist(), roots, strict=True
    ):
        everybody, last = list(zip(arrivals, ranks, strict=True)), max(arrivals)
        for member, (rank, began, ended) in enumerate(zip(ranks, arrivals, departures, strict=True)):
            needed = everybody
            if instances.is_of(FOR_ROOT):
                needed = everybody[root : root + 1]
            elif instances.is_of(FOR_OTHERS):
                needed = everybody if member == root else []
            elif instances.is_of(FOR_NEIGHBOURS):
                needed = [
                    everybody[place] for place in instances.neighbours[member].tolist() if place != NOBODY
                ]
            elif not instances.is_of(FOR_ALL):
                lower = instances.places < instances.places[member]
                needed = [
                    other for other, is_lower in zip(everybody, lower.tolist(), strict=True) if is_lower
                ]
            if ended < last:  # a rank that left before another one arrived has not needed it
                needed = [other for other in needed if other[0] <= ended]
            yield _Call(rank, began, ended, needed)


class _Window(NamedTuple):
    """How long ranks waited for messages between two collectives; and on an ideal network."""

    waited: float
    ideal: float


class Windows:
    """The waits for messages between two collectives, to be replayed where the sample has all of them.

    Attributes:
        waited: seconds, of all waits.
        replayed: windows in which there are waits.
    """

    def __init__(self, waits: Sequence[Wait]) -> None:
        """Make it of all waits in the sample."""
        self.waited = sum(wait.waited for wait in waits)
        self.replayed: list[_Window] = []
        self._waits: defaultdict[int, list[Wait]] = defaultdict(list)
        for wait in sorted(waits, key=lambda wait: wait.began):
            self._waits[wait.rank].append(wait)

    def arrivals(self, instances: Instances) -> NDArray[np.float64]:
        """Return when members would arrive at collectives after the previous ones; NaN = not known.

        In the previous ones all wait for all, so that all leave at one time.
        """
        import numpy as np

        arrivals = np.full(instances.arrival.shape, np.nan)
        ranks = instances.ranks.tolist()
        rows = zip(
            instances.arrival.tolist(), instances.since.tolist(), instances.since_in_mpi.tolist(), strict=True
        )
        for row, (came, since, in_mpi) in enumerate(rows):
            departures = [at - long for at, long in zip(came, since, strict=True)]
            calls = [self._between(*each) for each in zip(ranks, departures, came, strict=True)]
            known = [sum(wait.ended - wait.began for wait in each) for each in calls]
            short = zip(in_mpi, known, since, strict=True)
            if not all(all_calls - own <= _MOST_UNSEEN * long for all_calls, own, long in short):
                continue  # (or nobody knows when they left)
            replay = Replay()
            for rank, departure in zip(ranks, departures, strict=True):
                replay.start(rank, departure, departure - min(departures))
            waits = [wait for each in calls for wait in each]
            ideal = replay.run(waits, ())
            if waits:
                self.replayed.append(_Window(sum(wait.waited for wait in waits), ideal))
            arrivals[row] = [at - replay.delay(rank, at) for rank, at in zip(ranks, came, strict=True)]
        return arrivals

    def _between(self, rank: int, begin: float, end: float) -> list[Wait]:
        own = self._waits.get(rank, [])
        first, last = (bisect_left(own, at, key=lambda wait: wait.began) for at in (begin - _ROUNDING, end))
        return own[first:last]


def _in_collective(table: Table, tables: Sequence[Table], moving_share: float, windows: Windows) -> Delayed:
    """Return what an ideal network would end of the waiting in one collective on one communicator.

    If all wait for all in the previous collective, all leave it at one time. Then they compute for as long as
    they did; the rest of their time in MPI was waiting or transfer.
    """
    import numpy as np

    instances = table.instances
    calls = [
        (other.calls, other.instances.is_of(FOR_ALL))
        for other in tables
        if other.instances.communicator == instances.communicator
    ]
    apart = 1 - sum(count for count, for_all in calls if for_all) / sum(count for count, _ in calls)
    scale = np.where(instances.selected, table.weights, 0.0)
    waited = float((scale * table.waits.seconds).sum())
    # Each of the calls in which not all wait for all may precede one of the others.
    most = min(apart / (1 - apart), 1.0) if apart < 1 else 1.0
    few = apart <= _MOST_UNSEEN
    replayed = windows.arrivals(instances) if few else np.full(instances.arrival.shape, np.nan)
    ends = [
        waited - float((scale * _ideal_waits(table, replayed, remaining=remaining, waiting=waiting)).sum())
        for remaining, waiting in ((apart, 1 - moving_share), (most, 1.0), (0.0, 0.0))
    ]
    return Delayed(ends[0], min(ends), max(ends))


def _ideal_waits(
    table: Table, replayed: NDArray[np.float64], *, remaining: float, waiting: float
) -> NDArray[np.float64]:
    """Return how long members would wait in a collective on an ideal network.

    Args:
        table: of the collective.
        replayed: when they would come, where that is known.
        remaining: share of the differences between departures from the previous collective that would remain.
        waiting: how much of the time that they have been in MPI since.
    """
    import numpy as np

    from rankwise.analysis.waiting.instances import of_neighbours, waits

    instances = table.instances
    in_mpi = np.minimum(instances.since_in_mpi, instances.since)
    arrival = remaining * (instances.arrival - instances.since) + instances.since - (1 - waiting) * in_mpi
    arrival = np.where(np.isnan(replayed), arrival, replayed)
    first: NDArray[np.bool_] = np.any(np.isnan(arrival), axis=1, keepdims=True)
    # (The reasons for lateness to the first calls are not known.)
    arrival = np.where(first, instances.arrival, arrival)
    ideal = waits(replace(instances, arrival=arrival, departure=np.full_like(arrival, np.inf))).seconds
    # A member that left before the last arrival had nothing to wait for.
    early = instances.departure < instances.arrival.max(axis=1, keepdims=True)
    if instances.is_of(FOR_NEIGHBOURS):
        early = instances.departure < of_neighbours(instances, instances.arrival).max(axis=2)
    return np.where(early | first, table.waits.seconds, ideal)
