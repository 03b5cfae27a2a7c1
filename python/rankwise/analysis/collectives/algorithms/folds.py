"""Folds the processes beyond the largest power of two, where an algorithm needs a power of two.

Source: Thakur, Rabenseifner, Gropp, 2005, section 4.5: with p the largest power of two and r = n - p, r
processes give their data to a neighbour, wait, and get the result.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankwise.analysis.collectives.algorithms.schedule import Integers
from rankwise.records import dataclass


@dataclass(frozen=True)
class Fold:
    """The participating processes, and those that they stand for.

    Attributes:
        inside: ranks of the p processes that take part, by their number among these.
        outside: the r that wait.
        partner: the one inside that each of `outside` has given its data to.
    """

    inside: Integers
    outside: Integers
    partner: Integers


Folding = Callable[[int], Fold]


def power_below(processes: int) -> int:
    """The largest power of two that is not above `processes`."""
    return 1 << (processes.bit_length() - 1)


def even_waits(processes: int) -> Fold:
    """Among the first 2r, each even rank gives its data to the next odd rank."""
    return _pairs(processes, waiting=0)


def odd_waits(processes: int) -> Fold:
    """Among the first 2r, each odd rank gives its data to the previous even rank."""
    return _pairs(processes, waiting=1)


def last_wait(processes: int) -> Fold:
    """The last r ranks give their data to the first r."""
    power = power_below(processes)
    rest = processes - power
    return Fold(np.arange(power), np.arange(power, processes), np.arange(rest))


def _pairs(processes: int, waiting: int) -> Fold:
    rest = processes - power_below(processes)
    pairs = 2 * np.arange(rest)
    inside = np.concatenate((pairs + 1 - waiting, np.arange(2 * rest, processes)))
    return Fold(inside, pairs + waiting, pairs + 1 - waiting)
