"""Where each rank is now: inside which call, on which communicator, since when; and who is missing there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.live.difference import Difference
from rankwise.live.process import POLLING, Open, Process
from rankwise.profile.clock import NANOSECONDS
from rankwise.profile.communicators import FIRST, Communicator, Joined
from rankwise.profile.members import parse
from rankwise.profile.procedures import PROCEDURES

_PROCEDURES = {procedure.id: procedure for procedure in PROCEDURES}
COLLECTIVES = frozenset(p.name for p in PROCEDURES if p.class_name in ("collective", "neighbourhood"))
"""Calls that come back only when all members of the communicator have called them, more or less."""

INSIDE = "inside"
OUTSIDE = "outside"
POLLS = "polling"
STARTING = "starting"
NO_COUNTERS = "no counters"

_LONG_NS = NANOSECONDS // 10
"""A polling call that has lasted so long is no poll that finds nothing: its rank is inside of it."""


@dataclass(frozen=True)
class Place:
    """Where one rank is.

    Attributes:
        state: inside, outside (of MPI: computing, or doing anything else), polling, starting (in MPI_Init),
            finalized, aborted, switched off, no counters.
        procedure: that it is inside of, or polls with; None if none.
        communicator: of that call, its id in the profile; None if it has none in particular.
        since_ns: nanoseconds since 1970; None if unknown.
        seconds: since then; None if unknown.
    """

    state: str
    procedure: str | None = None
    communicator: int | None = None
    since_ns: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Group:
    """The ranks that are in one place.

    Attributes:
        ranks: world ranks, ascending.
        seconds_min: since the last of them came there; None if unknown.
        seconds_max: since the first of them came there; None if unknown.
        missing: members of the communicator that have not come there, where the call waits for all of them.
    """

    state: str
    procedure: str | None
    communicator: int | None
    ranks: tuple[int, ...]
    seconds_min: float | None
    seconds_max: float | None
    missing: tuple[int, ...]


def places(
    world: Mapping[int, Process], joined: Joined, recent: Difference | None, size: int
) -> dict[int, Place]:
    """Find out where every rank of a world is.

    Args:
        world: processes by rank.
        joined: their communicators.
        recent: what they did since the last look; None if this is the first.
        size: of MPI_COMM_WORLD.
    """
    polled = _polled(recent) if recent else {}
    return {
        rank: _place(rank, world[rank], joined, polled.get(rank)) if rank in world else Place(NO_COUNTERS)
        for rank in range(size)
    }


def groups(found: Mapping[int, Place], communicators: Sequence[Communicator]) -> list[Group]:
    """Put the ranks together that are in one place; the largest group comes first."""
    together: dict[tuple[str, str | None, int | None], list[int]] = defaultdict(list)
    for rank, place in found.items():
        together[place.state, place.procedure, place.communicator].append(rank)
    by_id = {communicator.id: communicator for communicator in communicators}
    made = []
    for (state, procedure, communicator), ranks in together.items():
        times = [seconds for seconds in (found[rank].seconds for rank in ranks) if seconds is not None]
        row = by_id.get(communicator) if communicator is not None else None
        # Of an intercommunicator, both groups have to come.
        members = ",".join(filter(None, (row.members, row.remote_members))) if row else ""
        missing = _missing(ranks, members) if state == INSIDE and procedure in COLLECTIVES else ()
        made.append(
            Group(
                state,
                procedure,
                communicator,
                tuple(ranks),
                min(times, default=None),
                max(times, default=None),
                missing,
            )
        )
    return sorted(made, key=lambda group: (-len(group.ranks), group.ranks))


def _missing(ranks: Sequence[int], members: str) -> tuple[int, ...]:
    here = set(ranks)
    return tuple(sorted(rank for rank in parse(members) if rank >= 0 and rank not in here))


def _place(rank: int, process: Process, joined: Joined, polled: tuple[int, int] | None) -> Place:
    state = process.counters.header.state
    if process.ended:
        return Place(state.replace("_", " "))
    if state == "starting":
        return _since(process, STARTING, process.counters.header.stamps["loaded"].realtime_ns or None)
    waiting = next((call for call in process.calls_open if not _is_poll(call, process.now_ns)), None)
    if waiting:
        communicator = int(joined.ids_of(rank, np.array([waiting.communicator]))[0])
        return _since(process, INSIDE, waiting.since_ns, waiting.procedure, communicator)
    if polled:
        return _since(process, POLLS, None, *polled)
    polling = next(iter(process.calls_open), None)
    if polling:
        communicator = int(joined.ids_of(rank, np.array([polling.communicator]))[0])
        return _since(process, POLLS, None, polling.procedure, communicator)
    return _since(process, OUTSIDE, process.sign_of_life_ns)


def _is_poll(call: Open, now_ns: int) -> bool:
    """Whether the next one may come at any moment: a polling call can last long, too, while it moves data."""
    return call.polling and now_ns - call.since_ns < _LONG_NS


def _since(
    process: Process, state: str, since_ns: int | None, procedure: int | None = None, communicator: int = 0
) -> Place:
    return Place(
        state,
        _PROCEDURES[procedure].name if procedure is not None else None,
        communicator if communicator >= FIRST else None,
        since_ns,
        None if since_ns is None else max(process.now_ns - since_ns, 0) / NANOSECONDS,
    )


def _polled(recent: Difference) -> dict[int, tuple[int, int]]:
    """Find the ranks that did nothing but poll: by rank, (procedure, communicator) of most of their calls."""
    polling = np.isin(recent.procedure, list(POLLING))
    called = recent.calls > 0
    others = set(recent.rank[called & ~polling].tolist())
    most: dict[int, tuple[float, tuple[int, int]]] = {}
    rows = np.flatnonzero(called & polling)
    for rank, procedure, communicator, calls in zip(
        *(
            column[rows].tolist()
            for column in (recent.rank, recent.procedure, recent.communicator, recent.calls)
        ),
        strict=True,
    ):
        if rank not in others and calls > most.get(rank, (0.0, (0, 0)))[0]:
            most[rank] = (calls, (procedure, communicator))
    return {rank: found for rank, (_, found) in most.items()}
