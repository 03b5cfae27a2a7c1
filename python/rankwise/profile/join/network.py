"""The network's counters of all nodes, as increments on the clock of rank 0's node."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.clock import NANOSECONDS
from rankwise.profile.collect.network_samples import COUNTERS, NetworkPort
from rankwise.profile.collect.node_files import NodeFile

SAMPLED = ("sent_bytes", "received_bytes", "sent_packets", "received_packets", "wait_ticks")
"""Counters whose increments between samples are kept."""

_MOST_ROWS = 100_000  # of samples, of all ports
_LEAST_INTERVALS = 16  # of a port

# Counters of old adapters stop at their largest value: 8, 16 or 32 bits, bytes in units of 4.
_FULL = np.array([0xFF, 0xFFFF, 0xFFFF_FFFF, 4 * 0xFFFF_FFFF], np.uint64)


class Network(NamedTuple):
    """Rows of network_ports and network_samples."""

    ports: list[tuple[Any, ...]]
    samples: list[tuple[Any, ...]]


def join_network(
    node_files: Iterable[NodeFile],
    hosts: Collection[str],
    ahead_ns: Mapping[str, int],
    started_ns: int,
) -> Network:
    """Make the rows of the nodes of a world.

    Args:
        node_files: of the run directory. If a node has several, only the file that covers most time counts.
        hosts: nodes of the world.
        ahead_ns: by host, how far its wall clock is ahead of rank 0's node's.
        started_ns: what becomes 0 seconds: nanoseconds since 1970, by the wall clock of rank 0's node.
    """
    longest: dict[str, NodeFile] = {}
    for node_file in node_files:
        known = longest.get(node_file.host)
        if node_file.network is None or node_file.host not in hosts:
            continue
        if not known or not known.network or node_file.network.duration_ns > known.network.duration_ns:
            longest[node_file.host] = node_file
    count = sum(len(node_file.network.ports) for node_file in longest.values() if node_file.network)
    intervals = max(_MOST_ROWS // max(count, 1), _LEAST_INTERVALS)
    network = Network([], [])
    for host in hosts:
        if host not in longest:
            continue
        node_file = longest[host]
        samples = node_file.network
        assert samples is not None
        since_ns = node_file.saved_realtime_ns - node_file.saved_monotonic_ns - ahead_ns[host] - started_ns
        seconds = (samples.times_ns + since_ns) / NANOSECONDS
        kept = _kept(len(seconds), intervals)
        for number, port in enumerate(samples.ports):
            _add(network, host, port, seconds, samples.values[:, number], kept)
    return network


def _kept(samples: int, intervals: int) -> NDArray[np.int64]:
    """Return which samples bound the intervals that are kept: the first, the last, and some between."""
    return np.unique(np.linspace(0, samples - 1, min(intervals, samples - 1) + 1).astype(np.int64))


def _add(
    network: Network,
    host: str,
    port: NetworkPort,
    seconds: NDArray[np.float64],
    values: NDArray[np.uint64],
    kept: NDArray[np.int64],
) -> None:
    known = {
        name: values[:, number]
        for number, name in enumerate(COUNTERS)
        if name in port.counted and _is_whole(values[:, number], port.kind)
    }
    totals = {name: int(column[-1] - column[0]) for name, column in known.items()}
    number = len(network.ports) + 1
    network.ports.append(
        (
            number,
            host,
            port.device,
            port.number or None,
            port.kind,
            float(seconds[0]),
            float(seconds[-1]),
            *(totals.get(name) for name in COUNTERS),
        )
    )
    columns = [
        np.diff(known[name][kept]).tolist() if name in known else [None] * (len(kept) - 1) for name in SAMPLED
    ]
    bounds = seconds[kept].tolist()
    network.samples.extend(
        (number, begin, end, *increments)
        for begin, end, *increments in zip(bounds, bounds[1:], *columns, strict=False)
        if any(increments)
    )


def _is_whole(column: NDArray[np.uint64], kind: str) -> bool:
    """Return whether a counter was neither reset, nor had reached its largest value."""
    if np.any(column[1:] < column[:-1]):
        return False
    return kind != "infiniband" or column[-1] not in _FULL
