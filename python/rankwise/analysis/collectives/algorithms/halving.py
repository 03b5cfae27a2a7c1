"""Recursive halving of a buffer: reduce-scatter, and Rabenseifner's algorithms based on it.

Sources: Thakur, Rabenseifner, Gropp, 2005 (recursive halving); Rabenseifner, "Optimization of collective
reduction operations", 2004 (allreduce and reduce); Träff, "An improved algorithm for (non-commutative)
reduce-scatter with an application", 2005 (butterfly).
"""

from __future__ import annotations

import numpy as np

from rankwise.analysis.collectives.algorithms.doubling import exchanges, powers
from rankwise.analysis.collectives.algorithms.folds import Fold
from rankwise.analysis.collectives.algorithms.schedule import Integers, Schedule


def scatter_reduced(inside: Integers, blocks: Integers, processes: int) -> Schedule:
    """Partners whose numbers differ in bit 0, then 1, ... each give away half of their remaining blocks.

    At the end, number v has block mirror(v).

    Args:
        inside: ranks, by number; their count is a power of two.
        blocks: bytes, by number.
        processes: number of processes of the communicator.
    """
    schedule = Schedule(processes)
    numbers = np.arange(len(inside))
    start = np.concatenate(([0], np.cumsum(blocks)))
    low, high = np.zeros_like(numbers), np.full_like(numbers, len(inside))
    for distance in powers(len(inside)):
        middle = (low + high) // 2
        upper = numbers & distance != 0
        given = np.where(upper, start[middle] - start[low], start[high] - start[middle])
        schedule.send(inside, inside[numbers ^ distance], given)
        low, high = np.where(upper, middle, low), np.where(upper, high, middle)
    return schedule


def reversed_(schedule: Schedule) -> Schedule:
    """The same messages in the opposite direction and order: an allgather from a reduce-scatter."""
    back = Schedule(schedule.processes)
    for part in reversed(schedule.rounds):
        back.send(part.destination, part.source, part.bytes, part.messages)
    return back


def allreduce(processes: int, fold: Fold, size: int, blocks: Integers) -> Schedule:
    """Rabenseifner: reduce-scatter by recursive halving, then allgather by recursive doubling."""
    before, after = Schedule(processes), Schedule(processes)
    before.send(fold.outside, fold.partner, size)
    after.send(fold.partner, fold.outside, size)
    halving = scatter_reduced(fold.inside, blocks, processes)
    return before.then(halving).then(reversed_(halving)).then(after)


def allreduce_halved(processes: int, fold: Fold, size: int, given: int, blocks: Integers) -> Schedule:
    """Rabenseifner; in the fold, each partner computes on a part of the buffer.

    Args:
        processes: number of processes of the communicator.
        fold: the participating processes.
        size: bytes of the buffer.
        given: bytes of the part for the partner inside.
        blocks: bytes, by number.
    """
    after = Schedule(processes)
    after.send(fold.partner, fold.outside, size)
    halving = scatter_reduced(fold.inside, blocks, processes)
    return halved_fold(processes, fold, size, given).then(halving).then(reversed_(halving)).then(after)


def reduce(processes: int, fold: Fold, root: int, blocks: Integers, before: Schedule) -> Schedule:
    """Rabenseifner: reduce-scatter by recursive halving, then gather to the root, farthest partner first.

    If the root is outside the fold, it gets the block of number 0 and takes its place.

    Args:
        processes: number of processes of the communicator.
        fold: the participating processes.
        root: rank.
        blocks: bytes, by number.
        before: messages of the fold itself.
    """
    halving = scatter_reduced(fold.inside, blocks, processes)
    schedule = before.then(halving)
    inside = fold.inside.copy()
    if root not in inside:
        schedule.send(inside[0], root, blocks[0])
        inside[0] = root
    numbers = np.arange(len(inside))
    apart = numbers ^ int(np.flatnonzero(inside == root)[0])
    for distance, part in zip(reversed(list(powers(len(inside)))), reversed(halving.rounds), strict=True):
        # Numbers that differ from the root's only in this bit or below still have to be gathered.
        giving = numbers[(apart & distance != 0) & (apart < 2 * distance)]
        # Each now has the blocks that it received from its partner in the same round of the reduce-scatter.
        schedule.send(inside[giving], inside[giving ^ distance], part.bytes[giving ^ distance])
    return schedule


def halved_fold(processes: int, fold: Fold, size: int, given: int) -> Schedule:
    """Partners swap parts of the buffer; the outside partner returns its result."""
    schedule = Schedule(processes)
    schedule.send(fold.outside, fold.partner, given)
    schedule.send(fold.partner, fold.outside, size - given)
    schedule.send(fold.outside, fold.partner, size - given)
    return schedule


def reduce_scatter(processes: int, fold: Fold, size: int) -> Schedule:
    """Recursive halving, farthest partner first: each ends with the blocks of the processes it represents."""
    schedule = Schedule(processes)
    schedule.send(fold.outside, fold.partner, processes * size)
    start = _starts(fold, processes)
    numbers = np.arange(len(fold.inside))
    for distance in reversed(list(powers(len(numbers)))):
        partner = numbers ^ distance
        first = partner // distance * distance
        schedule.send(fold.inside, fold.inside[partner], (start[first + distance] - start[first]) * size)
    schedule.send(fold.partner, fold.outside, size)
    return schedule


def butterfly(processes: int, fold: Fold, size: int) -> Schedule:
    """Recursive halving, nearest partner first; then each block goes to its owner."""
    schedule = Schedule(processes)
    schedule.send(fold.outside, fold.partner, processes * size)
    power = len(fold.inside)
    blocks = np.diff(_starts(fold, processes)) * size
    schedule = schedule.then(scatter_reduced(fold.inside, blocks, processes))
    numbers = np.arange(power)
    mirrored = _mirror(numbers, power)
    owner = fold.inside[mirrored]
    moved = fold.inside != owner
    schedule.send(fold.inside[moved], owner[moved], size)
    behind = {int(inside): int(outside) for inside, outside in zip(fold.partner, fold.outside, strict=True)}
    outside = np.array([behind.get(int(rank), -1) for rank in owner])
    schedule.send(fold.inside[outside >= 0], outside[outside >= 0], size)
    return schedule


def butterfly_in_place(processes: int, size: int) -> Schedule | None:
    """The butterfly with reordered blocks, so that each ends at its owner. For powers of two."""
    if processes & (processes - 1):
        return None
    return scatter_reduced(np.arange(processes), np.full(processes, size, np.int64), processes)


def reduce_scatter_doubling(processes: int, size: int) -> Schedule:
    """Recursive doubling: partners swap partial results of all blocks that the other's group may need."""
    schedule = Schedule(processes)
    for part in exchanges(processes):
        schedule.send(part.source, part.destination, (processes - (part.last - part.first)) * size)
    return schedule


def _starts(fold: Fold, processes: int) -> Integers:
    """The number of processes that the numbers below v represent, for v = 0 to p."""
    stands_for = np.ones(len(fold.inside), np.int64)
    stands_for[np.isin(fold.inside, fold.partner)] += 1
    starts = np.concatenate(([0], np.cumsum(stands_for)))
    assert starts[-1] == processes
    return starts


def _mirror(numbers: Integers, power: int) -> Integers:
    """The bits of each number in the opposite order."""
    mirrored = np.zeros_like(numbers)
    for bit in range(power.bit_length() - 1):
        mirrored = mirrored << 1 | numbers >> bit & 1
    return mirrored
