"""All messages inside collectives taken together, for the summary."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from rankwise.analysis.collectives import CLASSES, collectives
from rankwise.analysis.percent import percent


@dataclass(frozen=True)
class InsideTotals:
    """What the MPI library sent inside collectives, as far as it is visible.

    Attributes:
        messages: really sent.
        bytes: likewise.
        bytes_off_node: between ranks of different hosts.
        off_node_percent_of_bytes: `bytes_off_node` of `bytes`.
        collectives: pairs of a collective and a communicator that were called with each other.
        not_visible: those of them inside which nothing was seen.
        visible_in_part: those inside which something was seen, but not all.
        why: nothing was seen, of the one with the most time in MPI; '' if something was seen inside each.
    """

    messages: int
    bytes: int
    bytes_off_node: int
    off_node_percent_of_bytes: float
    collectives: int
    not_visible: int
    visible_in_part: int
    why: str


def inside_totals(connection: sqlite3.Connection) -> InsideTotals | None:
    """Add up the messages inside collectives; None if no collective was called by several processes."""
    rows = [row for row in collectives(connection) if row.class_name in CLASSES]
    if not rows:
        return None
    messages, volume, off_node = connection.execute(
        "SELECT COALESCE(SUM(messages.messages), 0), COALESCE(SUM(bytes), 0),"
        " COALESCE(SUM(CASE WHEN sender.host <> receiver.host THEN bytes END), 0)"
        " FROM messages LEFT JOIN ranks AS sender ON sender.rank = source"
        " LEFT JOIN ranks AS receiver ON receiver.rank = destination WHERE kind = 'in-collective'"
    ).fetchone()
    silent = [row for row in rows if row.messages is None]
    why = silent[0].visibility.text if silent else ""
    partly = sum(row.messages is not None and row.visibility.hides for row in rows)
    share = percent(off_node, volume)
    return InsideTotals(messages, volume, off_node, share, len(rows), len(silent), partly, why)
