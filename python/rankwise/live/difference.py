"""Calls and messages of a world's processes between two instants, all in one table.

The difference is computed process by process, by the process's keys. The keys are translated afterwards, so
it does not matter that communicators are renumbered when new ones appear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.live.process import PROCEDURE_BITS, Process
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.layout import names_of
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.rows import Rows
from rankwise.profile.join.communicators import CommunicatorTable
from rankwise.profile.join.peers import Peers

KINDS = tuple(name.replace("_", "-") for _, name in sorted(names_of("message_kind").items()))
_FETCH = KINDS.index("one-sided-fetch")  # from the peer to the process that counted it
_COUNTED = np.array(
    [procedure.id for procedure in PROCEDURES if procedure.class_name != "environment"], np.int64
)
"""All but MPI_Init and MPI_Finalize."""
_CALL_COLUMNS = ("calls", "bytes_sent", "bytes_received", "seconds")
_MESSAGE_COLUMNS = ("messages", "bytes")

Column = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Calls and messages of a world between two instants; the columns of each of the two have one length.

    Attributes:
        run: seconds of each rank in between, after MPI_Init and before MPI_Finalize, times its threads that
            call MPI: the most that they can have been in MPI.
        rank, communicator, procedure: of the calls; communicators by their id in `communicator_table`.
        calls, bytes_sent, bytes_received, seconds: including the time of calls that have not ended.
        source, destination: of the messages, world ranks; for others as in rankwise.profile.join.peers.
        kind: index into KINDS, with "one-sided" also for fetched data.
        messages, bytes: their numbers.
    """

    run: Mapping[int, float]
    rank: Column
    communicator: Column
    procedure: Column
    calls: Column
    bytes_sent: Column
    bytes_received: Column
    seconds: Column
    source: Column
    destination: Column
    kind: Column
    messages: Column
    bytes: Column


def difference(
    earlier: Mapping[str, Process],
    later: Mapping[int, Process],
    communicator_table: CommunicatorTable,
    peers: Peers,
) -> Difference:
    """Return calls and messages between two instants.

    Args:
        earlier: processes by the name of their file; missing ones had not begun, so an empty mapping means
            since the start.
        later: the processes of a world by rank.
        communicator_table: communicators of the later instant.
        peers: by their numbers in the keys of messages.
    """
    run: dict[int, float] = {}
    calls, messages = _empty(_CALL_COLUMNS), _empty(_MESSAGE_COLUMNS)
    for rank, process in later.items():
        before = earlier.get(process.counters.path.name)
        # From before one reading to after the other: the rows are of instants in between.
        lived = process.run(process.counted_ns) - (before.run(before.before_ns) if before else 0.0)
        run[rank] = max(lived, 0.0) * max(len(process.counters.threads), 1)
        called = _grown(before.calls if before else None, process.calls, _CALL_COLUMNS)
        keys = called["key"].astype(np.int64)
        procedures = keys & (1 << PROCEDURE_BITS) - 1
        _append(
            calls,
            np.isin(procedures, _COUNTED),
            np.full(len(keys), rank),
            communicator_table.ids_of(rank, keys >> PROCEDURE_BITS),
            procedures,
            *(called[name] for name in _CALL_COLUMNS),
        )
        sent = _grown(
            before.counters.messages if before else None, process.counters.messages, _MESSAGE_COLUMNS
        )
        kinds = part(sent["key"], "MESSAGES", "KIND")
        others = peers.known(rank, part(sent["key"], "MESSAGES", "PEER"))
        fetched = kinds == _FETCH
        _append(
            messages,
            kinds < len(KINDS),
            np.where(fetched, others, rank),
            np.where(fetched, rank, others),
            np.where(fetched, KINDS.index("one-sided"), kinds),
            *(sent[name] for name in _MESSAGE_COLUMNS),
        )
    return Difference(
        run=run,
        **_whole(("rank", "communicator", "procedure", *_CALL_COLUMNS), calls),
        **_whole(("source", "destination", "kind", *_MESSAGE_COLUMNS), messages),
    )


def _whole(names: tuple[str, ...], table: list[list[Column]]) -> dict[str, Column]:
    """Return the joined columns of a table, by name."""
    return {name: np.concatenate(pieces) for name, pieces in zip(names, table, strict=True)}


def _empty(columns: tuple[str, ...]) -> list[list[Column]]:
    """Return a table of three key columns, and the columns that count."""
    return [[np.empty(0, np.int64)] for _ in range(3)] + [[np.empty(0)] for _ in columns]


def _append(table: list[list[Column]], known: Column, *columns: Column) -> None:
    for pieces, column in zip(table, columns, strict=True):
        pieces.append(column[known])


def _grown(before: Rows | None, after: Rows, columns: tuple[str, ...]) -> Rows:
    """Return how much rows have grown, without those that have not. Both are in the order of their keys.

    A process counts while it is read, and corrects itself: a smaller count has not grown.
    """
    grown = np.zeros(len(after), [("key", np.uint64), *((name, np.float64) for name in columns)])
    grown["key"] = after["key"]
    known = np.zeros(0, np.intp)
    if before is not None and len(before) and len(after):
        places = np.minimum(np.searchsorted(before["key"], after["key"]), len(before) - 1)
        known = np.flatnonzero(before["key"][places] == after["key"])
    any_grown = np.zeros(len(after), bool)
    for name in columns:
        grown[name] = after[name].astype(np.float64)
        if before is not None and len(known):
            grown[name][known] -= before[name][places[known]].astype(np.float64)
        np.maximum(grown[name], 0.0, out=grown[name])
        any_grown |= grown[name] > 0
    rows: Rows = grown[any_grown]
    return rows
