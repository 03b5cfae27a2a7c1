"""The ranks that each rank waits for, from its current call and the counters of both sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from rankwise.analysis.last_calls import INSIDE, Place
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.members import parse
from rankwise.profile.join.waiting import ALL, ANY, SEVERAL, OpenMessage, Partner
from rankwise.records import dataclass

FINALIZE = "MPI_Finalize"
MESSAGE, RECEIVE, COLLECTIVE = "message", "receive", "collective"

_COLLECTIVE_CLASSES = ("collective", "communicator", "window")
_FOR_SOME = (  # they do not wait for the members of their communicator
    *("MPI_Comm_create_group", "MPI_Comm_create_from_group", "MPI_Intercomm_create"),
    *("MPI_Intercomm_create_from_groups", "MPI_Comm_set_name", "MPI_Win_set_name", "MPI_Cart_map"),
    *("MPI_Graph_map", "MPIX_Comm_revoke"),
)
_FILES = ("MPI_File_open", "MPI_File_close", "MPI_File_set_view", "MPI_File_set_size", "MPI_File_sync")
_FILES_END = ("_all", "_all_begin", "_all_end", "_ordered", "_ordered_begin", "_ordered_end")


def _starts(name: str) -> bool:
    return name.startswith(("MPI_I", "MPI_Comm_idup", "MPI_File_i")) or name.endswith("_init")


def _is_for_all(name: str, class_name: str) -> bool:
    if _starts(name) or name in _FOR_SOME:
        return False
    if class_name == "input-output":
        return name in _FILES or name.endswith(_FILES_END)
    return class_name in _COLLECTIVE_CLASSES or name == "MPI_Win_fence"


FOR_ALL = frozenset(
    procedure.name for procedure in PROCEDURES if _is_for_all(procedure.name, procedure.class_name)
)
"""Calls that wait for all members of their communicator, more or less."""
STARTED_FOR_ALL = frozenset(
    procedure.name
    for procedure in PROCEDURES
    if procedure.class_name == "collective" and procedure.name.startswith("MPI_I")
)
"""Nonblocking collectives."""
_WAITS = frozenset({"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"})
_ONE_IS_ENOUGH = ("MPI_Waitany", "MPI_Waitsome")

Counts = Mapping[tuple[int, str], Mapping[int, int]]
"""By communicator and procedure: the number of returned calls of each rank."""


@dataclass(frozen=True)
class Standing:
    """The known state of a job that hangs.

    Attributes:
        places: where each rank is.
        members: of communicators, in compact form, by id.
        counts: of collectives.
        messages: that only one side has posted.
        ended: ranks whose processes have ended.
        threaded: ranks with several threads that call MPI: another thread may serve the waiting ranks.
        vague: ranks that could not record all calls.
    """

    places: Mapping[int, Place]
    members: Mapping[int, str]
    counts: Counts
    messages: Iterable[OpenMessage]
    ended: frozenset[int]
    threaded: frozenset[int] = frozenset()
    vague: frozenset[int] = frozenset()


class Wait(NamedTuple):
    """The wait of the ranks in the same place.

    Attributes:
        ranks: the waiting ranks.
        place: of the first of them.
        for_ranks: the ranks that they wait for, ascending; () = none, or unknown.
        any: they need only one of these ranks.
        what: they wait for: MESSAGE, RECEIVE, COLLECTIVE; '' = nothing, or unknown.
        tag: of the message.
        certain: the counters of both sides prove it.
        collective: nonblocking collective that they wait for.
    """

    ranks: tuple[int, ...]
    place: Place
    for_ranks: tuple[int, ...] = ()
    any: bool = False
    what: str = ""
    tag: int | None = None
    certain: bool = False
    collective: str | None = None


class Messages:
    """The messages counted on both sides."""

    def __init__(self, standing: Standing) -> None:
        """Sort the messages by their ends."""
        self._places = standing.places
        self._rows: dict[tuple[int, int], list[OpenMessage]] = defaultdict(list)
        self._sources_of: dict[int, set[int]] = defaultdict(set)
        self._destinations_of: dict[int, set[int]] = defaultdict(set)
        self._vague: set[tuple[int, int]] = set()
        for row in standing.messages:
            if ALL in (row.source, row.destination):
                self._vague.add((row.source, row.destination))
                continue
            self._rows[row.source, row.destination].append(row)
            self._sources_of[row.destination].add(row.source)
            self._destinations_of[row.source].add(row.destination)

    def is_known(self, source: int, destination: int) -> bool:
        """Return whether both sides have counted all messages of a pair."""
        if (source, ALL) in self._vague or (ALL, destination) in self._vague:
            return False
        return all(row.sent is not None for row in self._rows.get((source, destination), ()))

    def left_over(self, destination: int) -> list[OpenMessage]:
        """Return messages that were sent to a rank without a matching receive."""
        sources = sorted(self._sources_of[destination])
        return [row for source in sources for row in self._rows[source, destination] if _balance(row) > 0]

    def sources(self, rank: int, communicator: int | None) -> list[int]:
        """Return the ranks whose messages a rank's receives still wait for."""
        return sorted(
            source
            for source in self._sources_of[rank]
            if any(_balance(row) < 0 for row in self._on(source, rank, communicator))
        )

    def destinations(self, rank: int, communicator: int | None) -> list[int]:
        """Return the ranks without receives for a rank's messages."""
        return sorted(
            to
            for to in self._destinations_of[rank]
            if any(_balance(row) > 0 for row in self._on(rank, to, communicator))
        )

    def tags(self, source: int, destination: int, *, sends: bool) -> list[int]:
        """Return the tags of messages that only the sender, or only the receiver, has posted."""
        rows = self._rows.get((source, destination), ())
        return [row.tag for row in rows if row.tag is not None and _balance(row) * (1 if sends else -1) > 0]

    def _on(self, source: int, destination: int, communicator: int | None) -> list[OpenMessage]:
        rows = self._rows.get((source, destination), ())
        return [row for row in rows if communicator is None or row.communicator == communicator]

    def lacks_message(self, rank: int, source: int, tag: int | None) -> bool:
        """Return whether the message that a rank's call waits for was not sent, as far as is known."""
        place = self._places[rank]
        if self._is_being_sent(source, rank, place.communicator, tag):
            return False
        if not self.is_known(source, rank):
            return True
        posted = place.procedure in _WAITS and tag != ANY  # then its receive is counted already
        balances = [
            _balance(row) for row in self._on(source, rank, place.communicator) if _fits(row.tag, tag)
        ]
        if posted:
            return tag is None or any(balance < 0 for balance in balances)
        return not any(balance > 0 for balance in balances)

    def lacks_receive(self, rank: int, destination: int, tag: int | None) -> bool:
        """Return whether the message that a rank's call sends has no receive, as far as is known."""
        place = self._places[rank]
        if self._is_being_received(rank, destination, place.communicator, tag):
            return False
        if not self.is_known(rank, destination):
            return True
        rows = [row for row in self._on(rank, destination, place.communicator) if _fits(row.tag, tag)]
        if place.procedure in _WAITS:
            return tag is None or any(_balance(row) > 0 for row in rows)
        return not any(_balance(row) < 0 for row in rows)

    def _is_being_sent(self, source: int, rank: int, communicator: int | None, tag: int | None) -> bool:
        place = self._places.get(source)
        if place is None or place.state != INSIDE or place.destination is None:
            return False
        return _meets(place.destination, rank, tag) and _same(place.communicator, communicator)

    def _is_being_received(self, rank: int, to: int, communicator: int | None, tag: int | None) -> bool:
        place = self._places.get(to)
        if place is None or place.state != INSIDE or place.source is None:
            return False
        return _meets(place.source, rank, tag) and _same(place.communicator, communicator)


def _together(waits: Iterable[Wait]) -> list[Wait]:
    """Merge waits for the same nonblocking collective."""
    same_waits: dict[tuple[object, ...], list[Wait]] = defaultdict(list)
    for number, wait in enumerate(waits):
        place = wait.place
        key = (place.procedure, place.communicator, wait.collective, wait.for_ranks)
        same_waits[key if wait.collective else (number,)].append(wait)
    return [
        waits_of_key[0]._replace(ranks=tuple(sorted(rank for wait in waits_of_key for rank in wait.ranks)))
        for waits_of_key in same_waits.values()
    ]


def _balance(row: OpenMessage) -> int:
    return 0 if row.sent is None or row.received is None else row.sent - row.received


def _fits(first: int | None, second: int | None) -> bool:
    return first == second or ANY in (first, second) or None in (first, second)


def _meets(partner: Partner, rank: int, tag: int | None) -> bool:
    """Return whether a call with this partner matches a rank's message."""
    return partner.rank in (rank, ANY) and _fits(partner.tag, tag)


def _same(first: int | None, second: int | None) -> bool:
    return first is None or second is None or first == second


class Waits:
    """The waits of all ranks; equal ones are merged."""

    def __init__(self, standing: Standing) -> None:
        """Derive the waits on first use."""
        self._standing = standing
        self.messages = Messages(standing)
        self._members: dict[int, tuple[int, ...]] = {}

    @cached_property
    def found(self) -> list[Wait]:
        """The waits of all ranks; each rank is in exactly one."""
        ranks_by_key: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for rank, place in self._standing.places.items():
            ranks_by_key[self._key(rank, place)].append(rank)
        return _together([self._wait(key[0], tuple(ranks)) for key, ranks in ranks_by_key.items()])

    def members(self, communicator: int | None) -> tuple[int, ...]:
        """Return the known world ranks of a communicator."""
        if communicator is None:
            return tuple(self._standing.places)
        if communicator not in self._members:
            members = self._standing.members.get(communicator, "")
            self._members[communicator] = tuple(sorted({rank for rank in parse(members) if rank >= 0}))
        return self._members[communicator]

    def _all_known(self, communicator: int | None) -> bool:
        """Return whether all members of a communicator are known."""
        members = self._standing.members.get(communicator or 0, "")
        return bool(members) and all(rank >= 0 for rank in parse(members))

    def _key(self, rank: int, place: Place) -> tuple[object, ...]:
        if place.state != INSIDE or rank in self._standing.ended | self._standing.threaded:
            return ("", rank)
        if self._for_all(place):
            return (COLLECTIVE, place.communicator, place.procedure, self._count(rank, place))
        if place.source and place.source.rank == ANY and not place.destination:
            return (ANY, place.communicator, place.source.tag, place.procedure)
        return (INSIDE, rank)

    def _for_all(self, place: Place) -> bool:
        on_all = place.procedure in FOR_ALL and place.communicator is not None
        return on_all or place.procedure == FINALIZE

    def _count(self, rank: int, place: Place) -> int:
        return self._counts(place.communicator, place.procedure).get(rank, 0)

    def _counts(self, communicator: int | None, procedure: str | None) -> Mapping[int, int]:
        return self._standing.counts.get((communicator or 0, procedure or ""), {})

    def _wait(self, kind: object, ranks: tuple[int, ...]) -> Wait:
        rank = ranks[0]
        place = self._standing.places[rank]
        if kind == COLLECTIVE:
            return self._in_collective(ranks, place)
        if kind == ANY:
            return self._for_any(ranks, place)
        return self._for_partners(rank, place) if kind == INSIDE else Wait(ranks, place)

    def _in_collective(self, ranks: tuple[int, ...], place: Place) -> Wait:
        counts, done = self._counts(place.communicator, place.procedure), self._count(ranks[0], place)
        here = {*ranks, *self._came_through(place)}
        missing = tuple(
            rank
            for rank in self.members(place.communicator)
            if rank not in here and counts.get(rank, 0) <= done
        )
        certain = not self._standing.vague.intersection({*ranks, *missing})
        return Wait(ranks, place, missing, what=COLLECTIVE if missing else "", certain=certain)

    def _came_through(self, place: Place) -> list[int]:
        """Return the ranks that have finished MPI_Finalize, if it is the call."""
        if place.procedure != FINALIZE:
            return []
        return [rank for rank, place in self._standing.places.items() if place.state == "finalized"]

    def _for_any(self, ranks: tuple[int, ...], place: Place) -> Wait:
        """Return the ranks that receives from any source wait for; none if a message could match."""
        assert place.source
        if not self._all_known(place.communicator):
            return Wait(ranks, place)
        tag, others = place.source.tag, self.members(place.communicator)
        for rank in ranks:
            if any(
                _fits(row.tag, tag) and _same(row.communicator, place.communicator)
                for row in self.messages.left_over(rank)
            ):
                return Wait(ranks, place)
        certain = all(self.messages.is_known(other, rank) for rank in ranks[:1] for other in others)
        sources = tuple(rank for rank in others if len(ranks) > 1 or rank != ranks[0])
        return Wait(ranks, place, sources, any=True, what=MESSAGE, tag=tag, certain=certain)

    def _for_partners(self, rank: int, place: Place) -> Wait:
        lacking = self._lacking(rank, place)
        sends = self._without_receive(rank, place)
        is_enough = place.procedure in _ONE_IS_ENOUGH
        if lacking or sends:
            pairs = [(other, rank) for other in lacking] + [(rank, other) for other in sends]
            partner = place.source if lacking else place.destination
            return Wait(
                (rank,),
                place,
                tuple(sorted({*lacking, *sends})),
                any=is_enough,
                what=MESSAGE if lacking else RECEIVE,
                tag=self._tag(partner, pairs, sends=not lacking),
                certain=all(self.messages.is_known(*pair) for pair in pairs),
            )
        if place.procedure in _WAITS and place.source is None and place.destination is None:
            return self._for_collective(rank, place)
        return Wait((rank,), place)

    def _tag(self, partner: Partner | None, pairs: Sequence[tuple[int, int]], *, sends: bool) -> int | None:
        """Return the tag of the missing message or receive; None if unknown, or if there are several."""
        if partner and partner.tag is not None:
            return partner.tag
        tags = {tag for pair in pairs for tag in self.messages.tags(*pair, sends=sends)}
        return tags.pop() if len(tags) == 1 else None

    def _lacking(self, rank: int, place: Place) -> list[int]:
        if place.source is None:
            return []
        other, tag = place.source
        if other == SEVERAL:
            sources = self.messages.sources(rank, place.communicator)
            return [source for source in sources if self.messages.lacks_message(rank, source, tag)]
        if other < 0 or place.procedure in ("MPI_Mrecv", "MPI_Imrecv"):
            return []
        return [other] if self.messages.lacks_message(rank, other, tag) else []

    def _without_receive(self, rank: int, place: Place) -> list[int]:
        if place.destination is None:
            return []
        other, tag = place.destination
        if other == SEVERAL:
            destinations = self.messages.destinations(rank, place.communicator)
            return [to for to in destinations if self.messages.lacks_receive(rank, to, tag)]
        return [other] if other >= 0 and self.messages.lacks_receive(rank, other, tag) else []

    def _for_collective(self, rank: int, place: Place) -> Wait:
        """Return the wait for ranks that have not started the nonblocking collective."""
        if place.communicator is None:
            return Wait((rank,), place)
        for (communicator, procedure), counts in sorted(self._standing.counts.items()):
            if communicator != place.communicator or procedure not in STARTED_FOR_ALL:
                continue
            started = counts.get(rank, 0)
            missing = [other for other in self.members(communicator) if counts.get(other, 0) < started]
            if missing:
                return Wait(
                    *((rank,), place, tuple(missing)),
                    what=COLLECTIVE,
                    certain=not self._standing.vague.intersection({rank, *missing}),
                    collective=procedure,
                )
        return Wait((rank,), place)
