"""Joins what the processes kept of the messages inside collectives: one matrix for each shape of call.

A shape is a communicator, a procedure, a root and a size. All members count its calls in the same way, so
that they keep the messages of the same calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

import numpy as np

from rankwise.profile.collect import layout
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.communicators import FIRST, WORLD, Communicator, CommunicatorTable
from rankwise.profile.join.peers import IMPOSSIBLE, Peers
from rankwise.records import dataclass

_COLLECTIVES = frozenset(
    procedure.id for procedure in PROCEDURES if procedure.class_name in ("collective", "neighbourhood")
)
_MOST_KEPT = layout.CONSTANTS["MOST_KEPT_CALLS"]
_VARIES = 2**64 + layout.CONSTANTS["SIZE_VARIES"]
_LARGEST = 2**63 - 1  # that SQLite stores
_AT_THE_END = ("finalizing", "finalized")


class Shape(NamedTuple):
    """What the calls of one pattern have in common.

    Attributes:
        communicator: id in the profile.
        procedure: its number.
        root: rank in the communicator; None = none.
        size: bytes of the message; None = differs by process.
    """

    communicator: int
    procedure: int
    root: int | None
    size: int | None


_Row = tuple[int, int, int, int]  # call, peer (a world rank, or a special peer), messages, bytes


@dataclass
class _Part:
    """What one process knows of a shape.

    Attributes:
        rank: world rank.
        calls: of the shape.
        left: calls that have surely been left.
        kept: the messages of the calls 1 to this one were kept.
        whole: no message was lost, and all that the hook can see were seen.
        rows: the messages.
    """

    rank: int
    calls: int
    left: int
    kept: int
    whole: bool
    rows: list[_Row] = field(default_factory=list)


@dataclass
class Pattern:
    """The messages of one call of a collective.

    Attributes:
        shape: of the call.
        calls: of this shape, on the process with the most.
        kept_call: its number, from 1; 0 = no call with the messages of all members.
        complete: whether every member of the communicator recorded the whole call.
        messages: messages and bytes by source and destination, ranks in the communicator.
    """

    shape: Shape
    calls: int
    kept_call: int = 0
    complete: bool = False
    messages: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Patterns:
    """The patterns of a world.

    Attributes:
        found: in the order of their shapes.
        unknown: for each rank, the records passed over because they can't be true.
    """

    found: list[Pattern]
    unknown: dict[int, int]


def join_patterns(
    world: Mapping[int, Counters], communicator_table: CommunicatorTable, peers: Peers
) -> Patterns:
    """Join the patterns of the processes of a world.

    Args:
        world: counters by rank.
        communicator_table: its communicators.
        peers: of the messages.
    """
    communicators = {row.id: row for row in communicator_table.rows}
    by_shape: dict[Shape, list[_Part]] = {}
    unknown: dict[int, int] = {}
    for rank, counters in world.items():
        if not len(counters.patterns) and not len(counters.pattern_rows):
            continue
        parts = _parts(rank, counters, communicator_table, communicators)
        damaged = sum(part is None for part in parts) + _add_rows(rank, counters, parts, peers)
        unknown[rank] = damaged
        for shape, part in filter(None, parts):
            if shape.communicator >= FIRST:  # "other" is several communicators
                by_shape.setdefault(shape, []).append(part)
    ordered = sorted(by_shape, key=lambda shape: tuple(-1 if part is None else part for part in shape))
    patterns = [
        _pattern(shape, by_shape[shape], communicators[shape.communicator], communicator_table)
        for shape in ordered
    ]
    return Patterns(patterns, unknown)


def _parts(
    rank: int,
    counters: Counters,
    communicator_table: CommunicatorTable,
    communicators: Mapping[int, Communicator],
) -> list[tuple[Shape, _Part] | None]:
    """Return each pattern of a process as far as it is known; None = can't be true."""
    rows, header = counters.patterns, counters.header
    ids = communicator_table.ids_of(rank, rows["communicator"].astype(np.int64)).tolist()
    numbers = (rows[name].tolist() for name in ("procedure", "root", "size", "calls", "kept", "lost"))
    parts: list[tuple[Shape, _Part] | None] = []
    for communicator, procedure, root, size, calls, kept, lost in zip(ids, *numbers, strict=True):
        row = communicators[communicator]
        most = max(row.size, row.remote_size)
        if (
            procedure not in _COLLECTIVES
            or not (root < most or communicator < FIRST)
            or not (size <= _LARGEST or size == _VARIES)
            or not 0 < calls <= _LARGEST
            or kept > _MOST_KEPT
        ):
            parts.append(None)
            continue
        shape = Shape(communicator, procedure, root if root >= 0 else None, size if size != _VARIES else None)
        finished_calls = calls if header.state in _AT_THE_END else calls - 1
        whole = lost == 0 and header.transport_state == "active"
        parts.append((shape, _Part(rank, calls, finished_calls, kept, whole)))
    return parts


def _add_rows(
    rank: int, counters: Counters, parts: Sequence[tuple[Shape, _Part] | None], peers_of: Peers
) -> int:
    """Give each pattern of a process its messages; return how many rows can't be true."""
    rows = counters.pattern_rows
    peers = peers_of.known(rank, rows["peer"].astype(np.int64)).tolist()
    numbers = (rows[name].tolist() for name in ("pattern", "call", "messages", "bytes"))
    damaged = 0
    for peer, pattern, call, messages, size in zip(peers, *numbers, strict=True):
        part = parts[pattern] if pattern < len(parts) else None
        if (
            part is None
            or peer == IMPOSSIBLE
            or not 1 <= call <= _MOST_KEPT
            or max(messages, size) > _LARGEST
        ):
            damaged += 1
        else:
            part[1].rows.append((call, peer, messages, size))
    return damaged


def _pattern(
    shape: Shape, parts: Sequence[_Part], communicator: Communicator, communicator_table: CommunicatorTable
) -> Pattern:
    """Put together what the processes know of a shape."""
    pattern = Pattern(shape, max(part.calls for part in parts))
    if communicator.remote_size:  # two groups: a rank does not identify a process
        return pattern
    pattern.kept_call = min(part.kept for part in parts)
    known, place_of = _positions(shape.communicator, communicator, communicator_table)
    pattern.complete = (
        pattern.kept_call > 0
        and len(parts) == len({part.rank for part in parts}) == known == communicator.size
        and all(part.whole and part.left >= pattern.kept_call for part in parts)
    )
    for part in parts:
        source = place_of(part.rank)
        for call, peer, number, volume in part.rows:
            if call != pattern.kept_call:
                continue
            destination = place_of(peer)
            if source is None or destination is None:
                pattern.complete = False
                continue
            messages, size = pattern.messages.get((source, destination), (0, 0))
            pattern.messages[source, destination] = (
                min(messages + number, _LARGEST),
                min(size + volume, _LARGEST),
            )
    return pattern


def _positions(
    number: int, communicator: Communicator, communicator_table: CommunicatorTable
) -> tuple[int, Callable[[int], int | None]]:
    """Return how many members of a communicator are known, and what gives the place of a world rank there."""
    if number == WORLD:
        # No list of them: where the size is damaged, it may be large.
        return communicator.size, lambda rank: rank if 0 <= rank < communicator.size else None
    places = {rank: place for place, rank in communicator_table.groups[number].items()}
    return len(places), places.get
