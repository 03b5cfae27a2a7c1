"""The bytes at the nodes' network ports over time, beside the messages of the ranks."""

from __future__ import annotations

import sqlite3

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.nodes.network import TCP
from rankwise.analysis.nodes.port_lines import port_lines
from rankwise.analysis.timing.time_line import RankLine, time_line
from rankwise.records import dataclass

_MOST_PARTS = 256

_Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class NetworkRate:
    """A part of the run, of all nodes with samples together.

    Attributes:
        begin_seconds: after the start of the run.
        seconds: its length, the same for all parts.
        ports_sent_per_second: bytes that the ports sent, without headers (estimated).
        ports_received_per_second: bytes that they received, without headers (estimated).
        messages_sent_per_second: bytes that ranks sent to other nodes. Their sum over the run is counted;
            their distribution over time is estimated from the bytes of all calls.
    """

    begin_seconds: float
    seconds: float
    ports_sent_per_second: float
    ports_received_per_second: float
    messages_sent_per_second: float


def network_rates(connection: sqlite3.Connection) -> list[NetworkRate]:
    """Return the rates in the order of time; none if nothing was sampled."""
    begin, end, least = connection.execute(
        "SELECT MIN(begin), MAX(end), (SELECT MIN(end - begin) FROM network_samples) FROM network_ports"
        " WHERE kind <> ?",
        (TCP,),
    ).fetchone()
    if begin is None or not least or not 0 < end - begin < np.inf:
        return []
    parts = int(np.clip(round((end - begin) / least), 1, _MOST_PARTS))
    edges = np.linspace(begin, end, parts + 1)
    width = (end - begin) / parts
    sent, received = np.zeros(parts), np.zeros(parts)
    for line in port_lines(connection, edges):
        sent += line.sent_bytes
        received += line.received_bytes
    columns = np.column_stack([sent, received, _messages(connection, edges)]) / width
    return [
        NetworkRate(
            begin_seconds=first,
            seconds=width,
            ports_sent_per_second=out,
            ports_received_per_second=into,
            messages_sent_per_second=messages,
        )
        for first, (out, into, messages) in zip(edges[:-1].tolist(), columns.tolist(), strict=True)
    ]


def _spread(edges: _Floats, begin: float, end: float, amount: float) -> _Floats:
    """Distribute an amount evenly over the parts between two instants."""
    if not end > begin:
        return np.zeros(len(edges) - 1)
    share: _Floats = np.diff(np.clip((edges - begin) / (end - begin), 0.0, 1.0)) * amount
    return share


def _messages(connection: sqlite3.Connection, edges: _Floats) -> _Floats:
    """Distribute the bytes that each rank sent to other nodes over time, as the bytes of its calls."""
    off_node = dict(
        connection.execute(
            "SELECT source, SUM(bytes) FROM messages JOIN ranks AS sender ON sender.rank = source"
            " JOIN ranks AS receiver ON receiver.rank = destination WHERE sender.host <> receiver.host"
            " AND sender.host IN (SELECT host FROM network_ports) GROUP BY source"
        ).fetchall()
    )
    line = time_line(connection)
    sums = np.zeros(len(edges) - 1)
    for rank in line.ranks:
        amount = off_node.pop(rank.rank, 0)
        if not amount:
            continue
        weights = _weights(rank)
        for place in np.flatnonzero(weights):
            begin = line.begin_seconds + int(place) * line.width_seconds
            sums += _spread(edges, begin, begin + line.width_seconds, amount * float(weights[place]))
    for amount in off_node.values():  # nothing is known about their time
        sums += _spread(edges, float(edges[0]), float(edges[-1]), amount)
    return sums


def _weights(rank: RankLine) -> _Floats:
    """Return the shares of the intervals: by bytes, else by time in MPI, else by time."""
    for values in (rank.bytes_sent, rank.mpi_seconds, rank.inside_seconds):
        weights = np.array(values, np.float64)
        if weights.sum() > 0:
            shares: _Floats = weights / weights.sum()
            return shares
    return np.full(len(rank.bytes_sent), 1 / max(len(rank.bytes_sent), 1))
