"""The sample of call paths of a process: its valid rows, and a part of them for large jobs."""

from __future__ import annotations

import numpy as np

from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.rows import Rows

SUMS = ("calls", "ticks", "calls_spread", "ticks_spread")
_NO_ROOM = CONSTANTS["PATH_NO_ROOM"]


def possible_paths(rows: Rows) -> Rows:
    """Return the used rows with valid numbers: damaged rows are ignored."""
    good = (rows["key"] != 0) & (rows["frame_count"] <= CONSTANTS["MOST_CALLERS"])
    for name in SUMS:
        good &= np.isfinite(rows[name]) & (rows[name] >= 0)
    rows_left: Rows = rows[good]
    return rows_left


def few_paths(rows: Rows, most: int) -> Rows:
    """Keep the paths with the most time; of the others it is only known at which site they end."""
    if len(rows) <= most:
        return rows
    order = np.argsort(-rows["ticks"], kind="stable")
    kept, others = rows[order[:most]], rows[order[most:]].copy()
    others["frame_count"] = 0
    others["frames"] = 0
    others["flags"] = _NO_ROOM
    where = others["site"].astype(np.int64) << 16 | others["procedure"]
    _, firsts, groups = np.unique(where, return_index=True, return_inverse=True)
    sums: Rows = others[firsts]
    for name in ("samples", *SUMS):
        sums[name] = np.bincount(groups, others[name]).astype(sums[name].dtype)
    return np.concatenate([kept, sums])
