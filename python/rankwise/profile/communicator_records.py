"""What all processes of a world wrote about their communicators, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.profile import layout
from rankwise.profile.clock import Clock
from rankwise.profile.counters import Counters
from rankwise.profile.rows import Rows

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
        freed: likewise; not a number = not freed.
    """

    rows: Rows
    ranks: NDArray[np.int64]
    parents: NDArray[np.uint64]
    sides: NDArray[np.uint64]
    created: NDArray[np.float64]
    freed: NDArray[np.float64]


def collect(
    world: Mapping[int, Counters], clocks: Mapping[int, Clock], origin_ns: int, wall: float
) -> Records:
    """Collect the records of all processes.

    Args:
        world: counters by rank, in the order of the ranks.
        clocks: by rank.
        origin_ns: start of the run, nanoseconds since 1970.
        wall: seconds from there to the last sign of life of any process.
    """
    pieces = [np.empty(0, layout.COMMUNICATOR)]
    ranks = [np.empty(0, np.int64)]
    parents, sides = [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
    created, freed = [np.empty(0)], [np.empty(0)]
    world_id = 0
    for rank, counters in world.items():
        rows = counters.communicators.copy()
        world_id = _unite_worlds(rows, world_id)
        pieces.append(rows)
        ranks.append(np.full(len(rows), rank, np.int64))
        parents.append(_parents(rows))
        sides.append(_sides(rows))
        created.append(clocks[rank].since(origin_ns, rows["created"]))
        freed.append(np.where(rows["freed"] != 0, clocks[rank].since(origin_ns, rows["freed"]), np.nan))
    return Records(
        np.concatenate(pieces),
        np.concatenate(ranks),
        np.concatenate(parents),
        np.concatenate(sides),
        # Clocks of different nodes disagree a little, damaged ones a lot.
        np.clip(np.concatenate(created), 0.0, wall),
        np.clip(np.concatenate(freed), 0.0, wall),
    )


def _unite_worlds(rows: Rows, world_id: int) -> int:
    """Give MPI_COMM_WORLD the same id on all processes, whatever they say; return that id."""
    if not len(rows) or rows[0]["letter"] != b"W" or rows[0]["parent_id"]:
        return world_id
    own = int(rows[0]["id"])
    if world_id in (0, own):
        return own
    rows["parent_id"][rows["parent_id"] == own] = world_id
    rows["id"][0] = world_id
    return world_id


def _parents(rows: Rows) -> NDArray[np.uint64]:
    """Return the parents' ids: as told, or else of the record that the parent's index points to."""
    pointed = _pointed(rows)
    parents: NDArray[np.uint64] = rows["parent_id"].copy()
    missing = (parents == 0) & ~_has_sides(rows)
    parents[missing] = pointed[missing]
    return parents


def _sides(rows: Rows) -> NDArray[np.uint64]:
    """Return the ids of the local communicators of MPI_Intercomm_create, 0 for what others made."""
    return np.where(_has_sides(rows), _pointed(rows), np.uint64(0))


def _has_sides(rows: Rows) -> NDArray[np.bool_]:
    kinds: NDArray[np.bool_] = (rows["flags"] & _BETWEEN_GROUPS) == _BETWEEN_GROUPS
    return kinds


def _pointed(rows: Rows) -> NDArray[np.uint64]:
    """Return the ids of the records that the parents' indices point to, 0 = none."""
    places = rows["parent"].astype(np.int64) - _FIRST
    known = np.flatnonzero((places >= 0) & (places < len(rows)))
    found = np.zeros(len(rows), np.uint64)
    found[known] = rows["id"][places[known]]
    return found
