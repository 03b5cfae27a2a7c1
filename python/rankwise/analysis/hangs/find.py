"""The cause of a hang, from the places of the ranks and their counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from rankwise.analysis.hangs.graph import components, led_to, stuck, way
from rankwise.analysis.hangs.model import (
    COMPUTING,
    CYCLE,
    ENDED,
    MISMATCH,
    POLLING,
    UNKNOWN,
    UNMATCHED,
    Hang,
    OpenMessages,
    Step,
)
from rankwise.analysis.hangs.waits import FINALIZE, FOR_ALL, MESSAGE, Standing, Wait, Waits
from rankwise.analysis.last_calls import OUTSIDE, POLLS
from rankwise.profile.join.members import compact

LEAST_S = 1.0
"""Seconds that ranks must have waited: without a deadlock, a shorter standstill is no hang."""
LEAST_UNPROVEN_S = 10.0
"""The same where ranks wait for each other, but their counts do not prove it: a message may be on its way, as
in each exchange of neighbours, or some ranks of a killed job ended before the others."""

GONE = "gone"
"""Replaces the state of a rank whose process ended before the others."""

_ENDED = ("finalized", "aborted")
_MOST_STEPS = 8
_MOST_STARTS = 64  # nodes from which rings are searched
_MOST_FOUND = 4


def find_hang(
    standing: Standing, names: Mapping[int, str], site: Callable[[int], str] = lambda _: ""
) -> Hang | None:
    """Return why a job hangs; None if it does not, or if nothing indicates a hang.

    Args:
        standing: the job.
        names: of communicators, by id.
        site: returns the call site of a rank's call, '' if unknown.
    """
    return _Search(standing, names, site).hang()


class _Search:
    def __init__(self, standing: Standing, names: Mapping[int, str], site: Callable[[int], str]) -> None:
        self.standing, self.names, self.site = standing, names, site
        self.found = Waits(standing)
        self.parties: Sequence[Wait] = self.found.found
        self.party_of = {rank: n for n, party in enumerate(self.parties) for rank in party.ranks}
        self.waits = {n: self._others(party) for n, party in enumerate(self.parties)}
        self.stuck = stuck(self.waits, lambda n: self.parties[n].any, self._gone)

    def _others(self, party: Wait) -> list[int]:
        """Return the parties that a party waits for."""
        return list(dict.fromkeys(self.party_of[rank] for rank in party.for_ranks if rank in self.party_of))

    def _gone(self, number: int) -> bool:
        party = self.parties[number]
        return party.place.state in _ENDED or party.ranks[0] in self.standing.ended

    def hang(self) -> Hang | None:
        gone = {number for number in self.stuck if self._gone(number)}
        rings = [
            ring
            for ring in components(sorted(self.stuck - gone), self.waits)
            if len(ring) > 1 or ring[0] in self.waits[ring[0]]
        ]
        if rings:
            ring = self._ring(max(rings, key=lambda ring: len(led_to(set(ring), self.waits))))
            return ring if ring.is_certain else self._if_long(ring, LEAST_UNPROVEN_S)
        waited_for = {other for number in self.stuck - gone for other in self.waits[number]} & gone
        if waited_for:
            return self._if_long(self._root(ENDED, waited_for, is_deadlock=True))
        return self._if_long(self._without_deadlock())

    def _ring(self, ring: list[int]) -> Hang:
        within = set(ring)
        ways = (way(start, (start,), self.waits, within) for start in ring[:_MOST_STARTS])
        shortest = min(ways, key=len)[:-1]
        return self._made(self._kind(shortest), set(shortest), within, shortest, is_deadlock=True)

    def _kind(self, ring: list[int]) -> str:
        places = [self.parties[number].place for number in ring]
        if any(place.procedure == FINALIZE for place in places):
            return ENDED
        collectives = {
            (place.communicator, place.procedure) for place in places if place.procedure in FOR_ALL
        }
        if len(collectives) == len(places) and len({communicator for communicator, _ in collectives}) == 1:
            return MISMATCH
        return UNMATCHED if any(self._left_over(self.parties[number]) for number in ring) else CYCLE

    def _without_deadlock(self) -> Hang | None:
        """Return the hang at ranks that others wait for, and that are not known to wait themselves."""
        ends = {
            n for others in self.waits.values() for n in others if not self.waits[n] and n not in self.stuck
        }
        waiting = led_to(ends, self.waits) - ends
        if not waiting or len(self._ranks(ends)) > len(self._ranks(waiting)):
            return None  # (few ranks waiting for many is normal)
        states = {self.parties[number].place.state for number in ends}
        kind = COMPUTING if states == {OUTSIDE} else POLLING if states <= {OUTSIDE, POLLS} else UNKNOWN
        return self._root(kind, ends, is_deadlock=False)

    def _root(self, kind: str, ends: set[int], *, is_deadlock: bool) -> Hang:
        waiting = led_to(ends, self.waits) - ends
        largest = max(waiting, key=lambda number: (len(self.parties[number].ranks), -number))
        path = way(largest, ends, self.waits, waiting | ends)
        equivalent = [
            end for end in self.waits[path[-2]] if end in ends and self._is_equivalent(end, path[-1])
        ]
        hang = self._made(kind, ends, ends, path, is_deadlock=is_deadlock)
        last = self.parties[path[-1]]._replace(ranks=tuple(self._ranks(equivalent)))
        return replace(hang, steps=[*hang.steps[:-1], self._step(last)])

    def _is_equivalent(self, first: int, second: int) -> bool:
        """Return whether two parties are in the same place."""
        first_place, second_place = self.parties[first].place, self.parties[second].place
        keys = ("state", "procedure", "communicator")
        return all(getattr(first_place, key) == getattr(second_place, key) for key in keys)

    def _made(
        self, kind: str, root: set[int], ends: set[int], path: Sequence[int], *, is_deadlock: bool
    ) -> Hang:
        """Return the hang.

        Args:
            kind: of the hang.
            root: parties at which the waiting ends.
            ends: parties whose waiters are affected.
            path: parties; each waits for the next.
            is_deadlock: none of them can continue.
        """
        ranks = self._ranks(number for number in led_to(ends, self.waits) if self.waits[number])
        seconds = [self._since(number) for number in path]
        steps = [self._step(self.parties[number]) for number in path]
        left_out = max(len(steps) - _MOST_STEPS, 0)
        return Hang(
            kind=kind,
            is_deadlock=is_deadlock,
            root=compact(self._ranks(root)),
            waiting=compact(ranks),
            seconds=min((value for value in seconds if value is not None), default=None),
            lost_seconds=sum(
                place.seconds or 0.0
                for place in map(self.standing.places.__getitem__, ranks)
                if place.procedure != FINALIZE
            ),
            lost_percent_of_run=None,
            steps=[*steps[: _MOST_STEPS - 1], steps[-1]] if left_out else steps,
            more_steps=left_out,
        )

    def _if_long(self, hang: Hang | None, least: float = LEAST_S) -> Hang | None:
        """Return the hang if the ranks have waited for long; otherwise the job was still progressing."""
        return hang if hang and hang.seconds is not None and hang.seconds >= least else None

    def _ranks(self, numbers: Iterable[int]) -> list[int]:
        return sorted(rank for number in numbers for rank in self.parties[number].ranks)

    def _since(self, number: int) -> float | None:
        """Return the time since the last rank of a party arrived."""
        times = [self.standing.places[rank].seconds for rank in self.parties[number].ranks]
        return min((time for time in times if time is not None), default=None)

    def _left_over(self, party: Wait) -> list[OpenMessages]:
        """Return messages without a matching receive, from the ranks that a party expects a message from."""
        if party.what != MESSAGE:
            return []
        sources = set(party.for_ranks)
        rows = (
            row
            for rank in party.ranks
            for row in self.found.messages.left_over(rank)
            if row.source in sources and self.found.messages.is_known(row.source, rank)
        )
        return [
            OpenMessages(
                row.source,
                row.destination,
                self.names.get(row.communicator or 0, ""),
                row.tag or 0,
                row.sent or 0,
                row.received or 0,
            )
            for row in islice(rows, _MOST_FOUND)
        ]

    def _step(self, party: Wait) -> Step:
        place = party.place
        on = None if place.communicator is None else self.names.get(place.communicator)
        return Step(
            ranks=compact(party.ranks),
            count=len(party.ranks),
            state=GONE if party.ranks[0] in self.standing.ended else place.state,
            procedure=place.procedure,
            communicator=on,
            seconds=self._since(self.party_of[party.ranks[0]]),
            waits_for=compact(party.for_ranks),
            any=party.any,
            tag=party.tag,
            what=party.what,
            collective=party.collective,
            certain=party.certain,
            found=self._left_over(party),
            site=self.site(party.ranks[0]) if place.procedure else "",
        )
