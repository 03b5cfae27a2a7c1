"""Targets of a program whose MPI_COMM_WORLD has another order, for a probe that keeps the launcher's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rankwise.tuning.cells.cell import Grouping
from rankwise.tuning.settings.rank_order import RankOrder
from rankwise.tuning.target import Target


def as_launched(targets: Iterable[Target], order: RankOrder | None) -> list[Target]:
    """Return targets whose groups are the same processes, by the ranks that the launcher assigns.

    Args:
        targets: with the ranks of the program.
        order: of its MPI_COMM_WORLD; None: the launcher's.
    """
    if order is None:
        return list(targets)
    launched = order.launched
    return [
        replace(
            target,
            cells=tuple(
                replace(cell, groupings=tuple(_grouping(grouping, launched) for grouping in cell.groupings))
                for cell in target.cells
            ),
        )
        for target in targets
    ]


def _grouping(grouping: Grouping, launched: Sequence[int]) -> Grouping:
    groups = tuple(tuple(launched[rank] for rank in group) for group in grouping.groups)
    late = tuple(sorted((launched[rank], seconds) for rank, seconds in grouping.late))
    return replace(grouping, groups=groups, late=late)
