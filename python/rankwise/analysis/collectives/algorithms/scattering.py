"""Broadcast of a long buffer: scatter its blocks, then allgather them.

Source: van de Geijn, "On global combine operations", 1994; Thakur, Rabenseifner, Gropp, 2005.
"""

from __future__ import annotations

import numpy as np

from rankwise.analysis.collectives.algorithms import rings, trees
from rankwise.analysis.collectives.algorithms.doubling import exchanges
from rankwise.analysis.collectives.algorithms.schedule import Integers, Schedule


def scatter(blocks: Integers, root: int) -> Schedule:
    """Down the binomial tree, each with the blocks of its subtree.

    Args:
        blocks: bytes, by position.
        root: rank at position 0.
    """
    parents = trees.k_nomial(len(blocks), 2)
    return trees.down(parents, root, _of_subtrees(parents, blocks))


def scatter_without_empty(blocks: Integers, root: int) -> Schedule:
    """The same without empty messages, for fewer bytes than processes."""
    schedule = Schedule(len(blocks))
    for part in scatter(blocks, root).rounds:
        filled = part.bytes > 0
        schedule.send(part.source[filled], part.destination[filled], part.bytes[filled])
    return schedule


def scatter_too_much(blocks: Integers, root: int) -> Schedule:
    """The same, but inner processes send their first child all blocks up to the end of the buffer.

    MPICH does this in MPI_Ibcast.
    """
    parents = trees.k_nomial(len(blocks), 2)
    sizes = _of_subtrees(parents, blocks)
    between = np.flatnonzero(parents > 0)
    above = parents[between]
    first = between[2 * (between & -between) == above & -above]
    sizes[first] = np.cumsum(blocks[::-1])[::-1][first]
    return trees.down(parents, root, sizes)


def _of_subtrees(parents: Integers, blocks: Integers) -> Integers:
    """Bytes of the blocks of each subtree; its positions are consecutive."""
    start = np.concatenate(([0], np.cumsum(blocks)))
    positions = np.arange(len(parents))
    sizes: Integers = start[positions + trees.subtrees(parents)] - start[positions]
    return sizes


def ring(blocks: Integers, root: int) -> Schedule:
    """Allgather of the blocks once around the ring."""
    return rings.around(blocks, first=0, root=root)


def recursive_doubling(blocks: Integers, root: int) -> Schedule:
    """Allgather of the blocks by recursive doubling."""
    processes = len(blocks)
    start = np.concatenate(([0], np.cumsum(blocks)))
    schedule = Schedule(processes)
    for part in exchanges(processes):
        schedule.send(
            (part.source + root) % processes,
            (part.destination + root) % processes,
            start[part.last] - start[part.first],
        )
    return schedule


def split_binary(processes: int, root: int, halves: Integers, segments: int) -> Schedule:
    """Half the buffer down each half of a binary tree; then the halves swap, pair by pair.

    The odd positions get the first half. A position without a partner gets the other half from the root.
    """
    parents = trees.dealt(processes, 2)
    positions = np.arange(processes)
    sizes = np.where(positions % 2, halves[0], halves[1])
    schedule = trees.down(parents, root, sizes).segmented(segments)
    odd = positions[1 : processes - 1 : 2]
    pairs = np.concatenate((odd, odd + 1))
    partners = np.concatenate((odd + 1, odd))
    if processes % 2 == 0:
        pairs, partners = np.append(pairs, 0), np.append(partners, processes - 1)
    # The root, at position 0, sends the second half like all even positions.
    schedule.send((pairs + root) % processes, (partners + root) % processes, sizes[pairs])
    return schedule
