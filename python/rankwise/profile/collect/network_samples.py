"""Reads the samples of the network's counters that the keeper of a node took."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect import layout
from rankwise.profile.collect.source import Source
from rankwise.profile.collect.text import text_of
from rankwise.records import dataclass

COUNTERS = tuple(name for _, name in sorted(layout.names_of("network_counter").items()) if name != "counters")
"""Names of the counters, by number."""

_KINDS = layout.names_of("network_kind")
_MOST_PORTS, _MOST_SAMPLES = 64, 4096


@dataclass(frozen=True)
class NetworkPort:
    """A port of an adapter, a network interface, or TCP.

    Attributes:
        device: of the kernel, such as mlx5_0.
        number: of the port, from 1; 0 = the adapter's ports have no numbers.
        kind: infiniband, ethernet, slingshot or tcp.
        counted: names of its counters.
    """

    device: str
    number: int
    kind: str
    counted: frozenset[str]


@dataclass(frozen=True)
class NetworkSamples:
    """What a keeper sampled.

    Attributes:
        ports: P ports.
        times_ns: of the S samples, increasing, on the node's CLOCK_MONOTONIC, shape (S,).
        values: of the counters, shape (S, P, len(COUNTERS)).
    """

    ports: tuple[NetworkPort, ...]
    times_ns: NDArray[np.int64]
    values: NDArray[np.uint64]

    @property
    def duration_ns(self) -> int:
        """From the first sample to the last."""
        return int(self.times_ns[-1] - self.times_ns[0])


def read_samples(source: Source, header: np.void) -> NetworkSamples | None:
    """Read the samples in a node file.

    Args:
        source: the file.
        header: of the file.

    Returns:
        None: it has no samples, or they are damaged.
    """
    offset, ports, samples = (
        int(header[name]) for name in ("network_offset", "network_ports", "network_samples")
    )
    if not offset or not 0 < ports <= _MOST_PORTS or not 0 < samples <= _MOST_SAMPLES:
        return None
    described = source.records(layout.NETWORK_PORT, ports, offset, layout.NETWORK_PORT.itemsize)
    row = np.dtype([("time", np.int64), ("values", np.uint64, (ports, len(COUNTERS)))])
    rows: Any = source.records(row, samples, offset + described.nbytes, row.itemsize)
    if len(described) < ports or len(rows) < samples or np.any(np.diff(rows["time"]) <= 0):
        return None
    return NetworkSamples(
        tuple(_port(record) for record in described), rows["time"].copy(), rows["values"].copy()
    )


def _port(record: Any) -> NetworkPort:
    present = int(record["present"])
    return NetworkPort(
        text_of(record["device"]),
        int(record["number"]),
        _KINDS.get(int(record["kind"]), "unknown"),
        frozenset(name for number, name in enumerate(COUNTERS) if present >> number & 1),
    )
