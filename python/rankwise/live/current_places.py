"""The present place of each rank of a running job: the call, its communicator, and since when."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankwise.analysis.last_calls import INSIDE, NO_COUNTERS, OUTSIDE, POLLS, STARTING, Place
from rankwise.live.difference import Difference
from rankwise.live.process import POLLING, Open, Process
from rankwise.profile.collect.clock import NANOSECONDS
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.communicators import FIRST, CommunicatorTable
from rankwise.profile.join.current_calls import partners
from rankwise.profile.join.waiting import Partner

_PROCEDURES = {procedure.id: procedure for procedure in PROCEDURES}

_LONG_NS = NANOSECONDS // 10
"""A polling call that has lasted so long did not return at once: its rank is inside it."""


def places(
    world: Mapping[int, Process], communicator_table: CommunicatorTable, recent: Difference | None, size: int
) -> dict[int, Place]:
    """Return the place of every rank of a world.

    Args:
        world: processes by rank.
        communicator_table: their communicators.
        recent: what they did since the last look; None if this is the first.
        size: of MPI_COMM_WORLD.
    """
    polled = _polled(recent) if recent else {}
    return {
        rank: _place(rank, world[rank], communicator_table, polled.get(rank))
        if rank in world
        else Place(NO_COUNTERS)
        for rank in range(size)
    }


def _place(
    rank: int, process: Process, communicator_table: CommunicatorTable, polled: tuple[int, int] | None
) -> Place:
    state = process.counters.header.state
    if process.ended:
        return Place(state.replace("_", " "))
    if state == "starting":
        return _since(process, STARTING, process.counters.header.stamps["loaded"].realtime_ns or None)
    waiting = next((call for call in process.calls_open if not _is_poll(call, process.now_ns)), None)
    if waiting:
        communicator = int(communicator_table.ids_of(rank, np.array([waiting.communicator]))[0])
        waited_for = partners(
            waiting.thread, _PROCEDURES[waiting.procedure], communicator, communicator_table
        )
        return _since(process, INSIDE, waiting.since_ns, waiting.procedure, communicator, waited_for)
    if polled:
        return _since(process, POLLS, None, *polled)
    polling = next(iter(process.calls_open), None)
    if polling:
        communicator = int(communicator_table.ids_of(rank, np.array([polling.communicator]))[0])
        return _since(process, POLLS, None, polling.procedure, communicator)
    return _since(process, OUTSIDE, process.heartbeat_ns)


def _is_poll(call: Open, now_ns: int) -> bool:
    """Return whether the call may end at any moment: polling calls that move data can also last long."""
    return call.polling and now_ns - call.since_ns < _LONG_NS


def _since(
    process: Process,
    state: str,
    since_ns: int | None,
    procedure: int | None = None,
    communicator: int = 0,
    waited_for: tuple[Partner | None, Partner | None] = (None, None),
) -> Place:
    return Place(
        state,
        _PROCEDURES[procedure].name if procedure is not None else None,
        communicator if communicator >= FIRST else None,
        since_ns,
        None if since_ns is None else max(process.now_ns - since_ns, 0) / NANOSECONDS,
        *waited_for,
    )


def _polled(recent: Difference) -> dict[int, tuple[int, int]]:
    """Return the ranks that only polled: by rank, (procedure, communicator) of most of their calls."""
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
    return {rank: call for rank, (_, call) in most.items()}
