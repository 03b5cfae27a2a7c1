"""The traffic as a matrix of ranks or of nodes."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.collectives.asked import count_hidden
from rankwise.analysis.messages import kinds
from rankwise.records import dataclass

ENDS = ("rank", "node")
MEASURES = ("bytes", "messages")
KINDS = tuple(kinds.BY_OPTION)


@dataclass(frozen=True)
class Cell:
    """Messages from one end to another: world ranks, or positions in the list of nodes."""

    source: int
    destination: int
    messages: int
    bytes: int


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """The messages of a run.

    Attributes:
        ends: rank or node.
        kind: of the messages, one of `KINDS`.
        size: number of rows and of columns.
        nodes: names, in the order of the rows; empty for ranks.
        cells: nonempty cells, in the order of the rows.
        unplaced_messages: number from or to processes without a row.
        unplaced_bytes: from or to processes without a row.
        hidden_collectives: number of pairs of a collective and a communicator with invisible messages; 0 if
            `kind` excludes collectives.
    """

    ends: str
    kind: str
    size: int
    nodes: list[str]
    cells: list[Cell]
    unplaced_messages: int
    unplaced_bytes: int
    hidden_collectives: int


def matrix(connection: sqlite3.Connection, ends: str, kind: str = "all") -> Matrix:
    """Add up the messages between ranks, or between nodes.

    Args:
        connection: the profile.
        ends: one of `ENDS`.
        kind: one of `KINDS`.
    """
    nodes, places = _nodes(connection) if ends == "node" else ([], {})
    (size,) = connection.execute("SELECT ranks_expected FROM run").fetchone()
    size = len(nodes) if ends == "node" else size
    chosen = kinds.BY_OPTION[kind]
    sums: dict[tuple[int, int], tuple[int, int]] = {}
    unplaced_messages = unplaced_bytes = 0
    for source, destination, messages, volume in connection.execute(
        "SELECT source, destination, SUM(messages), SUM(bytes) FROM messages"
        f" WHERE kind IN ({', '.join('?' * len(chosen))}) GROUP BY source, destination",
        chosen,
    ):
        start, end = (places.get(rank, -1) if ends == "node" else rank for rank in (source, destination))
        if 0 <= start < size and 0 <= end < size:
            before = sums.get((start, end), (0, 0))
            sums[start, end] = (before[0] + messages, before[1] + volume)
        else:
            unplaced_messages += messages
            unplaced_bytes += volume
    cells = [Cell(*ends_of, *amounts) for ends_of, amounts in sorted(sums.items())]
    return Matrix(
        ends=ends,
        kind=kind,
        size=size,
        nodes=nodes,
        cells=cells,
        unplaced_messages=unplaced_messages,
        unplaced_bytes=unplaced_bytes,
        hidden_collectives=count_hidden(connection) if kinds.IN_COLLECTIVE in chosen else 0,
    )


def _nodes(connection: sqlite3.Connection) -> tuple[list[str], dict[int, int]]:
    """Return the hosts in the order of their first ranks, and the position of each rank's host."""
    hosts: dict[str, int] = {}
    places = {}
    for rank, host in connection.execute("SELECT rank, host FROM main.ranks ORDER BY rank"):
        places[rank] = hosts.setdefault(host, len(hosts))
    return list(hosts), places
