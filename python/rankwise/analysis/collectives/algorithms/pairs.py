"""Each process sends directly to each other, or to the root.

Source: Thakur, Rabenseifner, Gropp, 2005 (all posted at once, or pairwise exchange). The matrix does not show
the order in time.
"""

from __future__ import annotations

import numpy as np

from rankwise.analysis.collectives.algorithms.schedule import Schedule


def everybody(processes: int, size: int, *, itself: bool = False) -> Schedule:
    """In round k, each process sends to the process k ahead."""
    schedule = Schedule(processes)
    ranks = np.arange(processes)
    for distance in range(0 if itself else 1, processes):
        schedule.send(ranks, (ranks + distance) % processes, size)
    return schedule


def gather_with_sync(processes: int, root: int, size: int) -> Schedule:
    """The root requests each block with an empty message; the block arrives in two parts."""
    schedule = Schedule(processes)
    others = np.delete(np.arange(processes), root)
    schedule.send(root, others, 0)
    schedule.send(others, root, size, messages=2)
    return schedule


def itself(processes: int, root: int, size: int) -> Schedule:
    """The root sends to itself."""
    schedule = Schedule(processes)
    schedule.send(root, root, size)
    return schedule
