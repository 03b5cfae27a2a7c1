"""Lateness that passes through a collective in which no rank waits for it.

The other ranks leave a reduction after their part, however late its root is. If the root leaves it late and
the next collective waits for the root, then the cause is the root's lateness to the reduction. The same holds
for a member, other than the root, that is late to a broadcast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.waiting.instances import Instances, Waits, waited_until
from rankwise.analysis.waiting.procedures import FOR_ALL

Floats = NDArray[np.float64]
Members = NDArray[np.int64]

_MOST_STEPS = 16
_SAME = 1e-7  # seconds: two times of one moment
_LITTLE = 0.01  # of the waiting: a smaller part is not followed
_ENOUGH = 0.2  # of the waiting: if so much can be followed, the rest is assumed to have the same causes
_OFTEN = 0.5  # of the calls of a collective: a collective called so often can be the previous one


class Late(NamedTuple):
    """A collective on one communicator.

    Attributes:
        instances: its kept instances.
        waits: who waited for whom.
        weights: seconds that a second of each call represents, n x m.
        calls: all instances, in the sample or not.
    """

    instances: Instances
    waits: Waits
    weights: NDArray[np.float64]
    calls: int


_Place = tuple[int, int]  # number of a collective, and its row


class _Others(NamedTuple):
    """The members that waited, and the share of each."""

    members: Members
    shares: Floats

    def mean(self, row: Floats) -> float:
        """Return the mean of a column's values in a row."""
        return float(row[self.members] @ self.shares)


class Before:
    """Finds the collective that a process left before another one on the same communicator."""

    def __init__(self, tables: Sequence[Late]) -> None:
        """Take these collectives."""
        self._tables = tables
        self._of: dict[int, list[int]] = {}
        for number, table in enumerate(tables):
            self._of.setdefault(table.instances.communicator, []).append(number)
        self._departures: dict[tuple[int, int], tuple[Floats, list[_Place]]] = {}

    def through(self, number: int, member: int, rows: Members, waited: Floats, parts: Floats) -> Floats:
        """Divide the waiting for a member that left the previous collective late by the reason for that.

        Args:
            number: of the collective in which others waited.
            member: the late one.
            rows: the instances in which others waited.
            waited: seconds of each member, in each of these rows.
            parts: seconds in each row: computing, other MPI calls, late departure before.

        Returns:
            such parts, the last one without lateness that has an earlier cause.
        """
        if parts[2].sum() <= _LITTLE * waited.sum():
            return parts
        divided: Floats = parts.copy()
        followed, missing = np.zeros(4), []
        for at in np.flatnonzero(parts[2]).tolist():
            others = _others(waited[at])
            shares = self._before((number, int(rows[at])), member, others, 1)
            if shares is None:
                missing.append(at)
                continue
            divided[:, at] += parts[2, at] * (shares - [0.0, 0.0, 1.0])
            followed += parts[2, at] * np.array([*shares, 1.0])
        if missing:
            few = followed[3] < _ENOUGH * parts[2].sum()
            shares = self._usually(number, member, rows[parts[2] > 0]) if few else None
            if shares is None and followed[3]:
                shares = followed[:3] / followed[3]
            if shares is not None:
                divided[:, missing] += parts[2, missing] * (shares - [0.0, 0.0, 1.0])[:, None]
        divided.clip(0.0, None, out=divided)
        return divided

    def _before(self, place: _Place, member: int, others: _Others, steps: int) -> Floats | None:
        """Return why a member left the previous collective late, as shares; None = that one is not known."""
        table, row = self._tables[place[0]].instances, place[1]
        start = table.arrival[row] - table.since[row]
        last = self._left(table.communicator, member, float(start[member]), place)
        if last is None:
            return None
        late = float(start[member]) - others.mean(start)
        carried = self._carried(last, member, others)
        through = min(max(carried / late, 0.0), 1.0) if late > 0 else 0.0
        shares = through * self._why(last, member, others, steps)
        shares[2] += 1.0 - through
        return shares

    def _why(self, place: _Place, member: int, others: _Others, steps: int) -> Floats:
        """Return why a member came late to a collective, as shares; all 0 if it is not known."""
        table, row = self._tables[place[0]].instances, place[1]
        in_mpi, since = table.since_in_mpi[row], table.since[row]
        columns = (since - in_mpi, in_mpi, table.arrival[row] - since)
        more = np.clip([column[member] - others.mean(column) for column in columns], 0.0, None)
        whole = float(more.sum())
        if not whole > 0:  # (NaN, too)
            return np.zeros(3)
        shares: Floats = more / whole
        if steps < _MOST_STEPS and shares[2] > _LITTLE:
            before = self._before(place, member, others, steps + 1)
            if before is not None:
                remaining = float(shares[2])
                shares[2] = 0.0
                shares += remaining * before
        return shares

    def _carried(self, place: _Place, member: int, others: _Others) -> float:
        """Return by how much a member arrived at a collective after the others could go on."""
        table, row = self._tables[place[0]], place[1]
        ready = waited_until(table.instances, table.waits)[row]
        return float(table.instances.arrival[row, member]) - others.mean(ready)

    def _left(self, communicator: int, member: int, when: float, but: _Place) -> _Place | None:
        """Return the collective that a member left at a time."""
        if (communicator, member) not in self._departures:
            times, places = [], []
            for number in self._of[communicator]:
                times.append(self._tables[number].instances.departure[:, member])
                places += [(number, row) for row in range(len(times[-1]))]
            joined = np.concatenate(times)
            order = joined.argsort()
            self._departures[communicator, member] = (joined[order], [places[at] for at in order.tolist()])
        departures, all_places = self._departures[communicator, member]
        first, last = np.searchsorted(departures, [when - _SAME, when + _SAME])
        return next((place for place in all_places[first:last] if place != but), None)

    def _usually(self, number: int, member: int, rows_late: Members) -> Floats | None:
        """Return why a member is late to leave the collectives that may precede this one, on average.

        For a sample without the previous instances: the lateness that passes through another collective, over
        all its calls, is compared with the waiting in this one for late departures.
        """
        late = self._tables[number]
        everybody = np.arange(len(late.instances.ranks))
        others = _Others(
            everybody[everybody != member], np.full(len(everybody) - 1, 1 / (len(everybody) - 1))
        )
        start = late.instances.arrival - late.instances.since
        lateness = np.array([start[row, member] - others.mean(start[row]) for row in rows_late.tolist()])
        known = np.isfinite(lateness)
        counts = late.instances.stands_for(late.calls)[rows_late][known]
        mean = float(np.average(lateness[known], weights=counts)) if known.any() else 0.0
        best: Floats | None = None
        for other in self._rooted(number):
            rows = range(len(self._tables[other].instances.numbers))
            carried = np.array([max(self._carried((other, row), member, others), 0.0) for row in rows])
            if not carried.sum() or mean <= 0:
                continue
            table = self._tables[other]
            through = min(float(carried @ table.instances.stands_for(table.calls)) / late.calls / mean, 1.0)
            why = sum(
                seconds * self._why((other, row), member, others, 1)
                for row, seconds in zip(rows, carried, strict=True)
            )
            shares = through * why / carried.sum()
            shares[2] += 1.0 - through
            best = shares if best is None or shares[2] < best[2] else best
        return best

    def _rooted(self, number: int) -> Iterator[int]:
        late = self._tables[number]
        for other in self._of[late.instances.communicator]:
            table = self._tables[other]
            if not table.instances.is_of(FOR_ALL) and table.calls >= _OFTEN * late.calls and other != number:
                yield other


def _others(waited: Floats) -> _Others:
    members = np.flatnonzero(waited > 0)
    return _Others(members, waited[members] / waited[members].sum())
