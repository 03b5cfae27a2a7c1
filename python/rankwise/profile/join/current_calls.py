"""The calls that a process had not left: procedure, communicator, start, duration, and partners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rankwise.profile.collect.clock import Clock
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.lifetime import Lifetime
from rankwise.profile.collect.procedures import PROCEDURES, Procedure
from rankwise.profile.join.communicators import CommunicatorTable
from rankwise.profile.join.regions import WHOLE_PROGRAM, Regions
from rankwise.profile.join.sites import UNKNOWN, Sites
from rankwise.profile.join.waiting import ANY, SEVERAL, Partner

_PROCEDURES = {procedure.id: procedure for procedure in PROCEDURES}
_INIT = next(procedure.id for procedure in PROCEDURES if procedure.name == "MPI_Init")
_NO_COMMUNICATOR = CONSTANTS["COMMUNICATOR_NONE"]
_TAG_BITS = CONSTANTS["PARTNER_TAG_BITS"]
_WORLD = CONSTANTS["PARTNER_WORLD"]
_UNKNOWN_TAG = CONSTANTS["TAG_UNKNOWN"]
_NOT_A_RANK = {CONSTANTS["PARTNER_ANY"]: ANY, CONSTANTS["PARTNER_SEVERAL"]: SEVERAL}


class CurrentCall(NamedTuple):
    """A call that was not left.

    Attributes:
        procedure: of the call.
        communicator: its id in the profile; below 3: none in particular.
        region: its index on the process.
        site: its index on the process.
        since_ns: when it began, nanoseconds since 1970.
        source: sender of the message that it waits for; None = unknown, or no sender.
        destination: receiver of its message; None = unknown, or no receiver.
    """

    procedure: Procedure
    communicator: int
    region: int
    site: int
    since_ns: int
    source: Partner | None
    destination: Partner | None


def current_calls(
    rank: int, counters: Counters, clock: Clock, communicator_table: CommunicatorTable
) -> Iterator[CurrentCall]:
    """Find the calls that the threads of a process never left, the first thread's first."""
    if counters.header.state == "finalized":
        return
    for thread in counters.threads[(counters.threads["inside_key"] != 0) & (counters.threads["alive"] != 0)]:
        key = np.array([thread["inside_key"]], np.uint64)
        procedure = _PROCEDURES.get(int(part(key, "CALLS", "PROCEDURE")[0]))
        if procedure is not None:
            communicator = int(communicator_table.ids_of(rank, part(key, "CALLS", "COMMUNICATOR"))[0])
            yield CurrentCall(
                procedure,
                communicator,
                int(part(key, "CALLS", "REGION")[0]),
                int(part(key, "CALLS", "SITE")[0]),
                clock.realtime_ns(int(thread["inside_since"])),
                *partners(thread, procedure, communicator, communicator_table),
            )


def unfinished_rows(
    rank: int,
    counters: Counters,
    current_calls: Iterable[CurrentCall],
    regions: Regions,
    sites: Sites,
    lifetime: Lifetime,
) -> list[tuple[int, int, int, int, int]]:
    """Return communicator, site, region, procedure and nanoseconds of each call that a process never left.

    Of a process that never came out of MPI_Init it is not known whether that was MPI_Init_thread: MPI_Init
    stands for both.
    """
    if counters.header.state == "starting":
        ns = lifetime.stopped_ns - lifetime.started_ns
        return [(_NO_COMMUNICATOR, UNKNOWN, WHOLE_PROGRAM, _INIT, ns)] if ns else []
    if counters.header.state == "switched_off":
        return []  # it went on, and left this call perhaps
    rows = []
    for call in current_calls:
        region = int(regions.ids_of(rank, np.array([call.region]))[0])
        site = int(sites.ids_of(rank, np.array([call.site]))[0])
        ns = max(lifetime.stopped_ns - call.since_ns, 0)
        rows.append((call.communicator, site, region, call.procedure.id, ns))
    return rows


def latest_left(
    rank: int, counters: Counters, communicator_table: CommunicatorTable
) -> tuple[Procedure, int] | None:
    """Return the latest call that a process has left, by the thread that called last, and on what."""
    threads = counters.threads[counters.threads["left_key"] != 0]
    if not len(threads):
        return None
    key = threads["left_key"][[int(np.argmax(threads["inside_since"]))]]
    procedure = _PROCEDURES.get(int(part(key, "CALLS", "PROCEDURE")[0]))
    communicator = int(communicator_table.ids_of(rank, part(key, "CALLS", "COMMUNICATOR"))[0])
    return (procedure, communicator) if procedure else None


def partners(
    thread: Any, procedure: Procedure, communicator: int, communicator_table: CommunicatorTable
) -> tuple[Partner | None, Partner | None]:
    """Return the partners that a thread's current call waits for: source and destination.

    Args:
        thread: record of struct rankwise_thread.
        procedure: of the call.
        communicator: its id in the profile.
        communicator_table: the communicators.
    """
    if procedure.polling:
        return None, None
    source, destination = (
        _partner(int(thread[name]), communicator, communicator_table)
        for name in ("inside_source", "inside_destination")
    )
    return source, destination


def _partner(word: int, communicator: int, communicator_table: CommunicatorTable) -> Partner | None:
    who, low = word >> _TAG_BITS, word & (1 << _TAG_BITS) - 1
    tag: int | None = low - (1 << _TAG_BITS) if low >> (_TAG_BITS - 1) else low
    tag = None if tag == _UNKNOWN_TAG else tag
    if who in _NOT_A_RANK:
        return Partner(_NOT_A_RANK[who], tag)
    if who > _WORLD:
        return Partner(who - _WORLD - 1, tag)
    # (On an intercommunicator, ranks are those of the remote group; the process knows no more of it.)
    inter = any(row.id == communicator and row.remote_size for row in communicator_table.rows)
    rank = None if inter or not who else communicator_table.groups.get(communicator, {}).get(who - 1)
    return None if rank is None else Partner(rank, tag)
