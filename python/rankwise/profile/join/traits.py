"""Joins what may keep collectives from being done in another way: operations and buffers of their calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rankwise.profile.collect import layout
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.communicators import FIRST, CommunicatorTable

_KNOWN = layout.CONSTANTS["TRAITS_KNOWN"]
_NOT_COMMUTATIVE = layout.CONSTANTS["TRAITS_NOT_COMMUTATIVE"]
_ROUNDS = layout.CONSTANTS["TRAITS_ROUNDS"]
_IN_PLACE = layout.CONSTANTS["TRAITS_IN_PLACE"]
_COLLECTIVE = np.zeros(1 << 16, bool)
_COLLECTIVE[[procedure.id for procedure in PROCEDURES if procedure.class_name == "collective"]] = True


def join_traits(
    world: Mapping[int, Counters], communicator_table: CommunicatorTable
) -> Iterator[tuple[int, int, int, int, int]]:
    """Join the traits that the processes of a world have recorded.

    Members need not have the same: of MPI_Gather only the root may say MPI_IN_PLACE.

    Args:
        world: counters by rank.
        communicator_table: its communicators.

    Yields:
        rows of the table `collective_traits`, in its order; only of collectives that every member has noted.
    """
    parts = [
        np.stack(
            [
                communicator_table.ids_of(rank, tables["communicator"].astype(np.int64)),
                tables["procedure"].astype(np.int64),
                np.full(len(tables), rank, np.int64),
                (tables["traits"] & np.uint64(0xFF)).astype(np.int64),
            ]
        )
        for rank, counters in world.items()
        # What came after Rankwise switched itself off is not known.
        if len(tables := counters.arrival_tables) and counters.header.state != "switched_off"
    ]
    rows = np.concatenate([np.empty((4, 0), np.int64), *parts], axis=1)
    rows = rows[:, (rows[0] >= FIRST) & _COLLECTIVE[rows[1]]]
    if not rows.shape[1]:
        return
    rows = rows[:, np.lexsort(rows[2::-1])]
    changes = np.ones((3, rows.shape[1]), bool)
    changes[:, 1:] = rows[:3, 1:] != rows[:3, :-1]
    starts = np.flatnonzero(changes[:2].any(axis=0))
    members = np.add.reduceat(changes.any(axis=0), starts, dtype=np.int64)
    any_has = np.bitwise_or.reduceat(rows[3], starts)
    all_have = np.bitwise_and.reduceat(rows[3], starts)
    sizes = np.zeros(max(row.id for row in communicator_table.rows) + 1, np.int64)
    for row in communicator_table.rows:
        sizes[row.id] = row.size
    is_complete = (members == sizes[rows[0, starts]]) & (all_have & _KNOWN != 0)
    shown = (any_has & bit != 0 for bit in (_NOT_COMMUTATIVE, _ROUNDS, _IN_PLACE))
    columns = np.stack([*rows[:2, starts], *shown])[:, is_complete]
    yield from zip(*columns.astype(np.int64).tolist(), strict=True)
