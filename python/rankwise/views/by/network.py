"""The network ports of the nodes: messages of the ranks, other traffic, waits and errors."""

from __future__ import annotations

import sqlite3

from rankwise.analysis.nodes.network import HEADER_BYTES, NetworkUse, NodeTraffic, PortUse, network_use
from rankwise.analysis.nodes.network_rates import network_rates
from rankwise.analysis.percent import percent
from rankwise.text.empty import NO_NETWORK, NOTHING_AT_PORTS
from rankwise.text.network import error_text
from rankwise.text.units import byte_text, percent_text
from rankwise.views.view import BYTES, COUNT, PERCENT, SECONDS, TEXT, Column, Detail, Table, View, label

_MESSAGES = "bytes of all messages between its ranks and ranks of other nodes, also inside collectives"
_PORTS = (
    "bytes at all its ports without headers of packets, from MPI_Init to MPI_Finalize (estimated: "
    f"{HEADER_BYTES['ethernet']} bytes of headers a packet on Ethernet, {HEADER_BYTES['infiniband']} on "
    "InfiniBand)"
)
_OTHER = "the rest: headers of MPI, other programs, file systems, repeated packets"

_NODES: list[Column[NodeTraffic]] = [
    label("node", lambda row: row.host, "host name"),
    Column("messages sent", lambda row: row.messages_sent, BYTES, _MESSAGES),
    Column("ports sent", lambda row: row.ports_sent, BYTES, _PORTS),
    Column("other sent", lambda row: row.other_sent, BYTES, _OTHER),
    Column("messages received", lambda row: row.messages_received, BYTES, _MESSAGES),
    Column("ports received", lambda row: row.ports_received, BYTES, _PORTS),
    Column("other received", lambda row: row.other_received, BYTES, _OTHER),
    Column("% other", lambda row: row.other_percent, PERCENT, "other bytes, of the bytes at its ports"),
    Column(
        "% TCP again",
        lambda row: row.retransmitted_percent,
        PERCENT,
        "segments that TCP of the node sent again, of all that it sent, also within the node",
    ),
]
_OF_PORTS: list[Column[PortUse]] = [
    label("node", lambda row: row.host, "host name"),
    label("port", lambda row: row.name, "adapter and number of the port, or interface"),
    label("kind", lambda row: row.kind, "infiniband includes Omni-Path and RoCE"),
    Column("time", lambda row: row.seconds, SECONDS, "between the first sample and the last"),
    Column("sent", lambda row: row.sent_bytes, BYTES, "with headers"),
    Column("received", lambda row: row.received_bytes, BYTES, "with headers"),
    Column("packets sent", lambda row: row.sent_packets, COUNT, "number", detail=Detail.VERBOSE),
    Column("packets received", lambda row: row.received_packets, COUNT, "number", detail=Detail.VERBOSE),
    Column(
        "% blocked",
        lambda row: row.wait_percent,
        PERCENT,
        "it had data to send and could not, of the time in which it had data to send (estimated)",
    ),
    Column("errors", lambda row: error_text(row.errors) or None, TEXT, "of the port, the cable, the adapter"),
    Column("sent again", lambda row: row.retransmissions, COUNT, "packets that the adapter repeated"),
    Column("marks", lambda row: row.congestion_marks, COUNT, "notices of congestion in the network"),
]


def view(connection: sqlite3.Connection, detail: Detail) -> View:  # noqa: ARG001
    """Return a row for each node, and one for each port."""
    use = network_use(connection)
    notes = [f"Other traffic is an upper bound: {use.incomplete}."] if use.incomplete else []
    columns = [column for column in _OF_PORTS if _has_values(column, use.ports)]
    tables: list[Table] = [Table(_NODES, use.nodes, NO_NETWORK, notes=notes)]
    if use.nodes:
        tables.append(Table(columns, use.ports, NOTHING_AT_PORTS, title="The ports"))
    return View(_title(use), tables, {"network": use, "network_rates": network_rates(connection)})


def _title(use: NetworkUse) -> str:
    """Return whose bytes the ports moved, as a sentence without its full stop; '' if that is not known."""
    known = [node for node in use.nodes if node.other_sent is not None and node.other_received is not None]
    moved = sum((node.ports_sent or 0) + (node.ports_received or 0) for node in known)
    other = sum(node.other_bytes for node in known)
    if not moved:
        return ""
    share = percent_text(percent(moved - other, moved))
    least = "at least " if use.incomplete else ""
    text = (
        f"Messages of the ranks are {least}{share} % of the {byte_text(moved)} that the nodes' network ports "
        "sent and received"
    )
    most = max(known, key=lambda node: node.other_bytes)
    if len(known) < 2 or 2 * most.other_bytes <= other:
        return text
    return (
        f"{text}; {percent_text(percent(most.other_bytes, other))} % of the other traffic is at {most.host}"
    )


def _has_values(column: Column[PortUse], ports: list[PortUse]) -> bool:
    return not ports or any(column.value(port) is not None for port in ports)
