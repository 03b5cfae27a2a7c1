"""Lateness that passes through a collective without any rank waiting there.

In a reduction, the other members leave once they have contributed, however late the root arrives. If the root
then leaves late and the next collective waits for it, the root cause is what made it late to the reduction.
The same applies to a non-root member that arrives late at a broadcast.
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
_SAME = 1e-7  # seconds: largest difference of two times of the same instant
_LITTLE = 0.01  # of the waiting: smaller parts are not followed
_ENOUGH = 0.2  # of the waiting: if this share can be followed, the rest is assumed to be the same
_OFTEN = 0.5  # of the calls of a collective: a collective called this often may precede it


class Late(NamedTuple):
    """A collective on one communicator.

    Attributes:
        instances: of the collective.
        waits: in these instances.
        weights: seconds that a second of each call represents, n x m.
        calls: number of all instances, in the sample or not.
    """

    instances: Instances
    waits: Waits
    weights: NDArray[np.float64]
    calls: int


_Place = tuple[int, int]  # number of a collective, and its row


class _Others(NamedTuple):
    """The waiting members, and the share of each."""

    members: Members
    shares: Floats

    def mean(self, row: Floats) -> float:
        """Return the mean of the waiting members' values in a row, weighted by their shares."""
        return float(row[self.members] @ self.shares)


class Before:
    """Finds the collective that a process left before another one on the same communicator."""

    def __init__(self, tables: Sequence[Late]) -> None:
        """Search in these collectives."""
        self._tables = tables
        self._of: dict[int, list[int]] = {}
        for number, table in enumerate(tables):
            self._of.setdefault(table.instances.communicator, []).append(number)
        self._departures: dict[tuple[int, int], tuple[Floats, list[_Place]]] = {}

    def through(self, number: int, member: int, rows: Members, waited: Floats, parts: Floats) -> Floats:
        """Attribute waiting for a member that left the previous collective late to the reasons for that.

        Args:
            number: of the collective in which others waited.
            member: that they waited for.
            rows: instances in which they waited.
            waited: seconds by instance and waiting member.
            parts: seconds in each instance, caused by computing, by other MPI calls and by leaving the
                previous collective late.

        Returns:
            the same parts; the last is without waiting that has a known cause before.
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
        """Return why a member left the previous collective late, as shares; None = it is unknown."""
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
        """Return why a member was late to a collective, as shares; all 0 if unknown."""
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
        """Return how long after the others could continue a member arrived at a collective."""
        table, row = self._tables[place[0]], place[1]
        ready = waited_until(table.instances, table.waits)[row]
        return float(table.instances.arrival[row, member]) - others.mean(ready)

    def _left(self, communicator: int, member: int, when: float, but: _Place) -> _Place | None:
        """Return the collective, other than `but`, that a member left at this time."""
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
        """Return why, on average, a member leaves the collectives late that may precede this one.

        Used if the sample has none of the directly preceding instances. The lateness that passes through a
        preceding collective, times all its calls, is compared with the member's late starts in this one.
        """
        late = self._tables[number]
        all_members = np.arange(len(late.instances.ranks))
        others = _Others(
            all_members[all_members != member], np.full(len(all_members) - 1, 1 / (len(all_members) - 1))
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
            earlier = self._tables[other]
            through = min(
                float(carried @ earlier.instances.stands_for(earlier.calls)) / late.calls / mean, 1.0
            )
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
            earlier = self._tables[other]
            if (
                not earlier.instances.is_of(FOR_ALL)
                and earlier.calls >= _OFTEN * late.calls
                and other != number
            ):
                yield other


def _others(waited: Floats) -> _Others:
    members = np.flatnonzero(waited > 0)
    return _Others(members, waited[members] / waited[members].sum())
