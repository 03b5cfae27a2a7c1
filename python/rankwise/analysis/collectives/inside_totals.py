"""Totals of the messages inside collectives, for the summary."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.collectives.asked import CLASSES, seen_inside
from rankwise.analysis.collectives.visibility import Visibilities, Visibility
from rankwise.analysis.percent import percent
from rankwise.records import dataclass

# Collectives on each communicator of several processes. (Too many in a large job for an object each.)
_AMONG = (
    f"FROM communicator_sums WHERE procedure IN (SELECT id FROM procedures WHERE class IN {CLASSES})"
    " AND communicator NOT IN (SELECT id FROM communicators WHERE size + remote_size = 1)"
)
_COLUMNS = "communicator, procedure, with_data"


@dataclass(frozen=True)
class InsideTotals:
    """The visible messages that the MPI library sent inside collectives.

    Attributes:
        messages: number actually sent.
        bytes: actually sent.
        bytes_off_node: sent between ranks on different hosts.
        off_node_percent_of_bytes: `bytes_off_node` in percent of `bytes`.
        collectives: number of pairs of a collective and a communicator that it was called on.
        not_visible: number of pairs without a visible message.
        visible_in_part: number of pairs with only some messages visible.
        why: why nothing is visible for the `not_visible` pair with the most time in MPI; '' if there is no
            such pair.
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
    (count,) = connection.execute(f"SELECT COUNT(*) {_AMONG}").fetchone()
    if not count:
        return None
    inside = seen_inside(connection)
    rows = connection.execute(f"SELECT {_COLUMNS} {_AMONG}") if inside else ()
    with_messages = [row for row in rows if row[:2] in inside]
    # One more pair than have messages: so at least one pair without messages is among them, if there is any.
    most = connection.execute(
        f"SELECT {_COLUMNS} {_AMONG} ORDER BY seconds DESC, calls DESC, procedure, communicator LIMIT ?",
        (len(with_messages) + 1,),
    )
    silent = next((row for row in most if row[:2] not in inside), None)
    names = dict(connection.execute("SELECT id, name FROM procedures").fetchall())
    visible = Visibilities(connection, None if inside or not silent else silent[0])

    def visibility(communicator: int, procedure: int, with_data: int) -> Visibility:
        is_seen = (communicator, procedure) in inside
        return visible.of_all(communicator, names[procedure], seen=is_seen, with_data=bool(with_data))

    partly = sum(visibility(*row).hides for row in with_messages)
    why = visibility(*silent).text if silent else ""
    messages, volume, off_node = connection.execute(
        "SELECT COALESCE(SUM(messages), 0),"
        " COALESCE(SUM(bytes_on_node + bytes_off_node + bytes_unplaced), 0),"
        " COALESCE(SUM(bytes_off_node), 0) FROM host_sums WHERE kind = 'in-collective'"
    ).fetchone()
    share = percent(off_node, volume)
    return InsideTotals(messages, volume, off_node, share, count, count - len(with_messages), partly, why)
