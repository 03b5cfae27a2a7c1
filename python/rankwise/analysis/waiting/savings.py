"""Waiting in collectives that would be avoided if some ranks arrived with the latest of the others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.waiting.instances import NOBODY, saved_without
from rankwise.analysis.waiting.one_collective import Table
from rankwise.analysis.waiting.owed import Owed
from rankwise.analysis.waiting.procedures import FOR_OTHERS, FOR_ROOT

_MOSTLY = 0.5  # of a late arrival: ranks that caused this share of it would prevent it


class Savings:
    """The collectives of a run, with the saving if some ranks are on time."""

    def __init__(self, tables: Sequence[Table], owed: Owed) -> None:
        """Keep these collectives, and the root causes of late arrivals in them."""
        self._tables, self._owed = tables, owed
        self._scales = [np.where(table.instances.selected, table.weights, 0.0) for table in tables]

    def of(self, ranks: Collection[int]) -> float:
        """Return the seconds of waiting that would be avoided, summed over all ranks."""
        owed = self._owed.to(ranks)
        by_table: dict[int, list[tuple[int, float]]] = {}
        for (rank, number), share in owed.items():
            by_table.setdefault(number, []).append((rank, share))
        return sum(
            self._saved(number, self._late(number, ranks, by_table.get(number, [])))
            for number in range(len(self._tables))
        )

    def _late(
        self, number: int, ranks: Collection[int], owed: Sequence[tuple[int, float]]
    ) -> NDArray[np.bool_]:
        """Return for each member whether it would be on time: these ranks, and members they made late."""
        members = self._tables[number].instances.ranks
        late = np.isin(members, list(ranks))
        for rank, share in owed:
            late[np.searchsorted(members, rank)] = share >= _MOSTLY
        return late

    def _saved(self, number: int, late: NDArray[np.bool_]) -> float:
        table = self._tables[number]
        if not late.any():
            return 0.0
        whose = table.waits.whose
        rows = np.flatnonzero((late[whose] & (whose != NOBODY)).any(axis=1))
        if not len(rows):
            return 0.0
        saved = saved_without(table.instances, table.waits, late, rows)
        return float((self._scales[number][rows] * saved).sum())

    def lateness(self) -> dict[int, float]:
        """Return by how many seconds each rank arrives after the median, where ranks can wait for it."""
        lateness_of_rank: dict[int, float] = {}
        for table in self._tables:
            rows = np.flatnonzero((table.waits.whose != NOBODY).any(axis=1))
            if not len(rows):
                continue
            arrival = table.instances.arrival[rows]
            late = np.clip(arrival - np.median(arrival, axis=1, keepdims=True), 0.0, None)
            roots = table.instances.roots[rows][:, None] == np.arange(arrival.shape[1])
            if table.instances.is_of(FOR_ROOT):
                late = np.where(roots, late, 0.0)
            elif table.instances.is_of(FOR_OTHERS):
                late = np.where(roots, 0.0, late)
            seconds = table.instances.stands_for(max(table.calls, table.kept))[rows] @ late
            for rank, lateness in zip(table.instances.ranks.tolist(), seconds.tolist(), strict=True):
                lateness_of_rank[rank] = lateness_of_rank.get(rank, 0.0) + lateness
        return lateness_of_rank
