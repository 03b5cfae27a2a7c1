"""The matrix of bytes in the order of slots, in which each node is a block on the diagonal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.analysis.messages.traffic import Traffic
from rankwise.topology.machine.model import NODE, Machine

_MOST = 256  # rows: smaller cells can hardly be seen


@dataclass(frozen=True)
class Cells:
    """Bytes from rows to columns, both with ranks in the order of their slots.

    Attributes:
        within: shape (M, M), between ranks on the same node.
        off_node: shape (M, M), between ranks on different nodes.
        ranks: in the order of their slots.
        together: ranks in a row.
        borders: number of ranks before each node but the first.
        outer: the same for the objects of the level around nodes; empty if there is only one.
        hosts: of the nodes that have ranks, in their order.
    """

    within: NDArray[np.float64]
    off_node: NDArray[np.float64]
    ranks: list[int]
    together: float
    borders: list[int]
    outer: list[int]
    hosts: list[str]


def cells(traffic: Traffic, machine: Machine, slot: ArrayLike) -> Cells:
    """Return the matrix of a placement.

    Args:
        traffic: between ranks.
        machine: of the slots.
        slot: index of the slot of each rank in Machine.slots.
    """
    slots = np.asarray(slot)
    order = np.argsort(slots)
    size = min(traffic.ranks, _MOST)
    row = np.empty(traffic.ranks, dtype=np.int64)
    row[order] = np.arange(traffic.ranks) * size // traffic.ranks
    source, destination = np.asarray(traffic.source), np.asarray(traffic.destination)
    node = machine.slots.host[slots]
    leaves = node[source] != node[destination]
    within, off_node = np.zeros((size, size)), np.zeros((size, size))
    for matrix, those in ((within, ~leaves), (off_node, leaves)):
        sizes = np.asarray(traffic.bytes, dtype=np.float64)[those]
        np.add.at(matrix, (row[source[those]], row[destination[those]]), sizes)
    names = machine.hosts()
    borders = _changes(node[order])
    above = machine.slots.numbers[slots[order], machine.depth(NODE) - 1]
    outer = _changes(above)
    first = [0, *borders]
    return Cells(
        within,
        off_node,
        order.tolist(),
        traffic.ranks / size,
        borders,
        outer if len(outer) < len(borders) else [],
        [names[each] for each in node[order][first].tolist()],
    )


def _changes(values: NDArray[np.int32]) -> list[int]:
    places: list[int] = (np.flatnonzero(np.diff(values)) + 1).tolist()
    return places
