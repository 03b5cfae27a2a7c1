"""The nodes: their ranks, time in MPI, and bytes that stay or leave."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.messages.locality import Locality, locality
from rankwise.analysis.nodes.binding import node_places
from rankwise.analysis.nodes.processors import place_faults, shortages
from rankwise.analysis.nodes.totals import Node, nodes
from rankwise.text.empty import NO_RANKS
from rankwise.text.units import byte_text, percent_text
from rankwise.views.totals_columns import OF_MPI_MEANING, OF_RUN_MEANING
from rankwise.views.view import BYTES, COUNT, PERCENT, SECONDS, Column, Detail, Table, View, label, number

_BYTES = "bytes of point-to-point and one-sided messages from its ranks"
_COLUMNS: list[Column[Node]] = [
    label("node", lambda row: row.host, "host name"),
    number("ranks", lambda row: row.ranks, COUNT, "ranks that ran on it", obvious=True),
    number("in MPI", lambda row: row.seconds, SECONDS, "sum over its ranks"),
    number("% of MPI", lambda row: row.percent_of_mpi, PERCENT, OF_MPI_MEANING),
    Column(
        "% of its run",
        lambda row: row.percent_of_own_run,
        PERCENT,
        OF_RUN_MEANING.replace("the ranks", "its ranks"),
    ),
    number("on node", lambda row: row.bytes_on_node, BYTES, _BYTES),
    number("off node", lambda row: row.bytes_off_node, BYTES, _BYTES),
]
_UNKNOWN: Column[Node] = number(
    "unknown", lambda row: row.bytes_unplaced, BYTES, "bytes to ranks on unknown nodes", obvious=True
)


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return one row a node."""
    rows, where = nodes(connection), locality(connection)
    columns = [*_COLUMNS, _UNKNOWN] if any(row.bytes_unplaced for row in rows) else _COLUMNS
    title = _title(rows, where)
    places = node_places(connection)
    faults = place_faults(places, shortages(connection, places))
    notes = [f"{fault.what}{f': {fault.cure}' if fault.cure else ''}." for fault in faults]
    table = Table(columns, rows, NO_RANKS, notes=[note[0].upper() + note[1:] for note in notes])
    data = {"nodes": rows, "locality": where, "node_places": places, "place_faults": faults}
    return View(title, [table], data, [node for node in places if node.processors])


def _title(rows: list[Node], where: Locality) -> str:
    if not where.messages:
        return ""
    total = byte_text(where.bytes_on_node + where.bytes_off_node + where.bytes_unplaced)
    share = percent_text(where.off_node_percent_of_message_bytes)
    if len(rows) == 1:
        return f"All {total} of messages stay on the node"
    return f"{share} % of {total} of messages leave their node"
