"""Which instances of a collective are in the sample of arrivals: src/runtime/arrivals.h has the same rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.rows import Rows

MOST_SHIFT = 63
"""That a sample can be thinned out."""


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash the numbers of instances as the processes do."""
    with np.errstate(over="ignore"):
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        hashed: NDArray[np.uint64] = numbers ^ (numbers >> np.uint64(31))
    return hashed


def is_kept(instances: NDArray[np.uint64], shifts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which instances are in samples that were thinned out so many times."""
    masks = (np.uint64(1) << shifts.astype(np.uint64)) - np.uint64(1)
    kept: NDArray[np.bool_] = (_mixed(instances) & masks) == 0
    return kept


def thinned_out(tables: Rows, arrivals: Rows, most: int) -> tuple[Rows, Rows]:
    """Keep at most so many instances of each collective of a process: its members keep the same ones."""
    if not len(arrivals):
        return tables, arrivals
    tables = tables.copy()
    owners = arrivals["table"].astype(np.int64)
    while True:
        kept = np.bincount(owners, minlength=len(tables))[: len(tables)] > most
        if not kept.any() or int(tables["shift"].max()) >= MOST_SHIFT:
            return tables, arrivals.copy()
        tables["shift"] += kept.astype(np.uint16)
        chosen = owners < len(tables)
        chosen[chosen] = is_kept(
            arrivals["instance"][chosen], tables["shift"][owners[chosen]].astype(np.int64)
        )
        arrivals, owners = arrivals[chosen], owners[chosen]
