"""Who the neighbours of each member of a communicator are (MPI 4.1, chapter 8).

The neighbours on a Cartesian communicator follow from its dimensions. On graphs, each
process has noted where it sends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.counters import Counters
from rankwise.profile.join.communicators import FIRST, CommunicatorTable
from rankwise.profile.join.grouping import distinct

NOBODY = -1
"""In place of a neighbour."""
_END = -1  # the last one that a process has noted
_MOST = 1 << 17  # members times the most neighbours that one has


def are_known(topology: str, dims: Sequence[int], size: int) -> bool:
    """Return whether neighbours follow from the dimensions: of more than 8 the profile has only the first."""
    return topology == "cart" and math.prod(dims) == size


def noted(world: Mapping[int, Counters], joined: CommunicatorTable) -> dict[int, NDArray[np.int64]]:
    """Return the senders and receivers on graphs that every member has noted.

    Args:
        world: counters by rank.
        joined: its communicators.

    Returns:
        by communicator: world ranks of sources and destinations, a row a pair, never a rank with itself.
    """
    parts: dict[int, list[NDArray[np.int64]]] = {}
    for rank, counters in world.items():
        on = joined.ids_of(rank, counters.neighbours["communicator"].astype(np.int64))
        for communicator in distinct(on[on >= FIRST]).tolist():
            group = joined.groups.get(communicator, {})
            places = counters.neighbours["rank"][on == communicator].tolist()
            if places[-1:] == [_END]:
                others = {group.get(place, rank) for place in places} - {rank}
                edges = np.array([(rank, other) for other in sorted(others)], np.int64).reshape(-1, 2)
                parts.setdefault(communicator, []).append(edges)
    sizes = {row.id: row.size for row in joined.rows}
    return dict(_whole(parts, sizes))


def _whole(
    parts: Mapping[int, Sequence[NDArray[np.int64]]], sizes: Mapping[int, int]
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    for communicator, members in parts.items():
        edges = np.concatenate(members)
        if len(members) != sizes[communicator] or not len(edges):
            continue
        if int(np.bincount(edges[:, 1]).max()) * sizes[communicator] <= _MOST:
            yield communicator, edges


def sources(ranks: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of the ranks that each of some ranks receives from: one row a rank, filled up
    with at least one `NOBODY`.

    Args:
        ranks: ascending.
        edges: of these, sources and destinations.
    """
    source, destination = (np.searchsorted(ranks, edges[:, side]) for side in (0, 1))
    order = np.lexsort((source, destination))
    source, destination = source[order], destination[order]
    column = np.arange(len(order)) - np.searchsorted(destination, destination)
    places = np.full((len(ranks), int(column.max(initial=0)) + 2), NOBODY)
    places[destination, column] = source
    return places


def neighbours(dims: Sequence[int], periods: Sequence[int]) -> NDArray[np.int64]:
    """Return the neighbours of each place in a grid: one row a place, each neighbour once, never itself."""
    size = math.prod(dims)
    places, stride = np.arange(size), size
    columns = [np.full(size, NOBODY)]
    for count, is_periodic in zip(dims, periods, strict=True):
        stride //= count
        own = places // stride % count
        for step in (-1, 1):
            there = (own + step) % count
            other = places + (there - own) * stride
            is_there = (there == own + step) | bool(is_periodic)
            columns.append(np.where(is_there & (other != places), other, NOBODY))
    neighbours_sorted = np.sort(np.stack(columns, axis=1), axis=1)
    neighbours_sorted[:, 1:][neighbours_sorted[:, 1:] == neighbours_sorted[:, :-1]] = NOBODY
    return neighbours_sorted
