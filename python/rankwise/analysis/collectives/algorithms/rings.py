"""Neighbours in a ring, and pairs of neighbours.

Sources: Thakur, Rabenseifner, Gropp, 2005 (ring allgather); Patarasuk, Yuan, "Bandwidth optimal all-reduce
algorithms for clusters of workstations", 2009 (ring allreduce); Chen, Zhang, Zhang, Yuan, "Performance
evaluation of allgather algorithms on terascale Linux cluster with fast Ethernet", 2005 (neighbour exchange).
"""

from __future__ import annotations

import numpy as np

from rankwise.analysis.collectives.algorithms.schedule import Integers, Schedule


def around(blocks: Integers, first: int, step: int = 1, root: int = 0) -> Schedule:
    """Each process passes n - 1 blocks to its neighbour: the block at offset `first`, then the previous, ...

    Args:
        blocks: bytes of each block, by position.
        first: position of the block that position 0 passes on first.
        step: 1 = to the next position, -1 = to the previous.
        root: rank at position 0.
    """
    processes = len(blocks)
    schedule = Schedule(processes)
    positions = np.arange(processes)
    for turn in range(processes - 1):
        schedule.send(
            (positions + root) % processes,
            (positions + step + root) % processes,
            blocks[(positions + first - step * turn) % processes],
        )
    return schedule


def laps(processes: int, count: int, size: int) -> Schedule:
    """`count` consecutive times around the ring."""
    schedule = Schedule(processes)
    for _ in range(count):
        for rank in range(processes):
            schedule.send(rank, (rank + 1) % processes, size)
    return schedule


def neighbour_exchange(processes: int, size: int) -> Schedule | None:
    """Pairs swap a block, then two blocks with the neighbour on the other side, ... None if n is odd."""
    if processes % 2:
        return None
    schedule = Schedule(processes)
    ranks = np.arange(processes)
    for turn in range(processes // 2):
        partner = ranks ^ 1 if turn % 2 == 0 else (ranks + np.where(ranks % 2, 1, -1)) % processes
        schedule.send(ranks, partner, size if turn == 0 else 2 * size)
    return schedule
