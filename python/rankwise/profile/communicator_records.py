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


@dataclass(frozen=True)
class Records:
    """All processes' records of communicators; the lowest rank's come first.

    Attributes:
        rows: records of struct rankwise_communicator; MPI_COMM_WORLD has the same id in all of them.
        ranks: world rank of the process that wrote each.
        parents: id of each one's parent, 0 = none.
        created: seconds after the start of the run.
        freed: likewise; not a number = not freed.
    """

    rows: Rows
    ranks: NDArray[np.int64]
    parents: NDArray[np.uint64]
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
    parents = [np.empty(0, np.uint64)]
    created, freed = [np.empty(0)], [np.empty(0)]
    world_id = 0
    for rank, counters in world.items():
        rows = counters.communicators.copy()
        world_id = _unite_worlds(rows, world_id)
        pieces.append(rows)
        ranks.append(np.full(len(rows), rank, np.int64))
        parents.append(_parents(rows))
        created.append(clocks[rank].since(origin_ns, rows["created"]))
        freed.append(np.where(rows["freed"] != 0, clocks[rank].since(origin_ns, rows["freed"]), np.nan))
    return Records(
        np.concatenate(pieces),
        np.concatenate(ranks),
        np.concatenate(parents),
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
    places = rows["parent"].astype(np.int64) - _FIRST
    pointed = np.flatnonzero((rows["parent_id"] == 0) & (places >= 0) & (places < len(rows)))
    parents: NDArray[np.uint64] = rows["parent_id"].copy()
    parents[pointed] = rows["id"][places[pointed]]
    return parents
