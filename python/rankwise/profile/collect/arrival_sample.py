"""Which instances of a collective are in the sample of arrivals, by the rule of src/runtime/arrivals.h."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.rows import Rows

MOST_SHIFT = 63
"""That a sample can be thinned out."""
_IN_PAIRS = np.zeros(1 << 16, bool)
_IN_PAIRS[[procedure.id for procedure in PROCEDURES if procedure.class_name == "neighbourhood"]] = True


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash the numbers of instances as the processes do."""
    with np.errstate(over="ignore"):
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        hashed: NDArray[np.uint64] = numbers ^ (numbers >> np.uint64(31))
    return hashed


def is_kept(
    instances: NDArray[np.uint64], shifts: NDArray[np.int64], procedures: NDArray[np.integer] | None = None
) -> NDArray[np.bool_]:
    """Return which instances remain in samples that were halved this many times.

    Args:
        instances: their numbers.
        shifts: how often.
        procedures: of each; instances among neighbours are kept in pairs. None = no such collectives.
    """
    masks = (np.uint64(1) << shifts.astype(np.uint64)) - np.uint64(1)
    if procedures is not None:
        pairs = (instances + np.uint64(1)) >> np.uint64(1)
        instances = np.where(_IN_PAIRS[procedures], pairs, instances)
    kept: NDArray[np.bool_] = (_mixed(instances) & masks) == 0
    return kept


def thinned_out(tables: Rows, arrivals: Rows, most: int) -> tuple[Rows, Rows]:
    """Keep at most this many instances of each collective of a process; all its members keep the same.

    A few of the instances that are kept for their length remain in addition.
    """
    if not len(arrivals):
        return tables, arrivals
    tables = tables.copy()
    owners = arrivals["table"].astype(np.int64)
    known = owners < len(tables)
    in_sample = known.copy()
    in_sample[known] = _in_samples(tables, arrivals[known])
    long_ones = arrivals[known & ~in_sample]
    long_ones = long_ones[longest(long_ones["table"].astype(np.int64), _steps(long_ones), max(most // 4, 1))]
    arrivals, owners = arrivals[in_sample], owners[in_sample]
    while True:
        kept = np.bincount(owners, minlength=len(tables))[: len(tables)] > most
        if not kept.any() or int(tables["shift"].max()) >= MOST_SHIFT:
            return tables, np.concatenate([arrivals, long_ones])
        tables["shift"] += kept.astype(np.uint16)
        chosen = _in_samples(tables, arrivals)
        arrivals, owners = arrivals[chosen], owners[chosen]


def _in_samples(tables: Rows, arrivals: Rows) -> NDArray[np.bool_]:
    own = tables[arrivals["table"].astype(np.int64)]
    return is_kept(arrivals["instance"], own["shift"].astype(np.int64), own["procedure"])


def _steps(arrivals: Rows) -> NDArray[np.float64]:
    """Return how long the steps took that ended with these calls, in ticks."""
    steps: NDArray[np.float64] = (arrivals["since"] + (arrivals["left"] - arrivals["arrived"])).astype(
        np.float64
    )
    return steps


def longest(groups: NDArray[np.int64], steps: NDArray[np.float64], most: int) -> NDArray[np.bool_]:
    """Return which are the longest of each group, at most this many."""
    order = np.lexsort((-steps, groups))
    ordered = groups[order]
    firsts = np.searchsorted(ordered, ordered)  # where the group of each begins
    chosen = np.zeros(len(groups), bool)
    chosen[order] = np.arange(len(groups)) - firsts < most
    return chosen
