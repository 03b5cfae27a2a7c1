"""A small machine for pictures: 4 nodes of 2 ranks behind 2 switches, with known times, none by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.dense import from_matrices
from rankwise.latency.measurement import Measurement
from rankwise.topology.hierarchy.levels import Hierarchy, Level, Outlier
from rankwise.topology.machine.model import Cost
from rankwise.topology.machine.slots import numbered

RANKS = 8
NODE, SWITCH, MACHINE = 0.5, 2.0, 4.0  # us
HOSTS = [f"node{rank // 2}" for rank in range(RANKS)]
_SHUFFLED = np.array([5, 0, 6, 3, 1, 7, 2, 4])  # where each rank is


def latencies(places: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """Half a round trip between all ranks, us, shape (8, 8)."""
    place = np.arange(RANKS) if places is None else places
    node, switch = place // 2, place // 4
    same_switch = np.where(switch[:, None] == switch, SWITCH, MACHINE)
    return np.where(node[:, None] == node, NODE, same_switch)


def machine(
    *, shuffled: bool = False, names: str = "node{}", outliers: tuple[Outlier, ...] = ()
) -> tuple[Measurement, Hierarchy]:
    """Return a measurement of 64 B and 1 MiB, and its hierarchy, as it is."""
    place = _SHUFFLED if shuffled else np.arange(RANKS)
    times = latencies(place)
    hosts = [names.replace("{}", str(node)) for node in place // 2]
    measurement = from_matrices(
        hosts,
        {64: times, 1 << 20: times * 100},
        {1 << 20: 10_000 / times},
        about={
            "mode": "quiet",
            "mpi": "Open MPI v4.1.4",
            "date": "2026-01-02T03:04:05+00:00",
            "command": ["mpirun"],
        },
    )
    levels = tuple(
        _level(name, place // ranks, names if name == "node" else f"{name} {{}}")
        for name, ranks in (("node", 2), ("switch", 4), ("machine", 8))
    )
    order = tuple(np.argsort(place).tolist())
    return measurement, Hierarchy(levels, outliers, order)


def _level(name: str, groups: NDArray[np.int64], names: str) -> Level:
    labels = tuple(names.replace("{}", str(group)) for group in dict.fromkeys(groups.tolist()))
    return Level(name, numbered(groups.tolist()), labels, 0, Cost(), 0.0, 1.0)
