"""Sums over the calls and messages of a difference."""

from __future__ import annotations

import numpy as np

from rankwise.analysis.percent import percent
from rankwise.live.difference import Column, Difference


class Sums:
    """Calls summed up by the numbers in one column.

    Args:
        difference: the calls.
        by: name of the column.
    """

    def __init__(self, difference: Difference, by: str) -> None:
        self._difference, self._by = difference, by
        numbers = getattr(difference, by)
        self.calls = np.bincount(numbers, difference.calls)
        self.sent = np.bincount(numbers, difference.bytes_sent)
        self.seconds = np.bincount(numbers, difference.seconds)
        self.run = sum(difference.run.values())
        self.mpi = float(difference.seconds.sum())

    def of(self, sums: Column, number: int) -> float:
        """Return the sum at a number, 0 for numbers that did not occur."""
        return float(sums[number]) if number < len(sums) else 0.0

    def top(self, number: int, column: str) -> int:
        """Return the number in another column with the most time."""
        rows = getattr(self._difference, self._by) == number
        others = getattr(self._difference, column)[rows]
        return int(np.argmax(np.bincount(others, self._difference.seconds[rows]))) if len(others) else -1


class Flows:
    """Messages between ranks of the world, summed up by (source, destination, kind).

    Args:
        difference: the messages.
        size: of MPI_COMM_WORLD.
    """

    def __init__(self, difference: Difference, size: int) -> None:
        within = (difference.source >= 0) & (difference.source < size)
        within &= (difference.destination >= 0) & (difference.destination < size)
        ends = np.stack([difference.source[within], difference.destination[within], difference.kind[within]])
        self._ends, places = np.unique(ends, axis=1, return_inverse=True)
        places = places.reshape(-1)
        count = self._ends.shape[1]
        self._messages = np.bincount(places, difference.messages[within], count)
        self._bytes = np.bincount(places, difference.bytes[within], count)
        self._places = {(a, b, c): place for place, (a, b, c) in enumerate(self._ends.T.tolist())}

    def largest(self, most: int) -> list[tuple[int, int, int]]:
        """Return at most `most` flows, by bytes and then by messages, the largest first."""
        order = np.lexsort((-self._messages, -self._bytes))[:most]
        return [(a, b, c) for a, b, c in self._ends.T[order].tolist()]

    def of(self, flow: tuple[int, int, int]) -> tuple[float, float]:
        """Return messages and bytes of a flow."""
        place = self._places.get(flow)
        return (0.0, 0.0) if place is None else (float(self._messages[place]), float(self._bytes[place]))


def share_in_mpi(difference: Difference | None) -> float:
    """Return the percentage of all ranks' run that was spent in MPI; 0 without a run."""
    return percent(float(difference.seconds.sum()), sum(difference.run.values())) if difference else 0.0


def by_rank(difference: Difference, size: int) -> dict[int, tuple[float, float]]:
    """Return calls and seconds in MPI by rank."""
    calls = np.bincount(difference.rank, difference.calls, size).tolist()
    seconds = np.bincount(difference.rank, difference.seconds, size).tolist()
    return dict(enumerate(zip(calls, seconds, strict=True)))
