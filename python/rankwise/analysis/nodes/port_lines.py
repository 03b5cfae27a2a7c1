"""The bytes at the network ports of each node over time, and when the ports were blocked."""

from __future__ import annotations

import sqlite3

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.nodes.network import HEADER_BYTES, TCP, WORD_BYTES
from rankwise.records import dataclass

_Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class PortLine:
    """The ports of a node together, in P parts of the run.

    Attributes:
        host: the node.
        sampled_seconds: of each part, the time with samples, shape (P,).
        sent_bytes: in each part, without headers (estimated), shape (P,).
        received_bytes: in each part, without headers (estimated), shape (P,).
        blocked_percent: of the time in which ports had data to send, they could not, an estimate, shape (P,);
            NaN = they had none, or do not count it.
    """

    host: str
    sampled_seconds: _Floats
    sent_bytes: _Floats
    received_bytes: _Floats
    blocked_percent: _Floats


def port_lines(connection: sqlite3.Connection, edges: _Floats) -> list[PortLine]:
    """Return a line for each node with samples, in the order of their first ports.

    Args:
        connection: to the profile.
        edges: of the parts, ascending, seconds after the start of the run, shape (P + 1,).
    """
    sampled: dict[str, _Floats] = {}
    amounts: dict[str, _Floats] = {}  # rows: sent, received, ticks blocked, ticks with data
    for number, host, kind, begin, end, waits in connection.execute(
        "SELECT id, host, kind, begin, end, wait_ticks IS NOT NULL FROM network_ports WHERE kind <> ?"
        " ORDER BY id",
        (TCP,),
    ):
        samples = np.array(
            connection.execute(
                "SELECT begin, end, IFNULL(sent_bytes, 0), IFNULL(received_bytes, 0),"
                " IFNULL(sent_packets, 0), IFNULL(received_packets, 0), IFNULL(wait_ticks, 0)"
                " FROM network_samples WHERE port = ? ORDER BY begin",
                (number,),
            ).fetchall(),
            np.float64,
        ).reshape(-1, 7)
        sent, received, packets_out, packets_in, ticks = samples.T[2:]
        header = HEADER_BYTES.get(kind, 0)
        of_port = (
            np.maximum(sent - header * packets_out, 0),
            np.maximum(received - header * packets_in, 0),
            ticks * waits,
            (ticks + sent / WORD_BYTES) * waits,
        )
        sampled.setdefault(host, np.diff(np.clip(edges, begin, end)))
        amounts[host] = amounts.get(host, 0.0) + np.stack(
            [_spread(edges, samples, amount) for amount in of_port]
        )
    return [
        PortLine(
            host=host,
            sampled_seconds=sampled[host],
            sent_bytes=sent,
            received_bytes=received,
            blocked_percent=np.divide(
                100 * blocked, with_data, out=np.full(len(blocked), np.nan), where=with_data > 0
            ),
        )
        for host, (sent, received, blocked, with_data) in amounts.items()
    ]


def _spread(edges: _Floats, samples: _Floats, amount: _Floats) -> _Floats:
    """Distribute the amounts of samples, which do not overlap, evenly over their time."""
    if not len(samples):
        return np.zeros(len(edges) - 1)
    sums = np.cumsum(amount)
    counted = np.interp(edges, samples[:, :2].ravel(), np.column_stack([sums - amount, sums]).ravel())
    parts: _Floats = np.diff(counted)
    return parts
