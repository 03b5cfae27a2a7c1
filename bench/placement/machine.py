"""The machine of the benchmark, what a placement costs on it, and what none can cost less than."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from placement.graphs import Graph, grid

INSIDE = (16, 2, 12)  # nodes of a switch, packages of a node, cores of a package
DISTANCES = (20, 10, 2, 1)  # between slots with no object in common, with the switch, the node, the package


def arities(ranks: int) -> tuple[int, ...]:
    """As many switches as the ranks need, with the objects inside them."""
    return (-(-ranks // int(np.prod(INSIDE))), *INSIDE)


SIZES = tuple(int(np.prod(INSIDE[level:])) for level in range(len(INSIDE)))
"""Slots of a switch, a node, a package."""


def objects(ranks: int) -> NDArray[np.int32]:
    """Switch, node and package of each slot, numbered over the whole machine."""
    slots = np.arange(int(np.prod(arities(ranks))), dtype=np.int32)
    return np.stack([slots // size for size in SIZES], axis=1)


def cost(graph: Graph, slot: NDArray[np.int32]) -> float:
    """Sum over all pairs of ranks of bytes x distance."""
    distance = np.full(len(graph.one), DISTANCES[0])
    first_slot, second_slot = slot[graph.one], slot[graph.other]
    for size, below in zip(SIZES, DISTANCES[1:], strict=True):
        distance[first_slot // size == second_slot // size] = below
    return float(np.sum(graph.bytes * distance))


def repaired(slot: NDArray[np.int32], ranks: int) -> tuple[NDArray[np.int32], int]:
    """Give each rank that shares its slot the nearest free one.

    Returns:
        The placement, and how many ranks had to move.
    """
    owners = np.full(int(np.prod(arities(ranks))), -1)
    fixed = slot.copy()
    waiting = []
    for rank, place in enumerate(slot.tolist()):
        if owners[place] < 0:
            owners[place] = rank
        else:
            waiting.append(rank)
    moved = len(waiting)
    for size in (*reversed(SIZES), len(owners)):
        still = []
        for rank in waiting:
            first = int(slot[rank]) // size * size
            free = np.flatnonzero(owners[first : first + size] < 0)
            if len(free):
                fixed[rank] = first + free[0]
                owners[fixed[rank]] = rank
            else:
                still.append(rank)
        waiting = still
    return fixed, moved


_BOUNDED = {"halo 2-D 5": 2, "halo 3-D 7": 3}


def bound(kind: str, graph: Graph) -> float | None:
    """Find what no placement of a halo with equal faces can cost less than; None for other graphs.

    m cells of a grid with d axes have a surface of at least 2 d m^((d-1)/d). So n cells in groups of at
    most m cut (n/m x that - the surface of the whole grid) / 2 faces or more.
    """
    axes = _BOUNDED.get(kind)
    if axes is None:
        return None
    ranks = graph.ranks
    surface = sum(2 * ranks / side for side in grid(ranks, axes))
    faces = DISTANCES[-1] * float(len(graph.one))
    for level, size in enumerate(SIZES):
        cut = (ranks / size * 2 * axes * size ** ((axes - 1) / axes) - surface) / 2
        faces += (DISTANCES[level] - DISTANCES[level + 1]) * max(0.0, cut)
    return faces * float(graph.bytes[0])
