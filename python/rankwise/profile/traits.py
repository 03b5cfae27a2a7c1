"""Joins what may keep collectives from being done in another way: operations and buffers of their calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rankwise.profile import layout
from rankwise.profile.communicators import FIRST, Joined
from rankwise.profile.counters import Counters
from rankwise.profile.procedures import PROCEDURES

_KNOWN = layout.CONSTANTS["TRAITS_KNOWN"]
_SHOWN = tuple(layout.CONSTANTS[f"TRAITS_{name}"] for name in ("NOT_COMMUTATIVE", "ROUNDS", "IN_PLACE"))
_COLLECTIVE = np.zeros(1 << 16, bool)
_COLLECTIVE[[procedure.id for procedure in PROCEDURES if procedure.class_name == "collective"]] = True


def join_traits(world: Mapping[int, Counters], joined: Joined) -> Iterator[tuple[int, int, int, int, int]]:
    """Join the traits that the processes of a world have recorded.

    Members need not have the same: of MPI_Gather only the root may say MPI_IN_PLACE.

    Args:
        world: counters by rank.
        joined: its communicators.

    Yields:
        rows of the table `collective_traits`, in its order; only of collectives of which every member tells.
    """
    parts = [
        np.stack(
            [
                joined.ids_of(rank, tables["communicator"].astype(np.int64)),
                tables["procedure"].astype(np.int64),
                np.full(len(tables), rank, np.int64),
                (tables["traits"] & np.uint64(0xFF)).astype(np.int64),
            ]
        )
        for rank, counters in world.items()
        # What came after Rankwise switched itself off is not known.
        if len(tables := counters.arrival_tables) and counters.header.state != "switched_off"
    ]
    if not parts:
        return
    rows = np.concatenate(parts, axis=1)
    rows = rows[:, (rows[0] >= FIRST) & _COLLECTIVE[rows[1]]]
    rows = rows[:, np.lexsort(rows[2::-1])]
    new = np.ones(rows.shape[1], bool)
    new[1:] = (rows[:2, 1:] != rows[:2, :-1]).any(axis=0)
    sizes = {row.id: row.size for row in joined.rows}
    for group in np.split(rows, np.flatnonzero(new)[1:], axis=1) if rows.shape[1] else ():
        communicator, procedure = int(group[0, 0]), int(group[1, 0])
        members = len(np.unique(group[2]))
        if members != sizes[communicator] or not (group[3] & _KNOWN).all():
            continue
        either = int(np.bitwise_or.reduce(group[3]))
        yield (communicator, procedure, *(int(either & bit != 0) for bit in _SHOWN))
