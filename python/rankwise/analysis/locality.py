"""How many of the bytes leave the node."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from rankwise.analysis.percent import percent

# The messages that the program itself sends and fetches, each with the hosts of its ends.
PLACED_MESSAGES = (
    "messages LEFT JOIN ranks AS sender ON sender.rank = messages.source"
    " LEFT JOIN ranks AS receiver ON receiver.rank = messages.destination"
    " WHERE messages.kind IN ('point-to-point', 'one-sided')"
)
# A host is NULL, and both comparisons with it too, where an end is not known.
PLACED_BYTES = (
    "COALESCE(SUM(CASE WHEN sender.host = receiver.host THEN messages.bytes END), 0),"
    " COALESCE(SUM(CASE WHEN sender.host <> receiver.host THEN messages.bytes END), 0),"
    " COALESCE(SUM(CASE WHEN sender.host IS NULL OR receiver.host IS NULL THEN messages.bytes END), 0)"
)


@dataclass(frozen=True)
class Locality:
    """Bytes of the program's own messages, point-to-point and one-sided, by where they go.

    Attributes:
        kinds: of messages that there are.
        bytes_on_node: between ranks of the same host.
        bytes_off_node: between ranks of different hosts.
        bytes_unplaced: from or to ranks whose host is not known.
        off_node_percent_of_message_bytes: `bytes_off_node` of the three's sum.
    """

    kinds: list[str]
    messages: int
    bytes_on_node: int
    bytes_off_node: int
    bytes_unplaced: int
    off_node_percent_of_message_bytes: float


def locality(connection: sqlite3.Connection) -> Locality:
    """Return how many bytes of the program's own messages leave the node."""
    kinds = [kind for (kind,) in connection.execute(f"SELECT DISTINCT messages.kind FROM {PLACED_MESSAGES}")]
    messages, on, off, unplaced = connection.execute(
        f"SELECT COALESCE(SUM(messages.messages), 0), {PLACED_BYTES} FROM {PLACED_MESSAGES}"
    ).fetchone()
    return Locality(
        sorted(kinds, reverse=True), messages, on, off, unplaced, percent(off, on + off + unplaced)
    )
