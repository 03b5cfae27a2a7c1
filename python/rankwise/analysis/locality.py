"""How many of the bytes leave the node."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from rankwise.analysis.percent import percent

# The messages that the program sends itself, each with the hosts of its ends.
PLACED_MESSAGES = (
    "messages JOIN ranks AS sender ON sender.rank = messages.source"
    " LEFT JOIN ranks AS receiver ON receiver.rank = messages.destination"
    " WHERE messages.kind = 'point-to-point'"
)
# receiver.host is NULL, and both comparisons with it too, where the receiver is not known.
PLACED_BYTES = (
    "COALESCE(SUM(CASE WHEN sender.host = receiver.host THEN messages.bytes END), 0),"
    " COALESCE(SUM(CASE WHEN sender.host <> receiver.host THEN messages.bytes END), 0),"
    " COALESCE(SUM(CASE WHEN receiver.host IS NULL THEN messages.bytes END), 0)"
)


@dataclass(frozen=True)
class Locality:
    """Bytes of the program's own point-to-point messages by where they go.

    Attributes:
        bytes_on_node: between ranks of the same host.
        bytes_off_node: between ranks of different hosts.
        bytes_unplaced: to ranks whose host is not known.
        off_node_percent_of_point_to_point_bytes: `bytes_off_node` of the three's sum.
    """

    messages: int
    bytes_on_node: int
    bytes_off_node: int
    bytes_unplaced: int
    off_node_percent_of_point_to_point_bytes: float


def locality(connection: sqlite3.Connection) -> Locality:
    """Return how many of the point-to-point bytes leave the node."""
    messages, on, off, unplaced = connection.execute(
        f"SELECT COALESCE(SUM(messages.messages), 0), {PLACED_BYTES} FROM {PLACED_MESSAGES}"
    ).fetchone()
    return Locality(messages, on, off, unplaced, percent(off, on + off + unplaced))
