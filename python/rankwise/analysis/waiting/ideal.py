"""Waiting that an ideal network would avoid, because transfer made other ranks late.

A rank is late because it left the previous collective later than the others, or because its message took
long. On an ideal network, which moves everything in no time, it would not have been late. So each rank has a
*delay*: how much earlier it would reach the same point on an ideal network. Computing leaves the delay
unchanged, transfer adds to it, and a waiting rank takes over the delay of the rank that it waits for. If the
late rank has a larger delay than the waiting rank, this difference is transfer, not waiting.

If the samples have all calls, these are replayed from the first to the last. Otherwise the delays of two
ranks before a call are unknown. But a collective in which all wait for all equalises them, and the sample of
the next collective has the computing time since then. Other calls since then are replayed, too, if the
samples have them. Other waits for messages have no such starting point: they are assumed to be for computing
and transfer in the run's proportion; the bounds assume only one of the two.
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
"""Largest number of replayed events: with more, each collective is considered separately."""
_MOST_UNSEEN = 0.05  # of the time in MPI, for a replay; or of the time between two collectives
_ENOUGH = 0.1  # of the waiting for messages in the sample
_STANDARD_ERRORS = 1.96
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Delayed:
    """The waiting that an ideal network would avoid, summed over all ranks; negative: it would add some.

    Attributes:
        seconds: estimate.
        low: lower bound.
        high: upper bound.
    """

    seconds: float = 0.0
    low: float = 0.0
    high: float = 0.0

    def __add__(self, other: Delayed) -> Delayed:
        """Return the sum."""
        return Delayed(self.seconds + other.seconds, self.low + other.low, self.high + other.high)


def delayed(connection: sqlite3.Connection, tables: Sequence[Table], time: TimeInMpi) -> Delayed:
    """Return how much of the waiting an ideal network would avoid.

    Args:
        connection: to the profile.
        tables: its blocking collectives.
        time: in MPI.
    """
    # (It is unknown when nonblocking collectives would have completed.)
    tables = [table for table in tables if table.found.procedure not in POSTED]
    samples = samples_of(connection, "")
    waits = [wait for sample in samples.values() for wait in sample.waits]
    sampled_seconds = sum(float((table.found.departure - table.found.arrival).sum()) for table in tables)
    sampled_seconds += sum(sample.seconds for sample in samples.values())
    unseen = max(time.seconds - time.posting_seconds - sampled_seconds, 0.0)
    events = len(waits) + sum(table.found.arrival.size for table in tables)
    (threads,) = connection.execute("SELECT TOTAL(threads > 1) FROM ranks").fetchone()
    can_replay = events <= MOST_EVENTS and not threads
    if can_replay and unseen <= _MOST_UNSEEN * time.seconds:
        ideal = Replay().run(waits, [table.found for table in tables])
        waited = sum(wait.waited for wait in waits)
        waited += sum(float(table.waits.seconds.sum()) for table in tables)
        # Calls outside the samples are unknown, and the times of calls that only start an operation, too.
        error = min(unseen + time.posting_seconds, waited)
        return Delayed(waited - ideal, waited - ideal - error, min(waited - ideal + error, waited))
    windows = Windows(waits if can_replay else ())
    moving_share = _share(time.moving_seconds, time.moving_seconds + time.waiting_seconds)
    by_collective = [_in_collective(table, tables, moving_share, windows) for table in tables]
    late = max(time.waiting_seconds - sum(float(table.waiting.sum()) for table in tables), 0.0)
    return sum(by_collective, _for_messages(connection, late, time.moving_seconds, windows))


def _for_messages(connection: sqlite3.Connection, late: float, moving: float, windows: Windows) -> Delayed:
    """Return how much of the waits for messages an ideal network would avoid, from the replayed waits."""
    waited = sum(window.waited for window in windows.replayed)
    if len(windows.replayed) > 1 and waited > _ENOUGH * windows.waited:
        share = 1 - sum(window.ideal for window in windows.replayed) / waited
        squares = math.fsum(
            (window.waited - window.ideal - share * window.waited) ** 2 for window in windows.replayed
        )
        error = _STANDARD_ERRORS * math.sqrt(squares) / waited
        return Delayed(share * late, (share - error) * late, min(share + error, 1.0) * late)
    (useful,) = connection.execute(
        f"SELECT TOTAL(MAX({RUN_SECONDS} * MAX(threads, 1) - mpi, 0)) FROM ranks"
    ).fetchone()
    return Delayed(late * _share(moving, moving + useful), 0.0, late)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


class Replay:
    """Replays calls on an ideal network; the samples have all calls of the replayed period."""

    def __init__(self) -> None:
        """Begin with no rank delayed."""
        self._since: defaultdict[int, list[float]] = defaultdict(list)
        self._delays: defaultdict[int, list[float]] = defaultdict(list)
        self._latest: dict[int, float] = {}

    def run(self, waits: Iterable[Wait], collectives: Iterable[Instances]) -> float:
        """Return how long ranks would wait for each other, summed over all of them."""
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
        """End a rank's call; return how long it would have waited."""
        began = call.began - self.delay(call.rank, call.began)
        ended = max(began, self._ready(call))
        self.start(call.rank, call.ended, call.ended - ended)
        return ended - began

    def _ready(self, call: _Call) -> float:
        """Return when the last rank that a call needs would have arrived."""
        if id(call.needed) not in self._latest:  # (members of a collective share a list)
            others = (min(at, call.ended) - self.delay(other, at) for at, other in call.needed)
            self._latest[id(call.needed)] = max(others, default=-math.inf)
        return self._latest[id(call.needed)]


class _Call(NamedTuple):
    """A call of a rank, which ended when others had arrived: `needed` has their arrivals and ranks."""

    rank: int
    began: float
    ended: float
    needed: Sequence[tuple[float, int]]


def _calls_in(instances: Instances) -> Iterable[_Call]:
    """Return the calls of a collective, with the arrivals that each of them needs."""
    from rankwise.analysis.waiting.instances import NOBODY

    ranks, roots = instances.ranks.tolist(), instances.roots.tolist()
    for arrivals, departures, root in zip(
        instances.arrival.tolist(), instances.departure.tolist(), roots, strict=True
    ):
        all_arrivals, last = list(zip(arrivals, ranks, strict=True)), max(arrivals)
        for member, (rank, began, ended) in enumerate(zip(ranks, arrivals, departures, strict=True)):
            needed = all_arrivals
            if instances.is_of(FOR_ROOT):
                needed = all_arrivals[root : root + 1]
            elif instances.is_of(FOR_OTHERS):
                needed = all_arrivals if member == root else []
            elif instances.is_of(FOR_NEIGHBOURS):
                needed = [
                    all_arrivals[place] for place in instances.neighbours[member].tolist() if place != NOBODY
                ]
            elif not instances.is_of(FOR_ALL):
                lower = instances.places < instances.places[member]
                needed = [
                    entry for entry, is_lower in zip(all_arrivals, lower.tolist(), strict=True) if is_lower
                ]
            if ended < last:  # a rank that left before another arrived did not need it
                needed = [entry for entry in needed if entry[0] <= ended]
            yield _Call(rank, began, ended, needed)


class _Window(NamedTuple):
    """Seconds that ranks waited for messages between two collectives, in the run and on an ideal network."""

    waited: float
    ideal: float


class Windows:
    """The waits for messages between two collectives, replayed if the sample has all of them.

    Attributes:
        waited: seconds of all waits.
        replayed: windows with waits.
    """

    def __init__(self, waits: Sequence[Wait]) -> None:
        """Collect all waits in the sample."""
        self.waited = sum(wait.waited for wait in waits)
        self.replayed: list[_Window] = []
        self._waits: defaultdict[int, list[Wait]] = defaultdict(list)
        for wait in sorted(waits, key=lambda wait: wait.began):
            self._waits[wait.rank].append(wait)

    def arrivals(self, instances: Instances) -> NDArray[np.float64]:
        """Return when members would arrive at collectives on an ideal network; NaN = after unknown calls.

        In the previous collective all wait for all, so all leave it at the same time.
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
                continue  # (or the time of their departure is unknown)
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
    """Return how much of the waiting in a collective on a communicator an ideal network would avoid.

    All leave the previous collective at the same time, if all wait for all in it. Then they compute for as
    long as they did in the run; their time in MPI was waiting or transfer.
    """
    import numpy as np

    instances = table.found
    calls = [
        (other.calls, other.found.is_of(FOR_ALL))
        for other in tables
        if other.found.communicator == instances.communicator
    ]
    apart = 1 - sum(count for count, for_all in calls if for_all) / sum(count for count, _ in calls)
    scale = np.where(instances.selected, table.weights, 0.0)
    waited = float((scale * table.waits.seconds).sum())
    # Each call in which not all wait for all may precede one of the others.
    most = min(apart / (1 - apart), 1.0) if apart < 1 else 1.0
    few = apart <= _MOST_UNSEEN
    replayed = windows.arrivals(instances) if few else np.full(instances.arrival.shape, np.nan)
    ends = [
        waited - float((scale * _ideal_waits(table, replayed, kept=kept, waiting=waiting)).sum())
        for kept, waiting in ((apart, 1 - moving_share), (most, 1.0), (0.0, 0.0))
    ]
    return Delayed(ends[0], min(ends), max(ends))


def _ideal_waits(
    table: Table, replayed: NDArray[np.float64], *, kept: float, waiting: float
) -> NDArray[np.float64]:
    """Return how long members would wait in a collective on an ideal network.

    Args:
        table: of the collective.
        replayed: when they would arrive, if known; else NaN.
        kept: share of the differences between departures from the previous collective that would remain.
        waiting: share of the time in MPI since then that would remain.
    """
    import numpy as np

    from rankwise.analysis.waiting.instances import of_neighbours, waits

    instances = table.found
    in_mpi = np.minimum(instances.since_in_mpi, instances.since)
    arrival = kept * (instances.arrival - instances.since) + instances.since - (1 - waiting) * in_mpi
    arrival = np.where(np.isnan(replayed), arrival, replayed)
    first: NDArray[np.bool_] = np.any(np.isnan(arrival), axis=1, keepdims=True)
    arrival = np.where(
        first, instances.arrival, arrival
    )  # (it is unknown why members were late for their first calls)
    ideal = waits(replace(instances, arrival=arrival, departure=np.full_like(arrival, np.inf))).seconds
    # A member that left before the last one arrived did not wait for it.
    early = instances.departure < instances.arrival.max(axis=1, keepdims=True)
    if instances.is_of(FOR_NEIGHBOURS):
        early = instances.departure < of_neighbours(instances, instances.arrival).max(axis=2)
    return np.where(early | first, table.waits.seconds, ideal)
