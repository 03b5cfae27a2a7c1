"""Bytes at the network ports of each node over time, and when these were blocked. All numbers are known."""

from __future__ import annotations

import numpy as np
import pytest
from made_profile import Made

from rankwise.analysis.nodes.network import HEADER_BYTES, WORD_BYTES
from rankwise.analysis.nodes.port_lines import PortLine, port_lines

EDGES = np.array([0.0, 2.0, 4.0, 6.0])
SENT = 4000


def made(kind: str = "slingshot", *, waits: int | None = None, ports: int = 1) -> Made:
    """Node a is sampled from 1 s to 5 s and sends in the second half of that; node b does nothing."""
    run = Made(ranks=2, hosts=("a", "b"))
    for port in range(1, ports + 1):
        run.insert(
            "network_ports",
            id=port,
            host="a",
            device=f"p{port}",
            kind=kind,
            begin=1.0,
            end=5.0,
            wait_ticks=waits,
        )
        run.insert(
            "network_samples",
            port=port,
            begin=3.0,
            end=5.0,
            sent_bytes=SENT,
            received_bytes=SENT,
            sent_packets=10,
            received_packets=1000,
            wait_ticks=waits,
        )
    run.insert("network_ports", id=ports + 1, host="b", device="p", kind=kind, begin=1.0, end=5.0)
    return run


def line(run: Made) -> PortLine:
    first, second = port_lines(run.connection, EDGES)
    assert (first.host, second.host) == ("a", "b")
    assert second.sent_bytes.tolist() == second.received_bytes.tolist() == [0, 0, 0]
    return first


@pytest.mark.parametrize("ports", [1, 3])
def test_samples_are_spread_over_their_time(ports: int) -> None:
    of = line(made(ports=ports))
    assert of.sampled_seconds.tolist() == [1, 2, 1]
    assert of.sent_bytes.tolist() == [0, ports * SENT / 2, ports * SENT / 2]
    assert of.received_bytes.tolist() == of.sent_bytes.tolist()


@pytest.mark.parametrize("kind", ["ethernet", "infiniband"])
def test_headers_are_left_out(kind: str) -> None:
    of = line(made(kind))
    assert of.sent_bytes.sum() == SENT - 10 * HEADER_BYTES[kind]
    assert of.received_bytes.sum() == 0  # more headers than bytes


@pytest.mark.parametrize(("waits", "percent"), [(None, np.nan), (0, 0), (SENT // WORD_BYTES, 50)])
def test_blocked_of_the_time_with_data(waits: int | None, percent: float) -> None:
    blocked = line(made(waits=waits)).blocked_percent.tolist()
    assert blocked == pytest.approx([np.nan, percent, percent], nan_ok=True)


def test_tcp_is_no_port() -> None:
    assert port_lines(made("tcp").connection, EDGES) == []
