"""Waiting that an ideal network would end, because transfer has made others late.

A rank comes late because it left its collective before later than the others, or because its own message took
long. On an ideal network, which moves everything in no time, it would not have been late. So each rank has a
*delay*: how much earlier it would be where it is, on an ideal network. Computing leaves it as it is, transfer
adds to it, and who waits takes over the delay of the one that it waits for. Of a wait, what the late one
is delayed more than the one that waits is no waiting but transfer.

Where the samples have all calls, these are replayed from the first to the last. Else nobody knows the delays
of two ranks before a call. But in a collective in which all wait for all they become even, and the sample of
the next one tells how long a rank has computed since. Waits for messages have no such start: they are taken
to consist of computing and transfer as the run does, and may be all of it or nothing.
"""

from __future__ import annotations

import math
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rankwise.analysis.calls.totals import RUN_SECONDS
from rankwise.analysis.waiting.message_sample import Wait, samples_of
from rankwise.analysis.waiting.procedures import FOR_ALL, FOR_OTHERS, FOR_ROOT
from rankwise.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rankwise.analysis.timing.time_in_mpi import TimeInMpi
    from rankwise.analysis.waiting.instances import Instances
    from rankwise.analysis.waiting.one_collective import Table

MOST_EVENTS = 100_000
"""That are replayed: with more, each collective is looked at by itself."""
_MOST_UNSEEN = 0.05  # of the time in MPI, for a replay


@dataclass(frozen=True)
class Delayed:
    """Of the waiting, over the ranks, what an ideal network would end; negative: it would have more.

    Attributes:
        seconds: estimate.
        low: the least that it may be.
        high: the most.
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
    samples = samples_of(connection, "")
    waits = [wait for sample in samples.values() for wait in sample.waits]
    seen = sum(float((table.found.departure - table.found.arrival).sum()) for table in tables)
    seen += sum(sample.seconds for sample in samples.values())
    unseen = max(time.seconds - time.posting_seconds - seen, 0.0)
    events = len(waits) + sum(table.found.arrival.size for table in tables)
    (threads,) = connection.execute("SELECT TOTAL(threads > 1) FROM ranks").fetchone()
    if unseen <= _MOST_UNSEEN * time.seconds and events <= MOST_EVENTS and not threads:
        replay = Replay()
        found = replay.run(waits, [table.found for table in tables])
        waited = sum(wait.waited for wait in waits)
        waited += sum(float(table.waits.seconds.sum()) for table in tables)
        # What is not in the samples, and when calls that only start something were made, is not known.
        error = min(unseen + time.posting_seconds, waited)
        return Delayed(waited - found, waited - found - error, min(waited - found + error, waited))
    for_messages = max(time.waiting_seconds - sum(float(table.waiting.sum()) for table in tables), 0.0)
    (useful,) = connection.execute(
        f"SELECT TOTAL(MAX({RUN_SECONDS} * MAX(threads, 1) - mpi, 0)) FROM ranks"
    ).fetchone()
    moving = time.moving_seconds
    own = Delayed(for_messages * _share(moving, moving + useful), 0.0, for_messages)
    moving_share = _share(moving, moving + time.waiting_seconds)
    return sum((_in_collective(table, tables, moving_share) for table in tables), own)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


class Replay:
    """The calls of a run on an ideal network, all of which are in the samples."""

    def __init__(self) -> None:
        """Begin: no rank is delayed."""
        self._since: defaultdict[int, list[float]] = defaultdict(list)
        self._delays: defaultdict[int, list[float]] = defaultdict(list)
        self._latest: dict[int, float] = {}

    def run(self, waits: Iterable[Wait], collectives: Iterable[Instances]) -> float:
        """Return how long ranks would wait for each other, summed over them."""
        calls = [_Call(wait.rank, wait.began, wait.ended, wait.needed) for wait in waits]
        for found in collectives:
            calls += _calls_in(found)
        return sum(self._end(call) for call in sorted(calls, key=lambda call: (call.ended, call.began)))

    def _end(self, call: _Call) -> float:
        """Let a rank leave a call; return how long it would have waited."""
        began = call.began - self._delay(call.rank, call.began)
        ended = max(began, self._ready(call))
        self._since[call.rank].append(call.ended)
        self._delays[call.rank].append(call.ended - ended)
        return ended - began

    def _ready(self, call: _Call) -> float:
        """Return when the last one that a call needs would have come."""
        if id(call.needed) not in self._latest:  # (members of a collective have one list)
            others = (min(at, call.ended) - self._delay(other, at) for at, other in call.needed)
            self._latest[id(call.needed)] = max(others, default=-math.inf)
        return self._latest[id(call.needed)]

    def _delay(self, rank: int, at: float) -> float:
        place = bisect_right(self._since[rank], at)
        return self._delays[rank][place - 1] if place else 0.0


class _Call(NamedTuple):
    """A call of a rank, which ended when others had come: when each of them had, and who it is."""

    rank: int
    began: float
    ended: float
    needed: Sequence[tuple[float, int]]


def _calls_in(found: Instances) -> Iterable[_Call]:
    """Return the calls of a collective, and whom each of them needs something of."""
    ranks, roots = found.ranks.tolist(), found.roots.tolist()
    for arrivals, departures, root in zip(
        found.arrival.tolist(), found.departure.tolist(), roots, strict=True
    ):
        everybody, last = list(zip(arrivals, ranks, strict=True)), max(arrivals)
        for member, (rank, began, ended) in enumerate(zip(ranks, arrivals, departures, strict=True)):
            needed = everybody
            if found.procedure in FOR_ROOT:
                needed = everybody[root : root + 1]
            elif found.procedure in FOR_OTHERS:
                needed = everybody if member == root else []
            elif found.procedure not in FOR_ALL:
                lower = found.places < found.places[member]
                needed = [one for one, is_lower in zip(everybody, lower.tolist(), strict=True) if is_lower]
            if ended < last:  # who left before another one came has not needed it
                needed = [one for one in needed if one[0] <= ended]
            yield _Call(rank, began, ended, needed)


def _in_collective(table: Table, tables: Sequence[Table], moving_share: float) -> Delayed:
    """Return what an ideal network would end of the waiting in one collective on one communicator.

    All leave the collective before at one time, if all wait for all in it. From there on they compute for
    as long as they did; what else they did in MPI was waiting or transfer.
    """
    import numpy as np

    from rankwise.analysis.waiting.one_collective import weights

    found = table.found
    calls = [
        (one.calls, one.found.procedure in FOR_ALL)
        for one in tables
        if one.found.communicator == found.communicator
    ]
    apart = 1 - sum(count for count, for_all in calls if for_all) / sum(count for count, _ in calls)
    scale = np.where(found.selected, weights(found, table.seconds), 0.0)
    waited = float((scale * table.waits.seconds).sum())
    ends = [
        waited - float((scale * _ideal_waits(table, left=left, waiting=waiting)).sum())
        for left, waiting in ((apart, 1 - moving_share), (float(apart > 0), 1.0), (0.0, 0.0))
    ]
    return Delayed(ends[0], min(ends), max(ends))


def _ideal_waits(table: Table, *, left: float, waiting: float) -> NDArray[np.float64]:
    """Return how long members would wait in a collective on an ideal network.

    Args:
        table: of the collective.
        left: how much of the differences at which members left the collective before would remain.
        waiting: how much of the time that they have been in MPI since.
    """
    import numpy as np

    from rankwise.analysis.waiting.instances import waits

    found = table.found
    in_mpi = np.minimum(found.since_in_mpi, found.since)
    arrival = left * (found.arrival - found.since) + found.since - (1 - waiting) * in_mpi
    first: NDArray[np.bool_] = np.any(np.isnan(arrival), axis=1, keepdims=True)
    arrival = np.where(
        first, found.arrival, arrival
    )  # (nobody knows why members were late for their first calls)
    ideal = waits(replace(found, arrival=arrival, departure=np.full_like(arrival, np.inf))).seconds
    # Who left before the last one had come had nothing to wait for.
    early = found.departure < found.arrival.max(axis=1, keepdims=True)
    return np.where(early | first, table.waits.seconds, ideal)
