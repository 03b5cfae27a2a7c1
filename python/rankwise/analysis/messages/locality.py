"""The bytes that stay on the node or leave it."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.messages.kinds import OF_THE_PROGRAM
from rankwise.analysis.percent import percent
from rankwise.records import dataclass

OWN_MESSAGES = f"host_sums WHERE kind IN {OF_THE_PROGRAM}"
"""SQL: sums of the messages that the program itself sends and fetches."""


@dataclass(frozen=True)
class Locality:
    """Bytes of the program's own messages, point-to-point and one-sided, by locality.

    Attributes:
        kinds: kinds of messages in the profile.
        bytes_on_node: between ranks on the same host.
        bytes_off_node: between ranks on different hosts.
        bytes_unplaced: from or to ranks with an unknown host.
        off_node_percent_of_message_bytes: `bytes_off_node` in percent of the sum of the three.
    """

    kinds: list[str]
    messages: int
    bytes_on_node: int
    bytes_off_node: int
    bytes_unplaced: int
    off_node_percent_of_message_bytes: float


def locality(connection: sqlite3.Connection) -> Locality:
    """Return the bytes of the program's own messages by locality."""
    kinds = [kind for (kind,) in connection.execute(f"SELECT DISTINCT kind FROM {OWN_MESSAGES}")]
    messages, on, off, unplaced = connection.execute(
        "SELECT COALESCE(SUM(messages), 0), COALESCE(SUM(bytes_on_node), 0),"
        f" COALESCE(SUM(bytes_off_node), 0), COALESCE(SUM(bytes_unplaced), 0) FROM {OWN_MESSAGES}"
    ).fetchone()
    return Locality(
        sorted(kinds, reverse=True), messages, on, off, unplaced, percent(off, on + off + unplaced)
    )
