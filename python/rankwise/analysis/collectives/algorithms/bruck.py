"""Bruck's algorithms: blocks travel over distances of powers of a radix.

Source: Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
message-passing systems", 1997.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankwise.analysis.collectives.algorithms.doubling import powers
from rankwise.analysis.collectives.algorithms.schedule import Schedule


def allgather(processes: int, size: int, radix: int = 2, direction: int = -1) -> Schedule | None:
    """In round k, each process sends missing blocks to the processes d, 2 d, ... away; d = radix^k."""
    if radix > 2 and processes <= radix + 1:
        return None  # everybody would send to everybody
    schedule = Schedule(processes)
    ranks = np.arange(processes)
    for distance, digit in _steps(processes, radix):
        away = digit * distance
        if away < processes:
            schedule.send(
                ranks, (ranks + direction * away) % processes, min(distance, processes - away) * size
            )
    return schedule


def alltoall(processes: int, size: int, radix: int = 2, direction: int = 1) -> Schedule | None:
    """A block with i processes to go travels digit by digit of i, in base `radix`."""
    if radix > 2 and processes <= radix + 1:
        return None  # everybody would send to everybody
    schedule = Schedule(processes)
    ranks = np.arange(processes)
    for distance, digit in _steps(processes, radix):
        blocks = int((ranks // distance % radix == digit).sum())
        if blocks:
            schedule.send(ranks, (ranks + direction * digit * distance) % processes, blocks * size)
    return schedule


def _steps(processes: int, radix: int) -> Iterator[tuple[int, int]]:
    """Yield the distance of each round, and the digits of its base that are not 0."""
    distance = 1
    while distance < processes:
        for digit in range(1, radix):
            yield distance, digit
        distance *= radix


def sparbit(processes: int, size: int) -> Schedule:
    """Allgather with the farthest distance first, so that blocks arrive in place: one message each.

    Source: Loch, Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather
    algorithm", 2021.
    """
    schedule = Schedule(processes)
    ranks = np.arange(processes)
    away = ranks[1:]
    for distance in reversed(list(powers(processes))):
        # A block reaches the process at distance i in one step for each bit of i, lowest bit last.
        blocks = int((away & -away == distance).sum())
        schedule.send(ranks, (ranks + distance) % processes, blocks * size, messages=blocks)
    return schedule
