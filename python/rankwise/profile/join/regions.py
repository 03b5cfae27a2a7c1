"""Joins the regions of the processes: the same name inside the same region is the same region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.clock import NANOSECONDS, Clock
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.collect.lifetime import Lifetime
from rankwise.profile.collect.text import text_of
from rankwise.profile.join.own_ids import own_ids
from rankwise.records import dataclass

WHOLE_PROGRAM = 0
OTHER = CONSTANTS["REGION_OTHER"]
_MOST_NESTED = CONSTANTS["MOST_NESTED_REGIONS"]


@dataclass(frozen=True)
class RegionRow:
    """A row of `regions`, column by column."""

    id: int
    name: str
    parent: int | None
    path: str


@dataclass(frozen=True)
class RegionTime:
    """A row of `region_times`, column by column."""

    rank: int
    region: int
    entries: int
    seconds: float
    exclusive: float


@dataclass(frozen=True)
class Regions:
    """The regions of a world.

    Attributes:
        rows: those of the profile; a parent comes before what it encloses.
        ids: for each rank, the id in the profile by the region's index on that process.
        times: of all ranks.
    """

    rows: list[RegionRow]
    ids: dict[int, NDArray[np.int64]]
    times: list[RegionTime]

    def ids_of(self, rank: int, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Translate a process's indices; one without a record becomes "other"."""
        return own_ids(self.ids[rank], indices, OTHER)


def join_regions(
    world: Mapping[int, Counters], clocks: Mapping[int, Clock], lifetimes: Mapping[int, Lifetime]
) -> Regions:
    """Join the regions of the processes of a world.

    Args:
        world: counters by rank.
        clocks: by rank.
        lifetimes: by rank.
    """
    numbers: dict[tuple[int, str], int] = {}
    ids: dict[int, NDArray[np.int64]] = {}
    times: list[RegionTime] = []
    for rank, counters in world.items():
        parents = _parents(counters)
        own = [WHOLE_PROGRAM]
        for row, parent in zip(counters.regions[1:], parents[1:], strict=True):
            key = (own[parent], text_of(row["name"]))
            region = numbers.setdefault(key, len(numbers) + 1)
            own.append(min(region, OTHER))  # more than a key can number: all the processes' last ones
        ids[rank] = np.array(own, np.int64)
        times += _times(rank, counters, clocks[rank], lifetimes[rank], own, parents)
    rows = [RegionRow(WHOLE_PROGRAM, "(whole program)", None, "(whole program)")]
    for (parent, name), number in numbers.items():
        if number < OTHER:
            path = f"{rows[parent].path}/{name}" if parent != WHOLE_PROGRAM else name
            rows.append(RegionRow(number, name, parent, path))
    rows.append(RegionRow(OTHER, "(other)", None, "(other)"))
    return Regions(rows, ids, times)


def _parents(counters: Counters) -> list[int]:
    """Return the index of the enclosing region of each region; a damaged one becomes the whole program."""
    parents, depths = [WHOLE_PROGRAM], [0]
    for index, row in enumerate(counters.regions[1:], 1):
        given = int(row["parent"])
        parent = given if given < index and depths[given] < _MOST_NESTED else WHOLE_PROGRAM
        parents.append(parent)
        depths.append(depths[parent] + 1)
    return parents


def _times(
    rank: int,
    counters: Counters,
    clock: Clock,
    lifetime: Lifetime,
    own: Sequence[int],
    parents: Sequence[int],
) -> list[RegionTime]:
    """Return a process's times; times longer than its life are damage.

    Args:
        rank: of the process.
        counters: of it.
        clock: of it.
        lifetime: of it.
        own: id in the profile by index.
        parents: index of the enclosing region by index.
    """
    inside = [lifetime.wall]
    for row in counters.regions[1:]:
        seconds = clock.seconds_of(int(row["ticks"]))
        if row["opened"]:  # still inside when the process ended
            opened_ns = clock.realtime_ns(int(row["opened"]))
            seconds += max(lifetime.stopped_ns - opened_ns, 0) / NANOSECONDS
        inside.append(min(seconds, lifetime.wall))
    outside = list(inside)
    for seconds, parent in zip(inside[1:], parents[1:], strict=True):
        outside[parent] -= seconds
    entries = [1, *(min(int(row["entries"]), np.iinfo(np.int32).max) for row in counters.regions[1:])]
    region_times: dict[int, RegionTime] = {}
    for region, times, seconds, alone in zip(own, entries, inside, outside, strict=True):
        before = region_times.get(region, RegionTime(rank, region, 0, 0.0, 0.0))
        # Two names may be the same once they are harmless.
        region_times[region] = RegionTime(
            rank,
            region,
            before.entries + times,
            min(before.seconds + seconds, lifetime.wall),
            min(before.exclusive + max(alone, 0.0), lifetime.wall),
        )
    return list(region_times.values())
