"""Folds the processes beyond the largest power of two, for algorithms that need a power of two.

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
    """The participating processes, and the processes that they represent.

    Attributes:
        inside: ranks of the p participating processes, by their number.
        outside: ranks of the r waiting processes.
        partner: for each of `outside`, the rank inside that received its data.
    """

    inside: Integers
    outside: Integers
    partner: Integers


Folding = Callable[[int], Fold]


def power_below(processes: int) -> int:
    """The largest power of two up to `processes`."""
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
    beyond = processes - power
    return Fold(np.arange(power), np.arange(power, processes), np.arange(beyond))


def _pairs(processes: int, waiting: int) -> Fold:
    beyond = processes - power_below(processes)
    pairs = 2 * np.arange(beyond)
    inside = np.concatenate((pairs + 1 - waiting, np.arange(2 * beyond, processes)))
    return Fold(inside, pairs + waiting, pairs + 1 - waiting)
