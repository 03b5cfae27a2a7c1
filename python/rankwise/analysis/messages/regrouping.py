"""How many bytes a simple reordering of the ranks would keep on their nodes.

Nodes are filled one after another, the largest first: with the next rank, then repeatedly with the rank that
exchanges the most bytes with the ranks already there. `rankwise map` searches better, and knows the machine.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict

from rankwise.analysis.messages.kinds import OF_THE_PROGRAM
from rankwise.records import dataclass

MOST_PAIRS = 200_000
"""Largest number of pairs that exchange messages: more take too long."""


@dataclass(frozen=True)
class Regrouping:
    """The bytes of the program's own messages between ranks with known nodes.

    Attributes:
        bytes: of all these messages.
        off_node_bytes: bytes that leave their nodes.
        off_node_bytes_then: bytes that leave their nodes after reordering, with the same number of ranks on
            each node; never more.
    """

    bytes: int
    off_node_bytes: int
    off_node_bytes_then: int


def regrouping(connection: sqlite3.Connection) -> Regrouping | None:
    """Return the effect of a simple reordering; None for more than `MOST_PAIRS` pairs."""
    now: dict[int, str] = dict(connection.execute("SELECT rank, host FROM ranks ORDER BY rank").fetchall())
    rows = connection.execute(
        f"SELECT source, destination, SUM(bytes) FROM messages WHERE kind IN {OF_THE_PROGRAM}"
        " AND source <> destination GROUP BY source, destination LIMIT ?",
        (MOST_PAIRS + 1,),
    ).fetchall()
    if len(rows) > MOST_PAIRS:
        return None
    pairs = [(first, second, size) for first, second, size in rows if first in now and second in now]
    between: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for first, second, size in pairs:
        between[first][second] += size
        between[second][first] += size
    then: dict[int, str] = {}
    by_rank = iter(now)
    for host, number in Counter(now.values()).most_common():
        attraction: Counter[int] = Counter()
        for _ in range(number):
            closest = max(attraction, key=lambda rank: (attraction[rank], -rank), default=None)
            rank = next(rank for rank in by_rank if rank not in then) if closest is None else closest
            then[rank] = host
            attraction.pop(rank, None)
            attraction.update({other: size for other, size in between[rank].items() if other not in then})
    everything = sum(size for *_, size in pairs)
    off_now, off_then = (
        sum(size for first, second, size in pairs if where[first] != where[second]) for where in (now, then)
    )
    return Regrouping(everything, off_now, min(off_now, off_then))
