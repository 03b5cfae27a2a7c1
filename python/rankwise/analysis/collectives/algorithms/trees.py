"""Trees, given by the parents of the processes.

Every tree is an array of parents for the positions 0 to n-1; position 0 is the root and has parent -1. If the
root of the call is rank r, position v is rank (v + r) mod n.

Sources: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005
(linear, binomial); Pješivac-Grbović et al., "Performance analysis of MPI collective operations", 2007
(chain, binary); Träff, "A simple work-optimal broadcast algorithm for message passing parallel systems",
2004 (binomial trees by distance).
"""

from __future__ import annotations

import numpy as np

from rankwise.analysis.collectives.algorithms.schedule import Integers, Schedule


def linear(processes: int) -> Integers:
    """Each process is a child of the root."""
    return np.where(np.arange(processes) == 0, -1, 0)


def chain(processes: int) -> Integers:
    """Each process is the child of the previous one."""
    return np.arange(processes) - 1


def chains(processes: int, count: int) -> Integers:
    """`count` chains of neighbours below the root; the first chains may be longer by one."""
    parents = np.arange(processes) - 1
    length, longer = divmod(processes - 1, count)
    heads = 1 + np.arange(count) * length + np.minimum(np.arange(count), longer)
    parents[heads[heads < processes]] = 0
    return parents


def dealt(processes: int, children: int) -> Integers:
    """Each has up to `children` children; each level is dealt round-robin to the positions above."""
    parents = np.full(processes, -1, np.int64)
    above, width = 0, 1
    while above + width < processes:
        start = above + width
        below = np.arange(start, min(processes, start + width * children))
        parents[below] = above + (below - start) % width
        above, width = start, width * children
    return parents


def by_level(processes: int, children: int) -> Integers:
    """Each has up to `children` consecutive children: for v, they are children v + 1, ..."""
    return np.where(np.arange(processes) == 0, -1, (np.arange(processes) - 1) // children)


def k_nomial(processes: int, radix: int) -> Integers:
    """The parent's position is the child's with its lowest nonzero digit set to 0, in base `radix`.

    Radix 2 is the binomial tree whose subtrees hold neighbours: distances halve on the way down.
    """
    positions = np.arange(processes)
    parents = np.full(processes, -1, np.int64)
    weight = 1
    while weight < processes:
        lowest = (positions % weight == 0) & (positions // weight % radix != 0)
        parents[lowest] = positions[lowest] // (weight * radix) * (weight * radix)
        weight *= radix
    return parents


def k_nomial_doubling(processes: int, radix: int) -> Integers:
    """The parent's position is the child's with its highest digit set to 0, in base `radix`.

    Distances grow on the way down.
    """
    positions = np.arange(processes)
    parents = np.full(processes, -1, np.int64)
    weight = 1
    while weight < processes:
        highest = (positions >= weight) & (positions < weight * radix)
        parents[highest] = positions[highest] % weight
        weight *= radix
    return parents


def in_order(processes: int) -> Integers:
    """Binary tree whose subtrees hold neighbours; the root is the *last* position.

    An operator that does not commute can be applied in the order of the ranks.
    """
    parents = np.full(processes, -1, np.int64)
    open_ = [(0, processes - 1)]
    while open_:
        first, root = open_.pop()
        right = (root - first) // 2
        for low, high in ((root - right, root - 1), (first, root - right - 1)):
            if low <= high:
                parents[high] = root
                open_.append((low, high))
    return parents


def depths(parents: Integers) -> Integers:
    """The number of edges from the root to each position."""
    depth = np.zeros(len(parents), np.int64)
    above = parents.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parents[above], -1)
    return depth


def subtrees(parents: Integers) -> Integers:
    """The number of positions in the subtree of each, itself included."""
    sizes = np.ones(len(parents), np.int64)
    depth = depths(parents)
    for level in range(int(depth.max(initial=0)), 0, -1):
        children = np.flatnonzero(depth == level)
        np.add.at(sizes, parents[children], sizes[children])
    return sizes


def down(parents: Integers, root: int, size: Integers | int) -> Schedule:
    """Each receives `size` bytes (one number, or one for each position) from its parent."""
    return _along(parents, root, size, upwards=False)


def up(parents: Integers, root: int, size: Integers | int) -> Schedule:
    """Each sends `size` bytes (one number, or one for each position) to its parent."""
    return _along(parents, root, size, upwards=True)


def _along(parents: Integers, root: int, size: Integers | int, *, upwards: bool) -> Schedule:
    processes = len(parents)
    schedule = Schedule(processes)
    sizes = np.broadcast_to(np.asarray(size, np.int64), (processes,))
    depth = depths(parents)
    levels = range(1, int(depth.max(initial=0)) + 1)
    for level in reversed(levels) if upwards else levels:
        children = np.flatnonzero(depth == level)
        child, parent = (children + root) % processes, (parents[children] + root) % processes
        if upwards:
            schedule.send(child, parent, sizes[children])
        else:
            schedule.send(parent, child, sizes[children])
    return schedule
