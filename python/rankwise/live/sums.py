"""Sums over the calls and messages of a difference."""

from __future__ import annotations

import numpy as np

from rankwise.analysis.percent import percent
from rankwise.live.difference import Column, Difference


class Sums:
    """Calls summed up by the numbers in one column.

    Args:
        found: the calls.
        by: name of the column.
    """

    def __init__(self, found: Difference, by: str) -> None:
        self._found, self._by = found, by
        numbers = getattr(found, by)
        self.calls = np.bincount(numbers, found.calls)
        self.sent = np.bincount(numbers, found.bytes_sent)
        self.seconds = np.bincount(numbers, found.seconds)
        self.run = sum(found.run.values())
        self.mpi = float(found.seconds.sum())

    def of(self, sums: Column, number: int) -> float:
        """Return the sum at a number, which may be beyond those that occurred."""
        return float(sums[number]) if number < len(sums) else 0.0

    def top(self, number: int, column: str) -> int:
        """Return the number in another column with the most time."""
        rows = getattr(self._found, self._by) == number
        others = getattr(self._found, column)[rows]
        return int(np.argmax(np.bincount(others, self._found.seconds[rows]))) if len(others) else -1


class Flows:
    """Messages summed up by (source, destination, kind), those between ranks of the world.

    Args:
        found: the messages.
        size: of MPI_COMM_WORLD.
    """

    def __init__(self, found: Difference, size: int) -> None:
        within = (found.source >= 0) & (found.source < size)
        within &= (found.destination >= 0) & (found.destination < size)
        ends = np.stack([found.source[within], found.destination[within], found.kind[within]])
        self._ends, places = np.unique(ends, axis=1, return_inverse=True)
        places = places.reshape(-1)
        count = self._ends.shape[1]
        self._messages = np.bincount(places, found.messages[within], count)
        self._bytes = np.bincount(places, found.bytes[within], count)
        self._places = {(a, b, c): place for place, (a, b, c) in enumerate(self._ends.T.tolist())}

    def largest(self, most: int) -> list[tuple[int, int, int]]:
        """Return the flows with the most bytes, of those alike with the most messages, at most `most`."""
        order = np.lexsort((-self._messages, -self._bytes))[:most]
        return [(a, b, c) for a, b, c in self._ends.T[order].tolist()]

    def of(self, flow: tuple[int, int, int]) -> tuple[float, float]:
        """Return messages and bytes of a flow."""
        place = self._places.get(flow)
        return (0.0, 0.0) if place is None else (float(self._messages[place]), float(self._bytes[place]))


def share_in_mpi(found: Difference | None) -> float:
    """Return the percentage of all ranks' run that was spent in MPI; nothing in nothing is 0."""
    return percent(float(found.seconds.sum()), sum(found.run.values())) if found else 0.0


def by_rank(found: Difference, size: int) -> dict[int, tuple[float, float]]:
    """Return calls and seconds in MPI by rank."""
    calls = np.bincount(found.rank, found.calls, size).tolist()
    seconds = np.bincount(found.rank, found.seconds, size).tolist()
    return dict(enumerate(zip(calls, seconds, strict=True)))
