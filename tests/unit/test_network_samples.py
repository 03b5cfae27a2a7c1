"""Samples of the network's counters in node files, and the rows that follow from them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nodes_synthetic import SAVED_NS, node_file

from rankwise.profile.collect import layout
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.network_samples import COUNTERS
from rankwise.profile.collect.node_files import NodeFile, read_node_file
from rankwise.profile.join.network import join_network
from rankwise.profile.store.database import SCHEMA

SECOND = 1_000_000_000
NOW = 17 * SECOND  # when the file was saved, on the node's clock
PORTS = [("mlx5_0", 1, 1, ("sent_bytes", "wait_ticks")), ("TCP", 0, 4, ("sent_packets", "retransmissions"))]


def samples(values: list[dict[str, int]], ports: Any = PORTS) -> bytes:
    """The bytes of ports, and of a sample each second; all counters of a port but the given ones are 0."""
    described = np.zeros(len(ports), layout.NETWORK_PORT)
    for record, (device, number, kind, names) in zip(described, ports, strict=True):
        record["device"], record["number"], record["kind"] = device.encode(), number, kind
        record["present"] = sum(1 << COUNTERS.index(name) for name in names)
    rows = np.zeros(len(values), [("time", np.int64), ("values", np.uint64, (len(ports), len(COUNTERS)))])
    for place, (row, counted) in enumerate(zip(rows, values, strict=True)):
        row["time"] = NOW - (len(values) - place) * SECOND
        for port in range(len(ports)):
            for name, value in counted.items():
                row["values"][port][COUNTERS.index(name)] = value
    return described.tobytes() + rows.tobytes()


def read(tmp_path: Path, part: bytes, count: int, **header: Any) -> NodeFile:
    base = node_file({}, saved_monotonic_ns=NOW)
    given = {"network_offset": len(base), "network_ports": len(PORTS), "network_samples": count}
    path = tmp_path / "node1.1.2.3.node"
    path.write_bytes(node_file({}, saved_monotonic_ns=NOW, **given | header) + part)
    return read_node_file(path)


GROWING = [
    {"sent_bytes": 100, "sent_packets": 5},
    {"sent_bytes": 140},
    {"sent_bytes": 140, "sent_packets": 9},
]


def test_samples_of_a_node_file(tmp_path: Path) -> None:
    network = read(tmp_path, samples(GROWING), 3).network
    assert network is not None
    assert [(port.device, port.number, port.kind) for port in network.ports] == [
        ("mlx5_0", 1, "infiniband"),
        ("TCP", 0, "tcp"),
    ]
    assert network.ports[0].counted == {"sent_bytes", "wait_ticks"}
    assert network.values[:, 0, COUNTERS.index("sent_bytes")].tolist() == [100, 140, 140]
    assert network.duration_ns == 2 * SECOND


@pytest.mark.parametrize(
    "header",
    [
        {"network_offset": 0},
        {"network_offset": 1 << 60},
        {"network_ports": 0},
        {"network_ports": 3},
        {"network_ports": 1 << 31},
        {"network_samples": 0},
        {"network_samples": 4},
        {"network_samples": 1 << 31},
    ],
)
def test_damaged_samples_are_none(header: dict[str, int], tmp_path: Path) -> None:
    assert read(tmp_path, samples(GROWING), 3, **header).network is None


def test_samples_that_go_back_in_time_are_none(tmp_path: Path) -> None:
    part = bytearray(samples(GROWING))
    start = len(PORTS) * layout.NETWORK_PORT.itemsize
    part[start : start + 8] = (1 << 62).to_bytes(8, "little")
    assert read(tmp_path, bytes(part), 3).network is None


def joined(node_files: list[NodeFile], ahead_ns: int = 0) -> Any:
    return join_network(node_files, ["node1"], {"node1": ahead_ns}, SAVED_NS - 10 * SECOND)


def column(rows: list[tuple[Any, ...]], name: str) -> list[Any]:
    return [row[7 + COUNTERS.index(name)] for row in rows]


def test_rows(tmp_path: Path) -> None:
    """The file was saved 10 s after the start of the run; the node's clock is half a second ahead."""
    network = joined([read(tmp_path, samples(GROWING), 3)], SECOND // 2)
    assert [row[:7] for row in network.ports] == [
        (1, "node1", "mlx5_0", 1, "infiniband", 6.5, 8.5),
        (2, "node1", "TCP", None, "tcp", 6.5, 8.5),
    ]
    assert column(network.ports, "sent_bytes") == [40, None]
    assert column(network.ports, "wait_ticks") == [0, None]
    assert column(network.ports, "received_bytes") == [None, None]
    assert network.samples == [(1, 6.5, 7.5, 40, None, None, None, 0)]


def test_counters_are_in_the_order_of_the_columns() -> None:
    assert [CONSTANTS[f"NETWORK_{name.upper()}"] for name in COUNTERS] == list(range(len(COUNTERS)))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        columns = connection.execute("SELECT name FROM pragma_table_info('network_ports')").fetchall()
    assert [name for (name,) in columns][-len(COUNTERS) :] == list(COUNTERS)


def test_a_counter_that_was_reset_is_not_known(tmp_path: Path) -> None:
    network = joined([read(tmp_path, samples([{"sent_bytes": 9}, {"sent_bytes": 3}, {"sent_bytes": 12}]), 3)])
    assert column(network.ports, "sent_bytes") == [None, None]
    assert network.samples == []


@pytest.mark.parametrize("largest", [0xFF, 0xFFFF, 0xFFFF_FFFF, 4 * 0xFFFF_FFFF])
def test_a_counter_that_had_no_room_left_is_not_known(largest: int, tmp_path: Path) -> None:
    network = joined([read(tmp_path, samples([{"sent_bytes": largest - 4}, {"sent_bytes": largest}]), 2)])
    assert column(network.ports, "sent_bytes") == [None, None]


def test_the_longest_of_several_files_counts(tmp_path: Path) -> None:
    long = read(tmp_path, samples(GROWING), 3)
    short = read(tmp_path, samples(GROWING[:2]), 2)
    for files in ([long, short], [short, long]):
        assert joined(files).ports == joined([long]).ports
    assert joined([replace(long, host="another")]).ports == []


def test_long_runs_keep_their_sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankwise.profile.join.network._MOST_ROWS", 8)
    count = 500
    part = samples([{"sent_bytes": 7 * place} for place in range(count)])
    network = joined([read(tmp_path, part, count)])
    assert len(network.samples) <= 16
    assert sum(row[3] for row in network.samples) == 7 * (count - 1) == column(network.ports, "sent_bytes")[0]
    assert [row[1] for row in network.samples[1:]] == [row[2] for row in network.samples[:-1]]
