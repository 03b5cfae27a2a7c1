"""Links are as slow as they were asked to be, and no slower for the others.

Only bounds that shaping makes certain: nothing comes before its delay, or faster than its rate.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fabric import Links, address
from nodes import Cluster
from wiring import bytes_per_second

_PING = Path(__file__).parent / "programs" / "ping.py"
_BYTES = 1_000_000
_BURST = 20 * 1024  # let out at once by a shaper, before it counts


def ping(cluster: Cluster, client: int, other: int) -> tuple[float, float]:
    """The shortest half of a round trip, us; bandwidth of a stream, bytes/s."""
    server = subprocess.Popen(
        cluster.on(other, sys.executable, _PING), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    with server:
        assert server.stdout
        assert server.stdout.readline() == b"ready\n"
        words = cluster.on(client, sys.executable, _PING, address(other), "20", str(_BYTES))
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=True)
    half, seconds = map(float, done.stdout.split())
    return half * 1e6, (_BYTES - _BURST) / seconds


@pytest.fixture
def links(switches: Cluster) -> Links:
    assert switches.links
    return switches.links


def test_one_switch_and_two(switches: Cluster, links: Links) -> None:
    fabric = links.fabric
    near, near_rate = ping(switches, 0, 1)
    far, far_rate = ping(switches, 1, 2)
    assert near >= 2 * fabric.delay_us
    assert far >= 2 * fabric.delay_us + 2 * fabric.uplink_delay_us
    assert near_rate <= bytes_per_second(fabric.rate)
    assert far_rate <= bytes_per_second(fabric.uplink_rate)
    # A core switch that was in the way of neighbours would make them wait, too.
    assert near < 2 * fabric.delay_us + 2 * fabric.uplink_delay_us


def test_a_slow_link(switches: Cluster, links: Links) -> None:
    with links.slow_link(3, "20mbit"):
        _, rate = ping(switches, 2, 3)
        assert rate <= bytes_per_second("20mbit")
    _, rate = ping(switches, 2, 3)
    assert rate > bytes_per_second("20mbit")


@pytest.mark.parametrize("pair", [(2, 3), (3, 2), (0, 3)])
def test_a_slow_node(switches: Cluster, links: Links, pair: tuple[int, int]) -> None:
    usual = 2 * links.fabric.delay_us + (2 * links.fabric.uplink_delay_us if 0 in pair else 0)
    with links.slow_node(3, 3000):
        half, _ = ping(switches, *pair)
        assert half >= usual + 3000
    half, _ = ping(switches, *pair)
    assert half < usual + 3000
