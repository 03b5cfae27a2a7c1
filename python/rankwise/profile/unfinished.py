"""The time of calls that never returned: from their beginning to the end of the process."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankwise.profile.counters import Counters
from rankwise.profile.current_calls import CurrentCall
from rankwise.profile.layout import CONSTANTS
from rankwise.profile.lifetime import Lifetime
from rankwise.profile.procedures import PROCEDURES
from rankwise.profile.regions import WHOLE_PROGRAM, Regions

_INIT = next(procedure.id for procedure in PROCEDURES if procedure.name == "MPI_Init")
_NONE = CONSTANTS["COMMUNICATOR_NONE"]

Row = tuple[int, int, int, int]


def unfinished_rows(
    rank: int, counters: Counters, current_calls: Iterable[CurrentCall], regions: Regions, lifetime: Lifetime
) -> list[Row]:
    """Return communicator, region, procedure and nanoseconds of each call that a process never left.

    Of a process that never came out of MPI_Init it is not known whether that was MPI_Init_thread: MPI_Init
    stands for both.
    """
    if counters.header.state == "starting":
        ns = lifetime.stopped_ns - lifetime.started_ns
        return [(_NONE, WHOLE_PROGRAM, _INIT, ns)] if ns else []
    if counters.header.state == "switched_off":
        return []  # it went on, and left this call perhaps
    rows = []
    for call in current_calls:
        region = int(regions.ids_of(rank, np.array([call.region]))[0])
        ns = max(lifetime.stopped_ns - call.since_ns, 0)
        rows.append((call.communicator, region, call.procedure.id, ns))
    return rows
