"""Joins the regions of the processes: the same name is the same region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.clock import NANOSECONDS, Clock
from rankwise.profile.counters import Counters
from rankwise.profile.layout import CONSTANTS
from rankwise.profile.lifetime import Lifetime
from rankwise.profile.own_ids import own_ids
from rankwise.profile.text import text_of

WHOLE_PROGRAM = 0
OTHER = CONSTANTS["REGION_OTHER"]


@dataclass(frozen=True)
class Regions:
    """The regions of a world.

    Attributes:
        names: name by id in the profile.
        ids: for each rank, the id in the profile by the region's index on that process.
        times: rank, region, entries, seconds inside.
    """

    names: dict[int, str]
    ids: dict[int, NDArray[np.int64]]
    times: list[tuple[int, int, int, float]]

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
    numbers: dict[str, int] = {}
    ids: dict[int, NDArray[np.int64]] = {}
    times: list[tuple[int, int, int, float]] = []
    for rank, counters in world.items():
        clock, lifetime = clocks[rank], lifetimes[rank]
        own = [WHOLE_PROGRAM]
        inside: dict[int, tuple[int, float]] = {WHOLE_PROGRAM: (1, lifetime.wall)}
        for row in counters.regions[1:]:
            name = text_of(row["name"])
            region = numbers.setdefault(name, len(numbers) + 1)
            region = min(region, OTHER)  # more names than a key can number: all the processes' last ones
            own.append(region)
            seconds = clock.seconds_of(int(row["ticks"]))
            if row["opened"]:  # still inside when the process ended
                opened_ns = clock.realtime_ns(int(row["opened"]))
                seconds += max(lifetime.stopped_ns - opened_ns, 0) / NANOSECONDS
            entries, before = inside.get(region, (0, 0.0))
            # Two names may be the same once they are harmless. More time than the process lived is damage.
            inside[region] = (
                entries + min(int(row["entries"]), np.iinfo(np.int32).max),
                min(before + seconds, lifetime.wall),
            )
        ids[rank] = np.array(own, np.int64)
        times += [(rank, region, entries, seconds) for region, (entries, seconds) in inside.items()]
    names = {number: name for name, number in numbers.items() if number < OTHER}
    return Regions({WHOLE_PROGRAM: "(whole program)", **names, OTHER: "(other)"}, ids, times)
