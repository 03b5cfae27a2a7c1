"""Recursive doubling, dissemination and scans: in round k, each process communicates over distance 2^k.

Sources: Thakur, Rabenseifner, Gropp, 2005 (recursive doubling); Hensgen, Finkel, Manber, "Two algorithms for
barrier synchronization", 1988 (dissemination); Hillis, Steele, "Data parallel algorithms", 1986 (scan).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankwise.analysis.collectives.algorithms.folds import Fold
from rankwise.analysis.collectives.algorithms.schedule import Integers, Schedule
from rankwise.records import dataclass


def powers(limit: int) -> Iterator[int]:
    """1, 2, 4, ... below `limit`."""
    power = 1
    while power < limit:
        yield power
        power *= 2


def folded(processes: int, fold: Fold, size: int) -> Schedule:
    """Each round exchanges the whole buffer; processes outside the fold send first and receive last."""
    schedule = Schedule(processes)
    schedule.send(fold.outside, fold.partner, size)
    numbers = np.arange(len(fold.inside))
    for distance in powers(len(numbers)):
        schedule.send(fold.inside, fold.inside[numbers ^ distance], size)
    schedule.send(fold.partner, fold.outside, size)
    return schedule


def dissemination(processes: int, size: int) -> Schedule:
    """In round k, each process sends to the process 2^k ahead, cyclically."""
    schedule = Schedule(processes)
    ranks = np.arange(processes)
    for distance in powers(processes):
        schedule.send(ranks, (ranks + distance) % processes, size)
    return schedule


def scan_exchanging(processes: int, size: int) -> Schedule:
    """Partial results are exchanged with the partner whose number differs in bit k, if it exists."""
    schedule = Schedule(processes)
    ranks = np.arange(processes)
    for distance in powers(processes):
        here = ranks[ranks ^ distance < processes]
        schedule.send(here, here ^ distance, size)
    return schedule


def scan_upwards(processes: int, size: int) -> Schedule:
    """Partial results go to the rank 2^k higher, if it exists."""
    schedule = Schedule(processes)
    for distance in powers(processes):
        lower = np.arange(processes - distance)
        schedule.send(lower, lower + distance, size)
    return schedule


@dataclass(frozen=True)
class Exchange:
    """Messages in one part of a round of recursive doubling.

    Attributes:
        source, destination: positions.
        first, last: range of the blocks in each message; `last` is excluded.
    """

    source: Integers
    destination: Integers
    first: Integers
    last: Integers


def exchanges(processes: int) -> Iterator[Exchange]:
    """Recursive doubling of blocks among any number of processes.

    In round k partners whose numbers differ in bit k swap all blocks of their groups of 2^k neighbours. A
    process without a partner gets the blocks from its group, which forwards them down a binomial tree.
    """
    positions = np.arange(processes)
    for distance in powers(processes):
        partner = positions ^ distance
        here = positions[partner < processes]
        first = here // distance * distance
        yield Exchange(here, partner[here], first, np.minimum(first + distance, processes))
        yield from _passed_on(processes, distance)


def _passed_on(processes: int, distance: int) -> Iterator[Exchange]:
    """Forward the blocks of the last, incomplete group to members of the previous group without a partner."""
    group = processes // (2 * distance) * 2 * distance
    served = processes - group - distance
    if not 0 < served < distance:
        return
    places = np.arange(distance)
    step = distance // 2
    while step:
        # In each range of 2 x step places, the first `served` have the blocks.
        served_to = places // (2 * step) * 2 * step + served
        giver = places[(places & step == 0) & (places < served_to) & (places + step >= served_to)]
        if giver.size:
            every = np.ones_like(giver)
            yield Exchange(group + giver, group + giver + step, (group + distance) * every, processes * every)
        step //= 2
