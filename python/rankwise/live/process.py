"""One process at the instant when its counters were read: its clock, its age, and its present call.

Calls are counted when they end. The time so far of a call that has not ended is added here, so that a waiting
process is shown as waiting, not as idle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankwise.profile.collect.clock import NANOSECONDS, Clock, clocks
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.lifetime import Lifetime
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.rows import Rows

POLLING = frozenset(procedure.id for procedure in PROCEDURES if procedure.polling)
_ENVIRONMENT = np.array(
    [procedure.id for procedure in PROCEDURES if procedure.class_name == "environment"], np.uint64
)
_KNOWN = frozenset(procedure.id for procedure in PROCEDURES)
ENDED = ("finalized", "aborted", "switched_off")
"""States after which a process counts no more."""

PROCEDURE_BITS = CONSTANTS["CALLS_PROCEDURE_BITS"]

_WITHOUT_REGION = np.uint64((1 << CONSTANTS["CALLS_REGION_SHIFT"]) - 1)
_WITHOUT_BIN = np.uint64(CONSTANTS["CALLS_PROCEDURE_SHIFT"])
_PROCEDURE = np.uint64((1 << PROCEDURE_BITS) - 1)
_MOST_AHEAD_NS = 24 * 3600 * 10**9  # of a clock: more is a damaged stamp
_CALLS = np.dtype(
    [
        ("key", np.uint64),
        *((name, np.float64) for name in ("calls", "bytes_sent", "bytes_received", "seconds")),
    ]
)


@dataclass(frozen=True)
class Open:
    """A call that has not ended.

    Attributes:
        procedure: its id.
        communicator: its index on the process.
        since_ns: nanoseconds since 1970, by the clock of the process's node.
        polling: whether programs repeat it until something has happened.
        thread: record of the thread in it.
    """

    procedure: int
    communicator: int
    since_ns: int
    polling: bool
    thread: Any


@dataclass(frozen=True)
class Process:
    """One process at one instant.

    Attributes:
        counters: its counters.
        clock: its clock, exact at its last heartbeat.
        before_ns: just before it was read, in nanoseconds since 1970, by the clock of its node if that is
            known.
        now_ns: just after it was read.
    """

    counters: Counters
    clock: Clock
    before_ns: int
    now_ns: int

    @property
    def ended(self) -> bool:
        """Whether it has stopped counting."""
        return self.counters.header.state in ENDED

    @cached_property
    def wall(self) -> float:
        """Seconds from MPI_Init to now, or to its end."""
        life, latest = Lifetime.of(self.counters), self.counters.header.stamps["latest"]
        if self.ended or not latest.used:
            return life.wall
        return life.wall + max(self.now_ns - latest.realtime_ns, 0) / NANOSECONDS

    def run(self, until_ns: int) -> float:
        """Return the seconds between MPI_Init and an instant, MPI_Finalize, or its end."""
        stamps = self.counters.header.stamps
        if not stamps["started"].used:
            return 0.0
        last = stamps["stopping"] if stamps["stopping"].used else stamps["latest"]
        run = self.clock.seconds_of(last.ticks - stamps["started"].ticks)
        if not self.ended and not stamps["stopping"].used:
            run += (until_ns - last.realtime_ns) / NANOSECONDS
        return max(run, 0.0)

    @cached_property
    def counted_ns(self) -> int:
        """The latest instant that the counters may be of, as a running process counts while it is read.

        If all its threads waited in the same calls meanwhile, it has counted nothing: any instant is exact.
        """
        alive = self.counters.threads[self.counters.threads["alive"] != 0]
        waits = len(self.calls_open) == len(alive) > 0 and not self.counters.left
        waits = waits and all(call.since_ns <= self.before_ns for call in self.calls_open)
        return self.before_ns if waits else self.now_ns

    @property
    def init_finalize(self) -> float:
        """Seconds in MPI_Init and MPI_Finalize so far."""
        if self.counters.header.state == "starting":
            return self.wall
        return float(self.calls["seconds"][np.isin(self.calls["key"] & _PROCEDURE, _ENVIRONMENT)].sum())

    @cached_property
    def calls_open(self) -> list[Open]:
        """The calls of its threads that have not ended, the first thread's first."""
        if self.ended:
            return []
        threads = self.counters.threads
        inside = threads[(threads["inside_key"] != 0) & (threads["alive"] != 0)]
        procedures = part(inside["inside_key"], "CALLS", "PROCEDURE").tolist()
        communicators = part(inside["inside_key"], "CALLS", "COMMUNICATOR").tolist()
        return [
            Open(procedure, communicator, self._instant(since), procedure in POLLING, thread)
            for procedure, communicator, since, thread in zip(
                procedures, communicators, inside["inside_since"].tolist(), inside, strict=True
            )
            if procedure in _KNOWN
        ]

    @cached_property
    def heartbeat_ns(self) -> int:
        """The last instant at which it is known to have called MPI, nanoseconds since 1970.

        Exact to 0.25 s, the interval in which the stamp is renewed while MPI is called. If calls are short,
        the beginning of the last one is more exact.
        """
        latest = self.counters.header.stamps["latest"]
        entered = [self._instant(ticks) for ticks in self.counters.threads["inside_since"].tolist() if ticks]
        return max([latest.realtime_ns, *entered])

    @cached_property
    def calls(self) -> Rows:
        """The calls by communicator and procedure only, in the order of the keys (communicator | procedure).

        `seconds` includes the time of calls that have not ended, up to just before the reading began. So it
        is never more than `run(counted_ns)`, nor less than at `before_ns`.
        """
        rows = self.counters.calls
        keys = (rows["key"] & _WITHOUT_REGION) >> _WITHOUT_BIN
        own = [call.communicator << PROCEDURE_BITS | call.procedure for call in self.calls_open]
        seconds = [max(self.before_ns - call.since_ns, 0) / NANOSECONDS for call in self.calls_open]
        unique, places = np.unique(np.concatenate((keys, np.array(own, np.uint64))), return_inverse=True)
        total = np.zeros(len(unique), _CALLS)
        total["key"] = unique
        places = places.reshape(-1)
        booked = places[: len(keys)]
        for name in ("calls", "bytes_sent", "bytes_received"):
            total[name] = np.bincount(booked, rows[name].astype(np.float64), len(unique))
        total["seconds"] = np.bincount(booked, self.clock.seconds(rows["ticks"]), len(unique))
        total["seconds"] += np.bincount(places[len(keys) :], np.array(seconds, np.float64), len(unique))
        return total

    def _instant(self, ticks: int) -> int:
        """Return the time of some ticks; not later than now, even for a damaged record."""
        return min(self.clock.realtime_ns(ticks), self.now_ns)


def processes(files: Sequence[Counters], read_ns: Sequence[tuple[int, int]]) -> list[Process]:
    """Put the counters of processes on the clocks of their nodes.

    If a node's clock is ahead of this node's, its heartbeats lie in the future here: its now is at least the
    latest of them. A clock that is behind can't be distinguished from silent processes.

    Args:
        files: of all processes.
        read_ns: just before and just after each was read, nanoseconds since 1970 by the clock of this node.
    """
    ahead_ns: dict[str, int] = {}
    for counters, (_, now_ns) in zip(files, read_ns, strict=True):
        header = counters.header
        ahead = header.stamps["latest"].realtime_ns - now_ns
        known = ahead_ns.get(header.host, 0)
        ahead_ns[header.host] = max(known, ahead if ahead < _MOST_AHEAD_NS else 0)
    own = clocks([list(counters.header.stamps.values()) for counters in files])
    return [
        Process(
            counters,
            _anchored(counters, clock),
            before_ns + ahead_ns[counters.header.host],
            now_ns + ahead_ns[counters.header.host],
        )
        for counters, clock, (before_ns, now_ns) in zip(files, own, read_ns, strict=True)
    ]


def _anchored(counters: Counters, clock: Clock) -> Clock:
    """Tie the clock to the last heartbeat, so that earlier changes and drift don't matter."""
    latest = counters.header.stamps["latest"]
    return Clock(clock.ticks_per_second, latest) if latest.used else clock
