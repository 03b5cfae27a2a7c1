"""What another order of MPI_COMM_WORLD than the launcher's has changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from rankwise.analysis.messages.kinds import BY_OPTION
from rankwise.records import dataclass

_KINDS = BY_OPTION["all"]


@dataclass(frozen=True)
class WorldOrder:
    """An order that Rankwise gave MPI_COMM_WORLD (`rankwise run --place`).

    Attributes:
        ranks: of the world.
        moved: ranks that are another process than in the launcher's order.
        bytes_off_node: counted, of all messages between nodes, also inside collectives; None = unknown.
        bytes_off_node_as_launched: of the same messages, if the ranks were in the launcher's order:
            calculated; None = unknown.
    """

    ranks: int
    moved: int
    bytes_off_node: int | None
    bytes_off_node_as_launched: int | None


def world_order(connection: sqlite3.Connection) -> WorldOrder | None:
    """Return the order of MPI_COMM_WORLD; None = it is the launcher's, or unknown."""
    launched = dict(connection.execute("SELECT rank, launcher_rank FROM launcher_ranks").fetchall())
    if not launched:
        return None
    hosts = dict(connection.execute("SELECT rank, host FROM ranks").fetchall())
    (ranks,) = connection.execute("SELECT ranks_expected FROM run").fetchone()
    moved = sum(rank != its_rank for rank, its_rank in launched.items())
    if not all(_is_whole(numbers, ranks) for numbers in (hosts, launched, launched.values())):
        return WorldOrder(ranks, moved, None, None)
    as_launched = {its_rank: hosts[rank] for rank, its_rank in launched.items()}
    counted = calculated = 0
    for source, destination, size in connection.execute(
        f"SELECT source, destination, bytes FROM messages WHERE kind IN ({', '.join('?' * len(_KINDS))})",
        _KINDS,
    ):
        if source in hosts and destination in hosts:
            counted += size * (hosts[source] != hosts[destination])
            calculated += size * (as_launched[source] != as_launched[destination])
    return WorldOrder(ranks, moved, counted, calculated)


def _is_whole(numbers: Collection[int], ranks: int) -> bool:
    return len(numbers) == ranks and set(numbers) == set(range(ranks))
