"""The order of MPI_COMM_WORLD that has the effect of a placement, while the processes stay where they are."""

from __future__ import annotations

from rankwise.errors import RankwiseError
from rankwise.placement.mapping import Mapping


def new_ranks(mapping: Mapping) -> list[int]:
    """Return the rank whose place each process has, by the rank that the launcher assigns.

    Args:
        mapping: of a run in the launcher's order.

    Raises:
        RankwiseError: the placement needs places that no process has.
    """
    rank_in = {int(slot): rank for rank, slot in enumerate(mapping.slot)}
    if mapping.present is None or rank_in.keys() != set(map(int, mapping.slot_before)):
        raise RankwiseError(
            "the order of MPI_COMM_WORLD moves no process to another place: give the machine.json of the run"
        )
    return [rank_in[int(slot)] for slot in mapping.slot_before]
