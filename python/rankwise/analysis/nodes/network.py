"""The nodes' network ports: what they moved during the job, and how much of it was messages of the ranks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from rankwise.analysis.columns import decoded_list
from rankwise.analysis.messages.kinds import KINDS
from rankwise.analysis.overview import trust
from rankwise.analysis.percent import percent
from rankwise.records import dataclass

ERRORS = ("symbol_errors", "receive_errors", "send_errors", "discards", "link_downs", "link_recoveries")
"""Counters of faults of a cable, a port or an adapter."""

HEADER_BYTES = {"ethernet": 66, "infiniband": 24}
"""By kind of port, of each packet: Ethernet, IPv4, TCP with time stamps; LRH, BTH and ICRC."""

LEAST_BYTES = 16 << 20
"""Of a node or a port: less says nothing."""
MUCH_OTHER_PERCENT = 20.0
"""Of the bytes at the ports of a node."""
MUCH_BLOCKED_PERCENT = 20.0
"""Of the time in which a port had data to send."""
MUCH_REPEATED_PERCENT = 1.0
"""Of the segments that TCP of a node sent."""

TCP = "tcp"
"""The kind of port that stands for TCP of a node."""
WORD_BYTES = 4
"""A tick of the counter of waits is the time in which a port sends so much."""


@dataclass(frozen=True, kw_only=True)
class PortUse:
    """A port of an adapter, or a network interface, from the first sample to the last.

    Attributes:
        host, device: names.
        port: number on the adapter; None = it has no numbered ports.
        kind: infiniband, ethernet or slingshot.
        seconds: between the samples.
        sent_bytes, received_bytes: with headers; None = not known, here and below.
        sent_packets, received_packets: number.
        wait_percent: of the time in which it had data to send, it could not send; an estimate.
        errors: by their name in ERRORS; only errors that occurred.
        retransmissions: that its adapter noticed.
        congestion_marks: notices of congestion that the adapter sent or received.
    """

    host: str
    device: str
    port: int | None
    kind: str
    seconds: float
    sent_bytes: int | None
    received_bytes: int | None
    sent_packets: int | None
    received_packets: int | None
    wait_percent: float | None
    errors: dict[str, int]
    retransmissions: int | None
    congestion_marks: int | None

    @property
    def name(self) -> str:
        """The device, with the number of the port: mlx5_0/1."""
        return self.device if self.port is None else f"{self.device}/{self.port}"

    @property
    def is_blocked(self) -> bool:
        """Whether it could not send for much of the time in which it had data."""
        return (self.wait_percent or 0.0) >= MUCH_BLOCKED_PERCENT and (self.sent_bytes or 0) >= LEAST_BYTES

    @property
    def faults(self) -> dict[str, int]:
        """Its errors. An Ethernet interface also discards packets that no program on the node reads."""
        if self.kind == "ethernet":
            return {name: count for name, count in self.errors.items() if name != "discards"}
        return self.errors

    @property
    def sent_payload(self) -> int | None:
        """Sent bytes without headers, as far as these are known: an estimate."""
        return _payload(self.kind, self.sent_bytes, self.sent_packets)

    @property
    def received_payload(self) -> int | None:
        """Received bytes without headers, as far as these are known: an estimate."""
        return _payload(self.kind, self.received_bytes, self.received_packets)


@dataclass(frozen=True, kw_only=True)
class NodeTraffic:
    """The messages of a node's ranks beside the bytes that its ports moved.

    Attributes:
        host: the node.
        messages_sent, messages_received: bytes between its ranks and ranks of other nodes.
        ports_sent, ports_received: bytes at all ports of the node, without headers; None = not known.
        retransmitted_percent: of the segments that TCP of the node sent; None = not known.
    """

    host: str
    messages_sent: int
    messages_received: int
    ports_sent: int | None
    ports_received: int | None
    retransmitted_percent: float | None

    @property
    def other_sent(self) -> int | None:
        """Bytes that the ports sent beside the messages of the ranks."""
        return None if self.ports_sent is None else max(self.ports_sent - self.messages_sent, 0)

    @property
    def other_received(self) -> int | None:
        """Bytes that the ports received beside the messages of the ranks."""
        return None if self.ports_received is None else max(self.ports_received - self.messages_received, 0)

    @property
    def other_percent(self) -> float | None:
        """Of the bytes at the node's ports, those beside the messages of the ranks."""
        if self.other_sent is None or self.other_received is None:
            return None
        return percent(
            self.other_sent + self.other_received, (self.ports_sent or 0) + (self.ports_received or 0)
        )

    @property
    def other_bytes(self) -> int:
        """What its ports moved in both directions beside the messages of the ranks, as far as it is known."""
        return (self.other_sent or 0) + (self.other_received or 0)

    @property
    def has_much_other(self) -> bool:
        """Whether its ports moved much beside the messages of the ranks."""
        return (self.other_percent or 0.0) >= MUCH_OTHER_PERCENT and self.other_bytes >= LEAST_BYTES

    @property
    def repeats_much(self) -> bool:
        """Whether its TCP sent many segments again."""
        moved = (self.ports_sent or 0) + (self.ports_received or 0)
        return (self.retransmitted_percent or 0.0) >= MUCH_REPEATED_PERCENT and moved >= LEAST_BYTES


@dataclass(frozen=True, kw_only=True)
class NetworkUse:
    """The network ports of all nodes.

    Attributes:
        nodes: with samples, in the order of their first rank.
        ports: of these nodes that moved anything, or had errors.
        incomplete: why messages may be missing, so that other traffic is an upper bound; '' if none are.
    """

    nodes: list[NodeTraffic]
    ports: list[PortUse]
    incomplete: str

    @property
    def has_messages(self) -> bool:
        """Whether ranks of different nodes sent each other messages."""
        return any(node.messages_sent for node in self.nodes)


def network_use(connection: sqlite3.Connection) -> NetworkUse:
    """Return the use of the network ports; without nodes if nothing was sampled."""
    everything = list(_ports(connection))
    sent, received = _messages(connection)
    nodes = []
    for host in dict.fromkeys(port.host for port in everything):
        own = [port for port in everything if port.host == host and port.kind != TCP]
        nodes.append(
            NodeTraffic(
                host=host,
                messages_sent=sent.get(host, 0),
                messages_received=received.get(host, 0),
                ports_sent=_sum(port.sent_payload for port in own),
                ports_received=_sum(port.received_payload for port in own),
                retransmitted_percent=next(
                    (
                        percent(port.retransmissions or 0, port.sent_packets)
                        for port in everything
                        if port.host == host and port.kind == TCP and port.sent_packets
                    ),
                    None,
                ),
            )
        )
    used = [
        port
        for port in everything
        if port.kind != TCP and (port.sent_bytes or port.received_bytes or port.errors)
    ]
    return NetworkUse(nodes=nodes, ports=used, incomplete=_incomplete(connection) if nodes else "")


def _payload(kind: str, size: int | None, packets: int | None) -> int | None:
    if size is None:
        return None
    return max(size - HEADER_BYTES.get(kind, 0) * (packets or 0), 0)


def _sum(values: Iterator[int | None]) -> int | None:
    """Add up; None if one is not known, or the list is empty."""
    known = list(values)
    return None if not known or None in known else sum(value or 0 for value in known)


def _ports(connection: sqlite3.Connection) -> Iterator[PortUse]:
    names = (
        "host, device, port, kind, end - begin, sent_bytes, received_bytes, sent_packets, received_packets,"
        " wait_ticks, retransmissions, congestion_marks"
    )
    for row in connection.execute(f"SELECT {names}, {', '.join(ERRORS)} FROM network_ports ORDER BY id"):
        host, device, port, kind, seconds, sent_bytes, received_bytes, sent, received, ticks = row[:10]
        again, marks, *errors = row[10:]
        wait = None
        if ticks is not None and sent_bytes is not None:
            wait = percent(ticks, ticks + sent_bytes / WORD_BYTES)
        yield PortUse(
            host=host,
            device=device,
            port=port,
            kind=kind,
            seconds=seconds,
            sent_bytes=sent_bytes,
            received_bytes=received_bytes,
            sent_packets=sent,
            received_packets=received,
            wait_percent=wait,
            errors={name: count for name, count in zip(ERRORS, errors, strict=True) if count},
            retransmissions=again,
            congestion_marks=marks,
        )


def _messages(connection: sqlite3.Connection) -> tuple[dict[str, int], dict[str, int]]:
    """Return the bytes between nodes by sending and by receiving host."""
    sent: dict[str, int] = {}
    received: dict[str, int] = {}
    rows = connection.execute(
        "SELECT sender.host, receiver.host, SUM(bytes) FROM messages"
        " JOIN ranks AS sender ON sender.rank = source JOIN ranks AS receiver ON receiver.rank = destination"
        f" WHERE kind IN ({', '.join('?' * len(KINDS))}) AND sender.host <> receiver.host"
        " GROUP BY sender.host, receiver.host",
        KINDS,
    )
    for source, destination, size in rows:
        sent[source] = sent.get(source, 0) + size
        received[destination] = received.get(destination, 0) + size
    return sent, received


def _incomplete(connection: sqlite3.Connection) -> str:
    """Say why messages may be missing; ''."""
    trusted = trust(connection)
    if not trusted.complete or trusted.dropped_records:
        return "some messages were not recorded"
    (only,) = connection.execute("SELECT only FROM run").fetchone()
    (blind,) = connection.execute("SELECT COUNT(*) FROM ranks WHERE transport_state <> 'active'").fetchone()
    (worlds,) = connection.execute("SELECT worlds FROM run").fetchone()
    if blind or decoded_list(only):
        return "messages inside collectives were not recorded"
    if worlds > 1:
        return "the launch had other MPI worlds"
    return ""
