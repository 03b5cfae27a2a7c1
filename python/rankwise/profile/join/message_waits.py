"""Joins what senders and receivers kept of the same messages: when each waited, and when the other came.

MPI matches the messages of a stream (one communicator, source, destination and tag) in the order in which
they are sent. So both sides number them in the same way, and keep the same numbers (src/runtime/streams.h). A
number that is uncertain on one of the sides is never joined: waits for it have no messages here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect import layout
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.rows import Rows
from rankwise.profile.collect.side_sample import (
    by_number,
    common,
    halved_of,
    since,
    thinned_out,
    time_sample,
)
from rankwise.profile.join.communicators import FIRST, CommunicatorTable
from rankwise.profile.join.grouping import LARGEST, Columns, distinct
from rankwise.profile.join.node_clocks import NodeClock
from rankwise.profile.join.own_ids import own_ids
from rankwise.profile.join.regions import Regions

WAIT_COLUMNS = (
    "rank",
    "communicator",
    "region",
    "procedure",
    "began",
    "ended",
    "messages",
    "sampled",
    "known",
    "stretch",
)
"""Of the table `waits`, after its id."""
MESSAGE_COLUMNS = (
    "wait",
    "source",
    "destination",
    "communicator",
    "tag",
    "number",
    "bytes",
    "sends",
    "procedure",
    "posted",
    "other_procedure",
    "other_posted",
)
"""Of the table `wait_messages`."""

_MOST_SIDES = 600_000
_WAITING = (
    "Recv",
    "Mrecv",
    "Sendrecv",
    "Sendrecv_replace",
    "Send",
    "Ssend",
    "Bsend",
    "Rsend",
    "Wait",
    "Waitall",
    "Waitany",
    "Waitsome",
    "Probe",
    "Mprobe",
    "Win_start",
    "Win_complete",
    "Win_wait",
)
_NUMBERS = 1 << layout.CONSTANTS["CALLS_PROCEDURE_BITS"]
_RECORDED = np.zeros(_NUMBERS, bool)
_RECORDED[[procedure.id for procedure in PROCEDURES]] = True
_WAITS = np.zeros(_NUMBERS, bool)
_WAITS[[procedure.id for procedure in PROCEDURES if procedure.name.removeprefix("MPI_") in _WAITING]] = True

_UNTOLD = np.zeros(_NUMBERS, bool)  # some libraries do not tell how much these have received
_UNTOLD[[procedure.id for procedure in PROCEDURES if procedure.name.startswith("MPI_Isendrecv")]] = True

_NO_STREAM = 2**32 + layout.CONSTANTS["NO_STREAM"]
_RECEIVES = layout.CONSTANTS["STREAM_RECEIVES"]
_BROKEN = layout.CONSTANTS["STREAM_BROKEN"]
_UNCERTAIN = layout.CONSTANTS["SIDE_UNCERTAIN"]
_PROBED = layout.CONSTANTS["SIDE_PROBED"]
_NEVER = -1  # no such row


class MessageWaits(NamedTuple):
    """The waits of a world, and what they waited for.

    Attributes:
        waits: `WAIT_COLUMNS`; row n has the id n + 1.
        messages: `MESSAGE_COLUMNS`, of the waits that are known, in their order.
    """

    waits: Columns
    messages: Columns


def join_waits(
    world: Mapping[int, Counters],
    communicator_table: CommunicatorTable,
    regions: Regions,
    clocks: Mapping[int, NodeClock],
) -> MessageWaits:
    """Join the sides of the messages of a world.

    Args:
        world: counters by rank, in the order of the ranks.
        communicator_table: its communicators.
        regions: its regions.
        clocks: of the nodes, by rank.
    """
    have = {rank: counters for rank, counters in world.items() if len(counters.sides)}
    if not have:
        return MessageWaits(
            {name: np.empty(0, np.int64) for name in WAIT_COLUMNS},
            {name: np.empty(0, np.int64) for name in MESSAGE_COLUMNS},
        )
    samples = {
        rank: thinned_out(counters.threads, counters.sides, _MOST_SIDES // len(have))
        for rank, counters in have.items()
    }
    times = common(time_sample(thread) for threads, _ in samples.values() for thread in threads)
    began_anew = {rank: tick for rank, sample in samples.items() if (tick := since(*sample))}
    from_then = max((clocks[rank].at(tick) for rank, tick in began_anew.items()), default=-math.inf)
    halved = _halvings(have, samples)
    first = 0
    streams_of: list[Columns] = []
    sides_of: list[Columns] = []
    for rank, counters in have.items():
        streams_of.append(_streams(rank, counters, communicator_table))
        sides_of.append(
            _sides(
                rank, counters, samples[rank], halved[rank], communicator_table, regions, clocks[rank], first
            )
        )
        began, ticks = sides_of[-1]["began"], sides_of[-1]["began_ticks"]
        sides_of[-1]["stretch"] = np.where(began >= from_then, times.stretches(ticks.view(np.uint64)), -1)
        first += len(counters.streams)
    streams = _concatenated(streams_of)
    sides = _concatenated(sides_of)
    streams = _used(streams, sides)
    pairs = _pairs(streams)
    complete = {rank for rank, counters in world.items() if counters.header.state == "finalized"}
    sides |= _joined_sides(sides, streams, pairs, _agreeing(streams, pairs, complete))
    return _waits(sides, streams)


def _halvings(have: Mapping[int, Counters], samples: Mapping[int, tuple[Rows, Rows]]) -> dict[int, int]:
    """Return of each rank how often it has to have halved its sample by number.

    Of ranks that send each other as much, one may have halved once more by chance: then half of what the
    other one has is of no use.
    """
    own = {
        rank: int(threads["halved"][:, 0].max()) if len(threads) else 0
        for rank, (threads, _) in samples.items()
    }
    strictest = {
        rank: max((own.get(peer, 0) for peer in distinct(counters.streams["peer"]).tolist()), default=0)
        for rank, counters in have.items()
    }
    return {rank: strictest[rank] if strictest[rank] == halvings + 1 else 0 for rank, halvings in own.items()}


def _by_thread(counters: Counters) -> Rows:
    rows = counters.streams
    return rows[np.argsort(rows["thread"], kind="stable")]


def _streams(rank: int, counters: Counters, communicator_table: CommunicatorTable) -> Columns:
    rows = _by_thread(counters)
    receives = (rows["flags"] & _RECEIVES) != 0
    broken = (rows["flags"] & _BROKEN) != 0
    if len(rows) and rows["thread"][0] != rows["thread"][-1]:
        broken |= _repeated(rows)
    peer = rows["peer"].astype(np.int64)
    return {
        "rank": np.full(len(rows), rank, np.int64),
        "communicator": communicator_table.ids_of(rank, rows["communicator"].astype(np.int64)),
        "source": np.where(receives, peer, rank),
        "destination": np.where(receives, rank, peer),
        "tag": rows["tag"].astype(np.int64),
        "receives": receives.astype(np.int64),
        "messages": np.minimum(rows["messages"], LARGEST).astype(np.int64),
        "broken": broken,
    }


def _repeated(rows: Rows) -> NDArray[np.bool_]:
    """Return which streams another thread of the process has, too: the order of their messages is unknown."""
    names = ("communicator", "peer", "tag")
    keys = np.stack([rows[name].astype(np.int64) for name in names] + [rows["flags"] & _RECEIVES], axis=1)
    _, which, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    repeated: NDArray[np.bool_] = counts[which.reshape(-1)] > 1
    return repeated


def _used(streams: Columns, sides: Columns) -> Columns:
    """Leave out streams without any message in the sample; the sides get the new stream numbers."""
    known = sides["stream"] >= 0
    used = distinct(sides["stream"][known])
    sides["stream"] = np.where(known, np.searchsorted(used, sides["stream"]), _NEVER)
    return _chosen(streams, used)


def _sides(
    rank: int,
    counters: Counters,
    sample: tuple[Rows, Rows],
    halved: int,
    communicator_table: CommunicatorTable,
    regions: Regions,
    clock: NodeClock,
    first: int,
) -> Columns:
    """Return the sides of a process, with their stream's number among all; -1 = unknown.

    Args:
        rank: of the process.
        counters: its counters.
        sample: its threads, and what they have kept.
        halved: how often the sample by number was halved, at least.
        communicator_table: the communicators.
        regions: the regions.
        clock: of its node.
        first: number of its first stream.
    """
    own_threads, rows = sample
    rows = rows[(rows["number"] < LARGEST) & (rows["bytes"] <= LARGEST) & (rows["ended"] >= rows["began"])]
    procedure = part(rows["key"], "CALLS", "PROCEDURE")
    waits = (rows["began"] != 0) & _WAITS[procedure]
    threads = _by_thread(counters)["thread"]
    begin, end = (np.searchsorted(threads, rows["thread"], side) for side in ("left", "right"))
    place = begin + rows["stream"].astype(np.int64)
    known = (rows["stream"] != _NO_STREAM) & (place < end)
    return {
        "rank": np.full(len(rows), rank, np.int64),
        "thread": rows["thread"].astype(np.int64),
        "group": np.full(len(rows), clock.group, np.int64),
        "stream": np.where(known, first + place, _NEVER),
        "number": rows["number"].astype(np.int64),
        "bytes": rows["bytes"].astype(np.int64),
        "posted": clock.of(rows["posted"]),
        "posted_by": np.where(_RECORDED[rows["procedure"] % _NUMBERS], rows["procedure"], 0).astype(np.int64),
        "began_ticks": rows["began"].astype(np.int64),
        "began": clock.of(rows["began"]),
        "ended": clock.of(rows["ended"]),
        "waits": waits,
        "messages": rows["messages"].astype(np.int64),
        "by_number": by_number(rows["number"], np.maximum(halved_of(own_threads, rows), halved)),
        "uncertain": (rows["flags"] & _UNCERTAIN) != 0,
        "probed": (rows["flags"] & _PROBED) != 0,
        "procedure": np.where(waits, procedure, 0),
        "communicator": communicator_table.ids_of(rank, part(rows["key"], "CALLS", "COMMUNICATOR")),
        "region": own_ids(
            regions.ids[rank], part(rows["key"], "CALLS", "REGION"), layout.CONSTANTS["REGION_OTHER"]
        ),
    }


def _concatenated(parts: list[Columns]) -> Columns:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _chosen(rows: Columns, which: NDArray[Any]) -> Columns:
    return {name: column[which] for name, column in rows.items()}


def _pairs(streams: Columns) -> NDArray[np.int64]:
    """Number the streams so that the two sides of one have the same number."""
    names = ("communicator", "source", "destination", "tag")
    if not len(streams["rank"]):
        return np.empty(0, np.int64)
    _, pairs = np.unique(np.stack([streams[name] for name in names], axis=1), axis=0, return_inverse=True)
    return pairs.reshape(-1).astype(np.int64)


def _agreeing(streams: Columns, pairs: NDArray[np.int64], complete: set[int]) -> NDArray[np.bool_]:
    """Return for each pair of sides whether both exist once, with equal counts if both came to their end."""
    count = int(pairs.max()) + 1 if len(pairs) else 0
    good = np.ones(count, bool)
    there = [np.bincount(pairs[streams["receives"] == side], minlength=count) for side in (0, 1)]
    good &= (there[0] == 1) & (there[1] == 1)
    bad = streams["broken"] | (streams["communicator"] < FIRST)
    good[pairs[bad]] = False
    ended = np.isin(streams["rank"], list(complete))
    both_ended = np.ones(count, bool)
    both_ended[pairs[~ended]] = False
    signs = np.where(streams["receives"] == 1, -1, 1)
    difference = np.zeros(count, np.int64)
    np.add.at(difference, pairs, signs * streams["messages"])
    agreeing: NDArray[np.bool_] = good & (~both_ended | (difference == 0))
    return agreeing


def _joined_sides(
    sides: Columns, streams: Columns, pairs: NDArray[np.int64], good: NDArray[np.bool_]
) -> Columns:
    """Return of each side the place of the other one, -1 if that is not certain, and whether it sends."""
    count = len(sides["rank"])
    other = np.full(count, _NEVER, np.int64)
    has_stream = sides["stream"] >= 0
    receives = np.zeros(count, bool)
    receives[has_stream] = streams["receives"][sides["stream"][has_stream]] == 1
    usable = has_stream & ~sides["uncertain"]
    usable[has_stream] &= good[pairs[sides["stream"][has_stream]]]
    places = np.flatnonzero(usable)
    if len(places):
        keys = np.stack([pairs[sides["stream"][places]], sides["number"][places]], axis=1)
        unique, which = np.unique(keys, axis=0, return_inverse=True)
        which = which.reshape(-1)
        post = ~sides["probed"][places]  # (a probe posts nothing)
        sent, received = (
            _only(which[mask], places[mask], len(unique))
            for mask in (post & ~receives[places], post & receives[places])
        )
        other[places] = np.where(receives[places], sent[which], received[which])
        # Correct numbers lead to messages of the same size. (Some sizes are unknown.)
        bytes_told = ~_UNTOLD[sides["posted_by"][places]] & post
        with_other = (other[places] >= 0) & bytes_told & ~_UNTOLD[sides["posted_by"][other[places]]]
        differ = with_other & (sides["bytes"][places] != sides["bytes"][other[places]])
        wrong = np.isin(keys[:, 0], keys[differ, 0])
        other[places[wrong]] = _NEVER
        clocked = other[places] >= 0
        same = sides["group"][places] == sides["group"][np.maximum(other[places], 0)]
        other[places[clocked & ~same]] = _NEVER
    return {"other": other, "sends": has_stream & ~receives}


def _only(keys: NDArray[np.int64], places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the place of each key, -1 for a missing or repeated one."""
    places_of_keys = np.full(count, _NEVER, np.int64)
    places_of_keys[keys] = places
    places_of_keys[np.bincount(keys, minlength=count) != 1] = _NEVER
    return places_of_keys


def _waits(sides: Columns, streams: Columns) -> MessageWaits:
    rows = np.flatnonzero(sides["waits"])
    keys = np.stack([sides[name][rows] for name in ("rank", "thread", "began_ticks")], axis=1)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    kept = rows[first]
    messages = sides["messages"][kept]
    there, sampled, certain = (
        np.bincount(which, weights=column[rows], minlength=len(first)).astype(np.int64)
        for column in (sides["messages"] > 0, sides["by_number"], sides["other"] >= 0)
    )
    known = (messages > 0) & (certain == messages) & (there == messages)
    order = np.lexsort((sides["began"][kept], sides["rank"][kept]))
    new = np.empty(len(order), np.int64)
    new[order] = np.arange(len(order))
    waits: Columns = {name: sides[name][kept][order] for name in (*WAIT_COLUMNS[:7], "stretch")}
    waits["sampled"] = np.minimum(sampled, np.maximum(messages, 1))[order]
    waits["known"] = known[order].astype(np.int64)
    theirs = known[which]
    rows, wait = rows[theirs], new[which[theirs]] + 1
    order = np.argsort(wait, kind="stable")
    rows, wait = rows[order], wait[order]
    stream, other = sides["stream"][rows], sides["other"][rows]
    columns: Columns = {
        "wait": wait,
        **{name: streams[name][stream] for name in ("source", "destination", "communicator", "tag")},
        "number": sides["number"][rows],
        "bytes": sides["bytes"][rows],
        "sends": sides["sends"][rows].astype(np.int64),
        "procedure": sides["posted_by"][rows],
        "posted": sides["posted"][rows],
        "other_procedure": sides["posted_by"][other],
        "other_posted": sides["posted"][other],
    }
    return MessageWaits(waits, {name: columns[name] for name in MESSAGE_COLUMNS})
