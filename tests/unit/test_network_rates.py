"""Bytes at network ports over time, and messages beside them. All numbers are known."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_profile import Made

from rankwise.analysis.nodes.network import HEADER_BYTES
from rankwise.analysis.nodes.network_rates import network_rates
from rankwise.reading.profile import Profile


def made_with_samples() -> Made:
    """Rank 0 on node a sends 400 bytes to node b, all in the second half of 8 s."""
    made = Made(ranks=2, hosts=("a", "b"))
    made.message(0, 1, 400)
    made.insert("network_ports", id=1, host="a", device="eth0", kind="ethernet", begin=0.0, end=8.0)
    made.insert("network_ports", id=2, host="a", device="TCP", kind="tcp", begin=0.0, end=8.0)
    packets = {"sent_packets": 2, "received_packets": 1}
    sent = 600 + 2 * HEADER_BYTES["ethernet"]
    made.insert(
        "network_samples",
        port=1,
        begin=4.0,
        end=6.0,
        sent_bytes=sent,
        received_bytes=HEADER_BYTES["ethernet"],
        **packets,
    )
    made.insert("network_samples", port=2, begin=4.0, end=6.0, sent_packets=1000)
    made.insert("time_axis", begin=0.0, width=4.0, intervals=2)
    for rank in (0, 1):
        made.insert("time_lines", rank=rank, begin=0.0, end=8.0)
    made.insert("intervals", rank=0, interval=1, bytes_sent=77)
    return made


def test_rates() -> None:
    rates = network_rates(made_with_samples().connection)
    assert [(rate.begin_seconds, rate.seconds) for rate in rates] == [
        (0.0, 2.0),
        (2.0, 2.0),
        (4.0, 2.0),
        (6.0, 2.0),
    ]
    assert [rate.ports_sent_per_second for rate in rates] == [0.0, 0.0, 300.0, 0.0]
    assert [rate.ports_received_per_second for rate in rates] == [0.0, 0.0, 0.0, 0.0]
    assert [rate.messages_sent_per_second for rate in rates] == [0.0, 0.0, 100.0, 100.0]


def test_the_sum_of_messages_stays_where_their_time_is_not_known() -> None:
    made = made_with_samples()
    made.connection.execute("DELETE FROM intervals")
    made.connection.execute("DELETE FROM time_lines")
    assert [rate.messages_sent_per_second for rate in network_rates(made.connection)] == [
        pytest.approx(50.0)
    ] * 4


def test_nothing_was_sampled() -> None:
    assert network_rates(Made().connection) == []


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_drawn(ending: str, tmp_path: Path) -> None:
    from rankwise.__main__ import main

    path = made_with_samples().write(tmp_path / "a.rankwise")
    picture = tmp_path / f"network.{ending}"
    assert main(["plot", str(path), "--what", "network", "-o", str(picture)]) == 0
    assert picture.stat().st_size > 1000


def test_in_a_notebook(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    profile = Profile(made_with_samples().write(tmp_path / "a.rankwise"))
    frame = profile.network().to_pandas("network_rates")
    assert isinstance(frame, pandas.DataFrame)
    assert frame.ports_sent_per_second.sum() == 300.0
