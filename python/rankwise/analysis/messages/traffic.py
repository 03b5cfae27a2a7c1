"""The traffic of a run and the places of its ranks: the input of a placement."""

from __future__ import annotations

import sqlite3

import numpy as np
from numpy.typing import ArrayLike

from rankwise.analysis.messages.kinds import BY_OPTION, SENTENCE
from rankwise.cpulist import cpu_list
from rankwise.errors import RankwiseError
from rankwise.profile.store import database
from rankwise.records import dataclass

MOST_RANKS = database.MOST_RANKS
"""Largest size of a world."""


@dataclass(frozen=True)
class Traffic:
    """Traffic between ranks: E entries in any order; entries of the same pair add up, in both directions.

    Attributes:
        ranks: number of ranks.
        source, destination: shape (E,).
        bytes: shape (E,), not negative.
        messages: number, shape (E,), not negative; None if they cost nothing.
    """

    ranks: int
    source: ArrayLike
    destination: ArrayLike
    bytes: ArrayLike
    messages: ArrayLike | None = None


@dataclass(frozen=True)
class RunTraffic:
    """The traffic between the ranks of a run.

    Attributes:
        traffic: between different ranks of the world; one entry for each direction of a pair.
        messages: their number.
        bytes: of these messages.
        unplaced_messages: number from or to processes that are unknown or not in the world.
        unplaced_bytes: from or to processes that are unknown or not in the world.
    """

    traffic: Traffic
    messages: int
    bytes: int
    unplaced_messages: int
    unplaced_bytes: int


@dataclass(frozen=True)
class Whereabouts:
    """Where the ranks were.

    Attributes:
        hosts: host of each rank; None = unknown.
        cpus: allowed processors of each rank; empty = unknown.
    """

    hosts: tuple[str | None, ...]
    cpus: tuple[tuple[int, ...], ...]


def run_traffic(connection: sqlite3.Connection, kind: str = "all") -> RunTraffic:
    """Add up the messages between ranks.

    Args:
        connection: the profile.
        kind: of the messages, one of kinds.BY_OPTION.

    Raises:
        RankwiseError: there are no messages, so no placement is better than another.
    """
    kinds = BY_OPTION[kind]
    ranks = ranks_expected(connection)
    rows = connection.execute(
        "SELECT source, destination, SUM(messages), SUM(bytes) FROM messages"
        f" WHERE kind IN ({', '.join('?' * len(kinds))}) AND source <> destination"
        " GROUP BY source, destination ORDER BY source, destination",
        kinds,
    ).fetchall()
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    inside = ((table[:, :2] >= 0) & (table[:, :2] < ranks)).all(axis=1)
    placed, unplaced = table[inside], table[~inside]
    if not len(placed):
        raise RankwiseError(
            f"the profile has no {SENTENCE[kind]} between ranks, so all placements are equivalent; "
            "`rankwise show F.rankwise --by collective` shows what was recorded"
        )
    source, destination, messages, sizes = placed.T
    return RunTraffic(
        Traffic(ranks, source, destination, sizes, messages),
        sum(messages.tolist()),
        sum(sizes.tolist()),
        sum(unplaced[:, 2].tolist()),
        sum(unplaced[:, 3].tolist()),
    )


def whereabouts(connection: sqlite3.Connection) -> Whereabouts:
    """Return the host and processors of each rank of the world."""
    ranks = ranks_expected(connection)
    hosts: list[str | None] = [None] * ranks
    cpus: list[tuple[int, ...]] = [()] * ranks
    for rank, host, allowed in connection.execute("SELECT rank, host, cpus_allowed FROM ranks"):
        if 0 <= rank < ranks:
            hosts[rank], cpus[rank] = host, cpu_list(allowed)
    return Whereabouts(tuple(hosts), tuple(cpus))


def ranks_expected(connection: sqlite3.Connection) -> int:
    """Return the number of ranks in the world."""
    (ranks,) = connection.execute("SELECT ranks_expected FROM run").fetchone()
    return int(ranks)
