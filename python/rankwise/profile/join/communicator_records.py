"""The communicator records of all processes of a world, in one table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect import layout
from rankwise.profile.collect.clock import Clock, instants
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.rows import Rows
from rankwise.profile.join.sites import Sites
from rankwise.records import dataclass

_FIRST = layout.CONSTANTS["FIRST_COMMUNICATOR"]
_BETWEEN_GROUPS = layout.CONSTANTS["COMMUNICATOR_BY_GROUP"] | layout.CONSTANTS["COMMUNICATOR_INTER"]


@dataclass(frozen=True)
class Records:
    """All processes' records of communicators; the lowest rank's come first.

    Attributes:
        rows: records of struct rankwise_communicator; MPI_COMM_WORLD has the same id in all of them.
        ranks: world rank of the process that wrote each.
        parents: id of each one's parent, 0 = none.
        sides: id of the communicator that the process's own side of an intercommunicator was; 0 = not known.
        created: seconds after the start of the run.
        freed: seconds after the start of the run; not a number = not freed.
        sites: of the creating calls, by their numbers in the profile; 0 = unknown.
    """

    rows: Rows
    ranks: NDArray[np.int64]
    parents: NDArray[np.uint64]
    sides: NDArray[np.uint64]
    created: NDArray[np.float64]
    freed: NDArray[np.float64]
    sites: NDArray[np.int64]


def collect(
    world: Mapping[int, Counters], clocks: Mapping[int, Clock], sites: Sites, origin_ns: int, wall: float
) -> Records:
    """Collect the records of all processes.

    Args:
        world: counters by rank, in the order of the ranks.
        clocks: by rank.
        sites: of the same processes.
        origin_ns: start of the run, nanoseconds since 1970.
        wall: seconds from there to the last heartbeat of any process.
    """
    pieces = [counters.communicators for counters in world.values()]
    made_at = [sites.ids_of(rank, counters.communicators["site"]) for rank, counters in world.items()]
    lengths = np.array([len(piece) for piece in pieces], np.int64)
    starts = np.cumsum(lengths) - lengths
    rows = np.concatenate([np.empty(0, layout.COMMUNICATOR), *pieces])
    _unite_worlds(rows, starts, lengths)
    pointed = _pointed(rows, np.repeat(starts, lengths), np.repeat(lengths, lengths))

    def since(ticks: NDArray[np.uint64]) -> NDArray[np.float64]:
        seconds = instants([clocks[rank] for rank in world], lengths, origin_ns, ticks)
        # Clocks of different nodes disagree a little, damaged ones a lot.
        return np.clip(seconds, 0.0, wall)

    return Records(
        rows,
        np.repeat(np.array(list(world), np.int64), lengths),
        np.where((rows["parent_id"] == 0) & ~_has_sides(rows), pointed, rows["parent_id"]),
        np.where(_has_sides(rows), pointed, np.uint64(0)),
        since(rows["created"]),
        np.where(rows["freed"] != 0, since(rows["freed"]), np.nan),
        np.concatenate([np.empty(0, np.int64), *made_at]),
    )


def _unite_worlds(rows: Rows, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
    """Give MPI_COMM_WORLD the same id on all processes, even if their records differ.

    Args:
        rows: of all processes.
        starts: first index of each process.
        lengths: their numbers.
    """
    firsts = starts[lengths > 0]
    of_world = (rows["letter"][firsts] == b"W") & (rows["parent_id"][firsts] == 0)
    ids = rows["id"][firsts]
    known = np.flatnonzero(of_world & (ids != 0))
    if not len(known):
        return
    world_id = ids[known[0]]
    differ = of_world & (ids != world_id)
    for start, length in zip(firsts[differ].tolist(), lengths[lengths > 0][differ].tolist(), strict=True):
        own = rows[start : start + length]
        own["parent_id"][own["parent_id"] == own["id"][0]] = world_id
        own["id"][0] = world_id


def _has_sides(rows: Rows) -> NDArray[np.bool_]:
    """Return which have a local side of the process, as MPI_Intercomm_create makes them."""
    kinds: NDArray[np.bool_] = (rows["flags"] & _BETWEEN_GROUPS) == _BETWEEN_GROUPS
    return kinds


def _pointed(rows: Rows, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the ids of the records that the parents' indices point to, 0 = none.

    Args:
        rows: of all processes.
        starts: for each row, first index of its process.
        lengths: their numbers.
    """
    places = rows["parent"].astype(np.int64) - _FIRST
    known = np.flatnonzero((places >= 0) & (places < lengths))
    ids = np.zeros(len(rows), np.uint64)
    ids[known] = rows["id"][(starts + places)[known]]
    return ids
