"""Counts of the system and the processors, for each rank and region; and reasons for missing counts."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankwise.profile.collect import layout
from rankwise.profile.collect.clock import NANOSECONDS
from rankwise.profile.collect.counters import Counters
from rankwise.profile.join.grouping import LARGEST
from rankwise.profile.join.members import compact
from rankwise.profile.join.regions import Regions

COUNTERS = tuple(name for _, name in sorted(layout.names_of("system_counter").items()))
"""Names, as the columns of `system_counters` have them, by enum rankwise_system_counter."""

_TASK_CLOCK = COUNTERS.index("task_clock")
_WHY = {
    layout.CONSTANTS["ABSENT_SWITCHED_OFF"]: "switched off (--no-counters)",
    layout.CONSTANTS["ABSENT_NOT_COUNTED"]: "this kernel does not count it",
    layout.CONSTANTS["ABSENT_NOT_KNOWN"]: "Rankwise knows no such event of this processor",
    layout.CONSTANTS["ABSENT_LOST"]: "the program has closed its descriptor",
    errno.ENOENT: "the processor does not offer it here, as in most virtual machines",
    errno.ENODEV: "the processor does not offer it here, as in most virtual machines",
    errno.EOPNOTSUPP: "the processor does not offer it here, as in most virtual machines",
    errno.EACCES: "the system does not allow it (/proc/sys/kernel/perf_event_paranoid)",
    errno.EPERM: "the system does not allow it (a container, or /proc/sys/kernel/perf_event_paranoid)",
    errno.ENOSYS: "this kernel has no perf_event_open",
    errno.EMFILE: "the process has as many open files as it may have (ulimit -n)",
}


def counter_rows(world: Mapping[int, Counters], regions: Regions) -> Iterator[tuple[Any, ...]]:
    """Make the rows of `system_counters`."""
    for rank, counters in world.items():
        records = counters.system_counters
        counters_of_region: dict[int, list[Any]] = {}
        ids = regions.ids_of(rank, records["region"].astype(np.int64))
        for region, record in zip(ids.tolist(), records, strict=True):
            # (Two regions may be the same once their names are harmless.)
            row = counters_of_region.setdefault(region, [None] * (len(COUNTERS) + 1))
            present, scaled = int(record["present"]), int(record["scaled"])
            for counter in range(len(COUNTERS)):
                if present >> counter & 1 and _why(counters, counter) == 0:
                    value = min(int(record["values"][counter]), LARGEST)
                    row[counter] = min((row[counter] or 0) + value, LARGEST)
            row[-1] = int(bool(row[-1] or scaled & present))
        for region, row in sorted(counters_of_region.items()):
            if row[_TASK_CLOCK] is not None:
                row[_TASK_CLOCK] /= NANOSECONDS
            yield (rank, region, *row)


def absent_rows(world: Mapping[int, Counters]) -> Iterator[tuple[str, str, str]]:
    """Make the rows of `absent_counters`: the missing counters of each rank."""
    ranks: dict[tuple[int, str], list[int]] = {}
    for rank, counters in world.items():
        for counter in range(len(COUNTERS)):
            why = _why(counters, counter)
            if why:
                ranks.setdefault((counter, _WHY.get(why) or _of_system(why)), []).append(rank)
    for (counter, reason), without in sorted(ranks.items()):
        yield COUNTERS[counter], reason, compact(sorted(without))


def _why(counters: Counters, counter: int) -> int:
    absent = counters.header.absent
    return absent[counter] if counter < len(absent) else 0


def _of_system(number: int) -> str:
    return f"the system says: {os.strerror(number)}" if number > 0 else "its reason is damaged"
