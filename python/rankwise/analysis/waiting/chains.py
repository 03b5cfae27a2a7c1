"""Chains of waits: which rank a rank waited for while others waited for it.

Each wait is a period in which a rank needed another rank, in a collective or for a message. The other rank's
waits in this period are followed in turn, up to a rank that did not wait: the delay began there. Computing of
the late rank just before it arrived did not make it late, as long as the waiting rank computed for equally
long before it began to wait; then its earlier activity counts. In a ring where each rank waits for the
previous one, all lateness is thus traced to the rank that computes longer.

Only waits in the samples are known, so a chain may end too early, never too late. It also ends at ranks with
several threads that call MPI, because it is unknown which thread delayed which other.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rankwise.analysis.waiting.message_sample import Wait, waits_of_all

MOST_STEPS = 16
"""Largest number of steps of a chain."""


class Stretch(NamedTuple):
    """A wait of a rank.

    Attributes:
        rank: that waited.
        began: seconds after the start of the run.
        until: arrival of the other rank, seconds after the start of the run.
        other: rank that it waited for.
    """

    rank: int
    began: float
    until: float
    other: int


class Share(NamedTuple):
    """The part of a wait that began with one rank.

    Attributes:
        seconds: of this part.
        steps: largest number of ranks in a chain of waits.
    """

    seconds: float
    steps: int


class Chains:
    """The waits of all ranks, linked so that they can be followed from one rank to the next.

    Attributes:
        messages: the waits for messages among them, each with the number of calls that it represents.
    """

    def __init__(self, waits: Iterable[Stretch], messages: Sequence[tuple[Wait, float]] = ()) -> None:
        """Link all known waits."""
        self.messages = messages
        self._waits: defaultdict[int, list[tuple[float, float, int]]] = defaultdict(list)
        for rank, began, until, other in waits:
            self._waits[rank].append((began, until, other))
        self._begins = {}
        for rank, own in self._waits.items():
            own.sort()
            self._begins[rank] = [began for began, _, _ in own]

    def follow(self, rank: int, begin: float, end: float, waiter: int | None = None) -> dict[int, Share]:
        """Divide a period in which others waited for a rank among the ranks with which the wait began.

        Args:
            rank: that others waited for.
            begin: of the period, in seconds after the start of the run.
            end: of the period, in seconds after the start of the run.
            waiter: the rank that waited; None = several.
        """
        shares: dict[int, Share] = {}
        back = 0.0 if waiter is None else self._computed_by_both(waiter, begin, end, rank)
        for origin, seconds, steps in self._parts(rank, begin - back, end - back, 1):
            known = shares.get(origin, Share(0.0, 0))
            shares[origin] = Share(known.seconds + seconds, max(known.steps, steps))
        return shares

    def _parts(self, rank: int, begin: float, end: float, steps: int) -> Iterator[tuple[int, float, int]]:
        own, remaining = self._waits.get(rank, ()), end - begin
        place = max(bisect_left(self._begins.get(rank, ()), begin) - 1, 0)
        while steps < MOST_STEPS and place < len(own) and own[place][0] < end:
            began, until, other = own[place]
            place += 1
            first, last = max(began, begin), min(until, end)
            if last > first:
                remaining -= last - first
                back = self._computed_by_both(rank, began, until, other)
                yield from self._parts(other, first - back, last - back, steps + 1)
        if remaining > 0:
            yield rank, remaining, steps

    def _computed_by_both(self, waiter: int, began: float, until: float, other: int) -> float:
        """Return how long the other rank computed before it arrived, and also the waiter before it waited.

        0 if one of them had not waited before, or if the other rank waited last for the waiter: both started
        together then.
        """
        last = self._last_before(other, until)
        before = self._last_before(waiter, began)
        if last is None or before is None or last[2] == waiter:
            return 0.0
        return max(min(began - before[1], until - last[1]), 0.0)

    def _last_before(self, rank: int, time: float) -> tuple[float, float, int] | None:
        """Return the last wait of a rank that began before a time."""
        place = bisect_left(self._begins.get(rank, ()), time) - 1
        return self._waits[rank][place] if place >= 0 else None


def chains_in(connection: sqlite3.Connection) -> Chains:
    """Return the waits of the whole run, even if a part of it is selected.

    Raises:
        ValueError: the profile is damaged.
    """
    messages = waits_of_all(connection)
    whole = connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'ranks'").fetchone()
    rows = connection.execute(f"SELECT rank FROM {'main.' if whole else ''}ranks WHERE threads > 1")
    with_threads = {rank for (rank,) in rows}
    for_messages = (
        Stretch(wait.rank, wait.began, wait.began + wait.waited, wait.other) for wait, _ in messages
    )
    waits = [*for_messages, *_in_collectives(connection)]
    return Chains(
        [wait for wait in waits if wait.rank not in with_threads],
        [(wait, weight) for wait, weight in messages if wait.rank not in with_threads],
    )


def _in_collectives(connection: sqlite3.Connection) -> Iterator[Stretch]:
    if not connection.execute("SELECT 1 FROM arrivals LIMIT 1").fetchone():
        return
    # Imported here: loading numpy takes longer than the rest of the summary.
    from rankwise.analysis.waiting.instances import each_wait
    from rankwise.analysis.waiting.sample import sampled

    for instances in sampled(connection, of_all=True):
        yield from map(Stretch, *each_wait(instances))
