"""Messages between the ranks of a run, by the calls that send them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.calls.procedures import procedure_ids
from rankwise.analysis.collectives.asked import Collective, hidden_collectives
from rankwise.analysis.messages.kinds import IN_COLLECTIVE, KINDS
from rankwise.analysis.messages.traffic import ranks_expected

_COLUMNS = 5
# A group packed into one number: communicator, procedure, kind.
_PROCEDURES, _KINDS = 1 << 11, 1 << 2


@dataclass(frozen=True)
class Group:
    """Messages of one kind that one procedure sent on one communicator.

    Attributes:
        communicator: name, as the profile has it; (none), (several), (other) if it is none in particular.
        family: of the communicator.
        user_name: of the communicator, '' if the program set none.
        procedure: name; (not attributed) for messages inside collectives whose call is unknown.
        kind: one of kinds.KINDS.
    """

    communicator: str
    family: str
    user_name: str
    procedure: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class Flows:
    """Messages between different ranks of the world: E entries, each with a source, a destination and a
    group.

    Attributes:
        ranks: number of ranks in the world.
        source, destination: shape (E,), int32: world ranks, entries ascending by them.
        group: shape (E,), int32: index into `groups`.
        bytes, messages: shape (E,), int64.
        groups: that have messages; most bytes first.
        only: the procedures that were asked for, sorted; empty = all.
        kinds: of messages that were asked for.
        unplaced_messages: from or to processes that are not ranks of the world, or unknown.
        unplaced_bytes: the bytes of these messages.
        hidden: selected collectives, each on one communicator, whose messages are not all visible. The
            network carries more than these entries; `visibility` of each says why.
    """

    ranks: int
    source: NDArray[np.int32]
    destination: NDArray[np.int32]
    group: NDArray[np.int32]
    bytes: NDArray[np.int64]
    messages: NDArray[np.int64]
    groups: tuple[Group, ...]
    only: tuple[str, ...]
    kinds: tuple[str, ...]
    unplaced_messages: int
    unplaced_bytes: int
    hidden: tuple[Collective, ...]

    def __len__(self) -> int:
        return len(self.source)


def flows(connection: sqlite3.Connection, only: Sequence[str] = (), kinds: Collection[str] = KINDS) -> Flows:
    """Read the messages between ranks by the calls that sent them.

    Messages of a rank to itself are left out: they never leave its process.

    Args:
        connection: the profile, or a part of it (analysis.selection).
        only: procedures, with or without MPI_, in any case; all if empty.
        kinds: of messages, some of kinds.KINDS.

    Raises:
        RankwiseError: there is no such procedure, or there are too many ranks.
    """
    chosen = procedure_ids(connection, only)
    kept = [kind for kind in KINDS if kind in kinds]
    ranks = ranks_expected(connection)
    table = _messages(connection, list(chosen), kept)
    inside = ((table[:, :2] >= 0) & (table[:, :2] < ranks)).all(axis=1)
    placed, unplaced = table[inside], table[~inside]
    source, destination, keys, messages, sizes = placed.T
    group, groups = _groups(connection, keys, sizes)
    hidden = hidden_collectives(connection, chosen.values()) if IN_COLLECTIVE in kept else []
    return Flows(
        ranks=ranks,
        source=source.astype(np.int32),
        destination=destination.astype(np.int32),
        group=group,
        bytes=sizes.copy(),
        messages=messages.copy(),
        groups=groups,
        only=tuple(sorted(chosen.values())),
        kinds=tuple(kept),
        unplaced_messages=sum(unplaced[:, 3].tolist()),
        unplaced_bytes=sum(unplaced[:, 4].tolist()),
        hidden=tuple(hidden),
    )


def _messages(connection: sqlite3.Connection, procedures: list[int], kinds: list[str]) -> NDArray[np.int64]:
    """Return rows: source, destination, number of the group, messages, bytes."""
    numbers = " ".join(f"WHEN '{kind}' THEN {number}" for number, kind in enumerate(KINDS))
    chosen = f" AND procedure IN ({', '.join(map(str, procedures))})" if procedures else ""
    rows = connection.execute(
        "SELECT source, destination,"
        f" (communicator * {_PROCEDURES} + procedure) * {_KINDS} + CASE kind {numbers} END, messages, bytes"
        f" FROM messages WHERE source <> destination AND kind IN ({', '.join('?' * len(kinds))}){chosen}"
        " ORDER BY source, destination",
        kinds,
    )
    table = np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, _COLUMNS)
    if (table[:, 3:] < 0).any():
        raise ValueError("fewer messages than none")
    return table


def _groups(
    connection: sqlite3.Connection, keys: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int32], tuple[Group, ...]]:
    """Return the group of each entry, and the groups.

    Args:
        connection: the profile.
        keys: shape (E,): numbers of groups, as `_messages` makes them.
        sizes: shape (E,): bytes.
    """
    distinct_keys = np.unique(keys)
    of_entry = np.searchsorted(distinct_keys, keys)  # quick, for there are few
    order = np.argsort(-np.bincount(of_entry, sizes, len(distinct_keys)), kind="stable")
    place = np.empty(len(distinct_keys), np.int32)
    place[order] = np.arange(len(distinct_keys), dtype=np.int32)
    communicators = {
        key: names
        for key, *names in connection.execute("SELECT id, name, family, user_name FROM communicators")
    }
    procedures = dict(connection.execute("SELECT id, name FROM procedures").fetchall())
    groups = []
    for key in distinct_keys[order].tolist():
        call, kind = divmod(key, _KINDS)
        communicator, procedure = divmod(call, _PROCEDURES)
        name, family, user_name = communicators[communicator]
        groups.append(Group(name, family, user_name, procedures[procedure], KINDS[kind]))
    return place[of_entry], tuple(groups)
