"""Adds up rows of calls, of messages and of accesses that have the same key.

The runtime keeps one row set a thread, and a request may be completed by another thread than the one that
posted it. Then a row holds a correction (-1 call here, +1 there), so only the sum over the threads is true,
and it is a sum modulo 2^64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.layout import CONSTANTS

Rows = NDArray[np.void]

_NEVER = np.uint64(np.iinfo(np.uint64).max)
_BIN_BITS = np.uint64(CONSTANTS["CALLS_BIN_BITS"])


def add_up_calls(rows: Rows) -> Rows:
    """Make one row of calls a key, in the order of the keys; rows that corrections emptied are gone."""
    ordered, starts = _by_key(rows)
    total = ordered[starts]
    if not len(total):
        return total
    # A row of corrections alone timed no call: it has no shortest call.
    timed = ordered["calls"].view(np.int64) > 0
    shortest = np.where(timed, ordered["min_ticks"], _NEVER)
    longest = np.where(timed, ordered["max_ticks"], np.uint64(0))
    if len(starts) < len(ordered):  # with one thread there is nothing to add up
        for column in ("calls", "bytes_sent", "bytes_received", "ticks"):
            total[column] = np.add.reduceat(ordered[column], starts)
        shortest, longest = np.minimum.reduceat(shortest, starts), np.maximum.reduceat(longest, starts)
    total["min_ticks"], total["max_ticks"] = shortest, longest
    total["min_ticks"] = np.minimum(total["min_ticks"], total["max_ticks"])
    return _without_emptied(total)


def add_up_messages(rows: Rows) -> Rows:
    """Make one row of messages a key, in the order of the keys; empty rows are gone."""
    ordered, starts = _by_key(rows)
    total = ordered[starts]
    if not len(total):
        return total
    for column in ("messages", "bytes"):
        total[column] = np.add.reduceat(ordered[column], starts)
    nonzero: Rows = total[(total["messages"] != 0) | (total["bytes"] != 0)]
    return nonzero


def add_up_accesses(rows: Rows) -> Rows:
    """Make one row of accesses a key, in the order of the keys."""
    ordered, starts = _by_key(rows)
    total = ordered[starts]
    if len(total):
        for column in ("accesses", "bytes_read", "bytes_written", "ticks"):
            total[column] = np.add.reduceat(ordered[column], starts)
    return total


def _by_key(rows: Rows) -> tuple[Rows, NDArray[np.intp]]:
    """Return the rows in use in the order of their keys, and where each key starts."""
    if not len(rows):
        return rows, np.empty(0, np.intp)
    used = rows[rows["key"] != 0]
    ordered = used[np.argsort(used["key"], kind="stable")]
    keys: NDArray[Any] = ordered["key"]
    return ordered, np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))[: len(keys)])


def _without_emptied(total: Rows) -> Rows:
    """Drop the rows that have no call and no byte left.

    A receive is posted on one row and booked on another when its true size is known. The time that the
    posting took stays where it was; it goes to the first row of the same procedure so that none is lost.
    """
    emptied = (total["calls"] == 0) & (total["bytes_sent"] == 0) & (total["bytes_received"] == 0)
    if not emptied.any():
        return total
    kept: Rows = total[~emptied]
    gone: Rows = total[emptied & (total["ticks"] != 0)]
    heirs = np.searchsorted(kept["key"] >> _BIN_BITS, gone["key"] >> _BIN_BITS)
    for row, heir in zip(gone, heirs.tolist(), strict=True):
        if heir == len(kept) or kept["key"][heir] >> _BIN_BITS != row["key"] >> _BIN_BITS:
            continue
        kept["ticks"][heir] += row["ticks"]
        kept["max_ticks"][heir] = max(kept["max_ticks"][heir], row["max_ticks"])
    return kept
