"""The functions through which calls reached their sites: the samples of all processes, added up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankwise.profile.collect.clock import Clock
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.collect.rows import Rows
from rankwise.profile.join.grouping import Columns, Groups
from rankwise.profile.join.own_ids import own_ids
from rankwise.profile.join.sites import UNKNOWN, Sites

_MOST = CONSTANTS["MOST_CALLERS"]
_FRAMES = [f"frame_{place}" for place in range(_MOST)]
_KEYS = ["site", "procedure", "flags", *_FRAMES]
_SUMS = ("samples", "calls", "seconds", "calls_spread", "seconds_spread")
_NO_ROOM = CONSTANTS["PATH_NO_ROOM"]
_KNOWN = np.array([procedure.id for procedure in PROCEDURES])
_ENDS = {
    CONSTANTS["PATH_WHOLE"]: "whole",
    CONSTANTS["PATH_CUT"]: "cut",
    CONSTANTS["PATH_PYTHON"]: "python",
    _NO_ROOM: "unknown",
}
_MORE = "more"
"""Of a path with further frames than are kept."""


def path_rows(
    world: Mapping[int, Counters], clocks: Mapping[int, Clock], sites: Sites
) -> Iterator[tuple[Any, ...]]:
    """Return the rows of the profile's table `paths`.

    Args:
        world: counters by rank.
        clocks: of the same processes.
        sites: of the same processes.
    """
    pieces = [
        _own(rank, counters.paths, clocks[rank].ticks_per_second, sites)
        for rank, counters in world.items()
        if len(counters.paths)
    ]
    if not pieces:
        return
    table: Columns = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    of_ranks = Groups(table, [*_KEYS, "rank"])
    sums = of_ranks.keys | {name: of_ranks.total(table[name]) for name in _SUMS}
    groups = Groups(sums, _KEYS)
    totals = [groups.total(sums[name]).tolist() for name in _SUMS]
    frames = np.column_stack([groups.keys[name] for name in _FRAMES]).tolist()
    of_group = zip(
        *(groups.keys[name].tolist() for name in ("site", "procedure", "flags")),
        frames,
        groups.count().tolist(),
        *totals,
        strict=True,
    )
    for number, (site, procedure, flags, through, ranks, *numbers) in enumerate(of_group, 1):
        kept = ",".join(str(frame) for frame in through if frame != UNKNOWN)
        yield number, site, procedure, kept, _ENDS.get(flags, _MORE), ranks, *numbers


def _own(rank: int, rows: Rows, ticks_per_second: float, sites: Sites) -> Columns:
    """Return the rows of a process, with the numbers of the profile."""
    site = own_ids(sites.ids[rank], rows["site"].astype(np.int64), UNKNOWN)
    known = (site != UNKNOWN) & np.isin(rows["procedure"], _KNOWN)
    rows, site = rows[known], site[known]
    frames = own_ids(sites.frame_ids[rank], rows["frames"].astype(np.int64).ravel(), UNKNOWN)
    frames = frames.reshape(len(rows), -1)[:, :_MOST]
    beyond = np.arange(_MOST) >= rows["frame_count"][:, None]
    damaged = ((frames == UNKNOWN) & ~beyond).any(axis=1)
    frames[beyond | damaged[:, None]] = UNKNOWN
    return {
        "rank": np.full(len(rows), rank, np.int64),
        "site": site,
        "procedure": rows["procedure"].astype(np.int64),
        "flags": np.where(damaged, _NO_ROOM, rows["flags"].astype(np.int64)),
        **{name: frames[:, place] for place, name in enumerate(_FRAMES)},
        "samples": rows["samples"].astype(np.int64),
        "calls": rows["calls"].copy(),
        "seconds": rows["ticks"] / ticks_per_second,
        "calls_spread": rows["calls_spread"].copy(),
        "seconds_spread": rows["ticks_spread"] / ticks_per_second**2,
    }
