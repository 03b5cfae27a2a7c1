"""The call that a process was inside of when it ended without leaving it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise.profile.clock import Clock
from rankwise.profile.communicators import Joined
from rankwise.profile.counters import Counters
from rankwise.profile.keys import part
from rankwise.profile.procedures import PROCEDURES

_NAMES = {procedure.id: procedure.name for procedure in PROCEDURES}


class Inside(NamedTuple):
    """A call that was not left.

    Attributes:
        procedure: its name.
        communicator: its id in the profile; below 3: none in particular.
        since_ns: nanoseconds since 1970.
    """

    procedure: str
    communicator: int
    since_ns: int


def inside(rank: int, counters: Counters, clock: Clock, joined: Joined) -> Inside | None:
    """Find the call that a process never left; of several threads, the first one's."""
    if counters.header.state == "finalized":
        return None
    threads = counters.threads[(counters.threads["inside_key"] != 0) & (counters.threads["alive"] != 0)]
    for thread in threads:
        key = np.array([thread["inside_key"]], np.uint64)
        procedure = _NAMES.get(int(part(key, "CALLS", "PROCEDURE")[0]))
        if procedure is not None:
            communicator = joined.ids_of(rank, part(key, "CALLS", "COMMUNICATOR"))
            return Inside(procedure, int(communicator[0]), clock.realtime_ns(int(thread["inside_since"])))
    return None
