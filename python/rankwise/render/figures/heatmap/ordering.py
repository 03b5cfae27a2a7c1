"""The order of ranks in a drawing, and the groups of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.latency.measurement import Measurement
from rankwise.render.figures.heatmap.hostnames import short_names
from rankwise.topology.hierarchy.levels import Hierarchy
from rankwise.topology.machine.slots import numbered

ORDERS = ("machine", "rank")


@dataclass(frozen=True)
class Block:
    """Neighbours in the same group: places from `start` up to `stop`, exclusive."""

    start: int
    stop: int
    label: str


@dataclass(frozen=True)
class Division:
    """One level of the machine, as blocks that cover the whole order."""

    name: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Ordering:
    """The order of rows and columns.

    Attributes:
        ranks: the rank at each place, shape (M,), without ranks that have no measured pair.
        divisions: from the largest groups to the smallest; only levels whose groups are contiguous in this
            order, and that divide it.
    """

    ranks: NDArray[np.int64]
    divisions: tuple[Division, ...]

    def node_size(self) -> int:
        """Return the ranks of a node if all have the same number, else 1."""
        sizes = {b.stop - b.start for d in self.divisions if d.name == "node" for b in d.blocks}
        return sizes.pop() if len(sizes) == 1 else 1


def ordering(measurement: Measurement, hierarchy: Hierarchy | None, by: str = ORDERS[0]) -> Ordering:
    """Put the ranks in order.

    Args:
        measurement: of the ranks.
        hierarchy: of the measurement; None: only the hosts are known.
        by: `machine`, by switch, node and socket as found, or `rank`, as in MPI_COMM_WORLD.
    """
    hosts = numbered([rank.host for rank in measurement.ranks])
    measured = np.zeros(len(hosts), dtype=bool)
    there = measured_pairs(measurement)
    measured[measurement.pairs.first[there]] = measured[measurement.pairs.second[there]] = True
    if by == "rank":
        order = np.arange(len(hosts))
    elif hierarchy:
        order = np.array(hierarchy.order, dtype=np.int64)
    else:
        order = np.argsort(hosts, kind="stable")
    order = order[measured[order]]
    levels = _levels(measurement, hierarchy, hosts)
    divisions = [Division(name, _blocks(groups[order], labels)) for name, groups, labels in levels]
    kept = [division for division in divisions if 1 < len(division.blocks) < len(order)]
    return Ordering(order, tuple(sorted(kept, key=lambda division: len(division.blocks))))


def measured_pairs(measurement: Measurement) -> NDArray[np.bool_]:
    """Return which pairs have any value, shape (P,)."""
    pairs = measurement.pairs
    measured = np.zeros(len(pairs), dtype=bool)
    for values in (*pairs.times.values(), *pairs.bandwidths.values()):
        for column in range(values.shape[1]):
            measured |= np.isfinite(values[:, column])
    return measured


def _levels(
    measurement: Measurement, hierarchy: Hierarchy | None, hosts: NDArray[np.int64]
) -> list[tuple[str, NDArray[np.int64], Sequence[str]]]:
    """Return name, groups and labels of the levels; the hosts are always one of them."""
    short = short_names(host.name for host in measurement.hosts)
    levels: list[tuple[str, NDArray[np.int64], Sequence[str]]] = []
    if hierarchy:
        levels = [
            (level.name, level.groups, [short.get(label, label) for label in level.labels])
            for level in hierarchy.levels
        ]
    if not any(np.array_equal(numbered(groups.tolist()), hosts) for _, groups, _ in levels):
        levels.append(("node", hosts, [short[name] for name in dict.fromkeys(measurement.host_names())]))
    return levels


def _blocks(groups: NDArray[np.int64], labels: Sequence[str]) -> tuple[Block, ...]:
    """Return the runs of equal groups; empty if a group is in two runs."""
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    if len(set(groups[starts].tolist())) < len(starts):
        return ()
    stops = np.r_[starts[1:], len(groups)]
    return tuple(
        Block(int(start), int(stop), labels[groups[start]]) for start, stop in zip(starts, stops, strict=True)
    )
