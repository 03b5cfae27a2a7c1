"""Why those came late whom others waited for, and whom they had been waiting for themselves.

The time between two collectives of a process on one communicator is spent computing or in other calls of MPI.
What the late one had more of than those who waited is why it was late. What it waited for others itself,
while others waited for it, is passed on: in a collective to whom it waited for there, and so on; for a
message to those with whom this wait began. What it waited before the others came has not made it late.
Among neighbours lateness goes on by one rank a call: what the late one waited in the call before is
passed on in the same way, and what both computed in between does not count. If it left the collective before
late, because it had come late to that one, too, and nobody waited for it there (the root of a reduction), the
cause is what made it late to that one (`rankwise.analysis.waiting.before`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.waiting.before import Before, Late
from rankwise.analysis.waiting.chains import Chains
from rankwise.analysis.waiting.instances import NOBODY, Instances, held_up, waited_until
from rankwise.analysis.waiting.owed import Node, Origin, Owed
from rankwise.analysis.waiting.procedures import FOR_ALL, FOR_NEIGHBOURS, POSTED
from rankwise.profile.join.grouping import distinct
from rankwise.records import dataclass

MOST_STEPS = 8
MESSAGES = -1
"""In the place of a collective, or of its communicator."""
_MOST_ROWS, _MOST_MEMBERS = 16, 64  # of a collective: what is looked at of those that are nearly last
_SELDOM = 0.5  # of the calls that it came late to: others waited for it in fewer
_NEARLY = 0.1  # of the lateness of the last
_TOO_LITTLE = 1e-3  # of all waiting: what is not passed on any further


@dataclass
class Caused:
    """Seconds that others waited for one rank, by why it was late.

    Attributes:
        computing: it had computed for longer than they.
        in_mpi: it had been in other calls of MPI for longer.
        late_start: it had left the collective before later.
        passed_on: it was waiting for others itself meanwhile, in collectives and for messages.
        passed_to: for whom most of that; None = nobody.
    """

    computing: float = 0.0
    in_mpi: float = 0.0
    late_start: float = 0.0
    passed_on: float = 0.0
    passed_to: int | None = None


@dataclass(frozen=True)
class Propagation:
    """Who made others wait.

    Attributes:
        caused: by rank.
        root_cause_seconds: seconds by rank, when all was passed on.
        steps: how often some of it was passed on, at most.
        owed: each late arrival, and whom it is owed to.
    """

    caused: dict[int, Caused]
    root_cause_seconds: dict[int, float]
    steps: int
    owed: Owed


class _Needed(NamedTuple):
    """An instance of a collective in which others waited for a rank.

    Attributes:
        left: when the rank had left the collective before on this communicator; NaN = not known.
        since: when each of them came.
        until: when it came itself.
        weights: what a second of each of them stands for.
    """

    left: float
    since: NDArray[np.float64]
    until: float
    weights: NDArray[np.float64]

    def seconds(self, began: float, ended: float) -> float:
        """Return how long others waited within a stretch of time, over them all."""
        each = np.minimum(ended, self.until) - np.maximum(began, self.since)
        return float(np.clip(each, 0.0, None) @ self.weights)


@dataclass
class _Lateness:
    """What came of one rank's being late to one collective."""

    seconds: float = 0.0
    computing: float = 0.0
    in_mpi: float = 0.0
    late_start: float = 0.0
    needed: list[_Needed] = field(default_factory=list)
    passed: dict[Node, float] = field(default_factory=dict)  # shares of `seconds`
    waited_for: dict[int, float] = field(
        default_factory=dict
    )  # likewise, by the rank that it waited for itself


def pass_on(tables: Sequence[Late], chains: Chains) -> Propagation:
    """Find out why ranks came late, and pass indirect waiting on.

    Args:
        tables: all collectives.
        chains: all waits, with those for messages.
    """
    late: dict[Node, _Lateness] = {}
    before = Before(tables)
    for number, table in enumerate(tables):
        late.update(_lateness(number, table, before))
    waited = _Waited(tables, chains)
    caused: dict[int, Caused] = {}
    shares: dict[int, dict[int, float]] = {}
    for (rank, number), one in late.items():
        waited.share(rank, number, one)
        if tables[number].found.is_of(FOR_NEIGHBOURS):
            _left_late_as_it_waited(one)
        sums = caused.setdefault(rank, Caused())
        sums.computing += one.computing
        sums.in_mpi += one.in_mpi
        sums.late_start += one.late_start
        sums.passed_on += sum(one.passed.values()) * one.seconds
        own = shares.setdefault(rank, {})
        for other, share in one.waited_for.items():
            own[other] = own.get(other, 0.0) + share * one.seconds
    for rank, others in shares.items():
        if others and sum(others.values()) > 0:
            caused[rank].passed_to = max(others, key=lambda other: others[other])
    causes, steps = _root_causes(late)
    for number, table in enumerate(tables):
        for node, one in _nearly_last(number, table, late).items():
            waited.share(*node, one)
            late[node] = one
    return Propagation(caused, causes, steps, _owed(late))


def _left_late_as_it_waited(one: _Lateness) -> None:
    """Take off what a rank left the call before late for because it had waited there: that is passed on."""
    waited = min(sum(one.passed.values()) * one.seconds, one.late_start)
    one.late_start -= waited
    one.in_mpi += waited


def _owed(late: Mapping[Node, _Lateness]) -> Owed:
    origins = {}
    for node, one in late.items():
        elsewhere = one.late_start / one.seconds if one.seconds else 0.0
        origins[node] = Origin(max(1.0 - elsewhere - sum(one.passed.values()), 0.0), one.passed)
    return Owed(origins, MOST_STEPS)


def _lateness(number: int, table: Late, before: Before) -> dict[Node, _Lateness]:
    found, known, weights, _ = table
    each = np.where(found.selected, weights, 0.0) * known.seconds
    computing = found.since - found.since_in_mpi
    start = found.arrival - found.since
    # (What was posted before has held nobody up, however late it was posted.)
    left = np.zeros_like(start) if found.procedure in POSTED else start
    late = {}
    for member in distinct(known.whose[known.whose != NOBODY]).tolist():
        among = found.is_of(FOR_NEIGHBOURS)
        others = _neighbours_of(found, member) if among else slice(None)
        waited = np.where(known.whose[:, others] == member, each[:, others], 0.0)
        seconds = waited.sum(axis=1)
        rows = seconds > 0
        waited, seconds = waited[rows], seconds[rows]
        # More than those who waited for it, on the average; what is not known makes all of it unknown.
        more = [
            column[rows, member] - _mean(column[:, others][rows], waited, seconds)
            for column in (computing, found.since_in_mpi, left)
        ]
        positive = np.clip(np.array(more).reshape(3, -1), 0.0, None)
        whole = positive.sum(axis=0)
        parts = np.divide(positive, whole, out=np.zeros_like(positive), where=whole > 0) * seconds
        parts = np.nan_to_num(parts)
        if among:
            needed = _needed_of_neighbours(table, member, float(seconds.sum()))
        else:
            parts = before.through(number, member, np.flatnonzero(rows), waited, parts)
            needed = [
                _Needed(
                    float(start[row, member]),
                    found.arrival[row, each],
                    float(found.arrival[row, member]),
                    found.selected[row, each] * weights[row, each],
                )
                for row in np.flatnonzero(rows).tolist()
                for each in (np.flatnonzero(known.whose[row] == member),)
            ]
        late[int(found.ranks[member]), number] = _Lateness(
            float(seconds.sum()),
            float(parts[0].sum()),
            float(parts[1].sum()),
            float(parts[2].sum()),
            needed,
        )
    return late


def _needed_of_neighbours(table: Late, member: int, seconds: float) -> list[_Needed]:
    """Return when neighbours waited for a member: earlier by what both have computed since the call before.

    Only calls count of which the one before is known, too; they stand for all.
    """
    found, known, weights, _ = table
    place = np.searchsorted(found.numbers, found.numbers - 1)
    needed = []
    for row in np.flatnonzero(found.numbers[place] == found.numbers - 1).tolist():
        for each in _neighbours_of(found, member).tolist():
            if known.whose[row, each] == member and found.selected[row, each]:
                ends = (member, found.arrival[row, member]), (each, found.entered[row, each])
                both = min(_computed(found, row, int(place[row]), *end) for end in ends)
                needed.append(
                    _Needed(
                        float(found.arrival[row, member] - found.since[row, member]),
                        found.entered[row, [each]] - both,
                        float(found.arrival[row, member]) - both,
                        weights[row, [each]],
                    )
                )
    needed = [one for one in needed if one.until == one.until]
    whole = sum(one.seconds(-np.inf, np.inf) for one in needed)
    return [one._replace(weights=one.weights * seconds / whole) for one in needed] if whole else []


def _neighbours_of(found: Instances, member: int) -> NDArray[np.int64]:
    """Return those that a member is a neighbour of: who may wait for it."""
    there: NDArray[np.int64] = np.flatnonzero((found.neighbours == member).any(axis=1))
    return there


def _computed(found: Instances, row: int, before: int, member: int, until: float) -> float:
    """Return how long a member has computed since the call before, until it came; NaN = not known."""
    if found.procedure in POSTED:  # (In MPI since it has posted that one it has waited for it, too.)
        return max(until - float(found.departure[before, member]), 0.0)
    return float(found.since[row, member] - found.since_in_mpi[row, member])


def _nearly_last(number: int, table: Late, late: Mapping[Node, _Lateness]) -> dict[Node, _Lateness]:
    """Return those that nobody waited for longest, but somebody would if the last ones came earlier."""
    found, known, _, _ = table
    rows = np.flatnonzero((known.whose != NOBODY).any(axis=1))
    if not found.is_of(FOR_ALL) or not len(rows):
        return {}
    waited = len(rows)
    rows = rows[:: -(-len(rows) // _MOST_ROWS)]
    arrival, start = found.arrival[rows], found.arrival[rows] - found.since[rows]
    mean = np.clip(arrival - np.median(arrival, axis=1, keepdims=True), 0.0, None).mean(axis=0)
    others = np.ones(arrival.shape[1])
    nearly = {}
    for member in (-mean).argsort()[:_MOST_MEMBERS].tolist():
        node = int(found.ranks[member]), number
        if mean[member] <= _NEARLY * mean.max():
            continue
        needed = [
            _Needed(float(start[row, member]), arrival[row], float(arrival[row, member]), others)
            for row in range(len(rows))
        ]
        if node not in late or len(late[node].needed) < _SELDOM * waited:
            seconds = sum(one.seconds(-np.inf, np.inf) for one in needed)
            nearly[node] = _Lateness(seconds, needed=needed)
    return nearly


def _mean(
    column: NDArray[np.float64], waited: NDArray[np.float64], seconds: NDArray[np.float64]
) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = np.where(waited > 0, column * waited, 0.0).sum(axis=1) / seconds
    return mean


class _Waited:
    """The waiting of all ranks, to be looked up by rank and time."""

    def __init__(self, tables: Sequence[Late], chains: Chains) -> None:
        self._tables, self._chains = tables, chains
        columns: list[list[NDArray[np.generic]]] = [[] for _ in range(6)]
        for number, (found, known, _, calls) in enumerate(tables):
            rows, members = np.nonzero((known.seconds > 0) & (known.whose != NOBODY))
            began = found.entered[rows, members]
            values = (
                found.ranks[members],
                began,
                waited_until(found, known)[rows, members],
                np.full(len(rows), number),
                found.ranks[known.whose[rows, members]],
                found.stands_for(calls)[rows],
            )
            for column, value in zip(columns, values, strict=True):
                column.append(value)
            if not found.is_of(FOR_ALL) and found.procedure not in POSTED | FOR_NEIGHBOURS:
                rows, members, until, whose = held_up(found, known)
                values = (
                    found.ranks[members],
                    (found.arrival + known.seconds)[rows, members],
                    until,
                    np.full(len(rows), number),
                    found.ranks[whose],
                    np.full(len(rows), calls / len(found.numbers)),
                )
                for column, value in zip(columns, values, strict=True):
                    column.append(value)
        messages = [
            (wait.rank, wait.began, wait.began + wait.waited, MESSAGES, wait.other, weight)
            for wait, weight in chains.messages
        ]
        for column, of_messages in zip(columns, zip(*messages, strict=True), strict=False):
            column.append(np.array(of_messages))
        joined = [np.concatenate(column) if column else np.empty(0) for column in columns]
        order = np.lexsort((joined[1], joined[0])) if len(joined[0]) else np.empty(0, np.int64)
        self._rank, self._began, self._until, self._table, self._whose, self._weight = (
            column[order] for column in joined
        )

    def share(self, rank: int, number: int, late: _Lateness) -> None:
        """Find out whom a rank waited for, and where, while others waited for it.

        Args:
            rank: that was late.
            number: of the collective that it was late to.
            late: for whom; gets the shares.
        """
        first, last = np.searchsorted(self._rank, [rank, rank + 1])
        weights: dict[int, float] = {}
        # (One more before: it may still have been waiting when the first one came.)
        for one in late.needed:
            low, high = np.searchsorted(self._began[first:last], [one.since.min(), one.until])
            for place in range(int(first) + max(int(low) - 1, 0), int(first + high)):
                if seconds := one.seconds(float(self._began[place]), float(self._until[place])):
                    table = int(self._table[place])
                    if table not in weights:
                        weights[table] = self._weight_of(
                            rank, number, table, late, float(self._weight[place])
                        )
                    self._pass(rank, place, weights[table] * seconds, late)
        # Of what was sampled a second stands for many, but not for more than there was.
        whole = max(late.seconds, sum(late.passed.values()))
        late.passed = {node: seconds / whole for node, seconds in late.passed.items()}
        late.waited_for = {other: seconds / whole for other, seconds in late.waited_for.items()}

    def _weight_of(self, rank: int, number: int, table: int, late: _Lateness, most: float) -> float:
        """Return how many calls one in the sample of another collective stands for, between those of this.

        Where a program does both in turns, members keep the same instances of both, so that each of them
        stands for itself; else it stands for as many as of all calls. As many as there are between two calls
        of this one, by the number of all calls, are expected to be found there.
        """
        if table == MESSAGES or most <= 1:
            return most
        if table == number and self._tables[table].found.is_of(FOR_NEIGHBOURS):
            return 1.0
        found = self._tables[table].found
        arrivals = found.arrival[:, found.ranks == rank].ravel()
        windows = [(one.left, one.until) for one in late.needed if one.left == one.left]
        there = sum(int(((begin <= arrivals) & (arrivals < end)).sum()) for begin, end in windows)
        expected = len(windows) * self._tables[table].calls / self._tables[number].calls
        return min(max(expected / there, 1.0), most) if there else most

    def _pass(self, rank: int, place: int, seconds: float, late: _Lateness) -> None:
        for node, share in self._ends(place).items():
            if node[0] != rank:
                late.passed[node] = late.passed.get(node, 0.0) + share * seconds
                other = int(self._whose[place])
                late.waited_for[other] = late.waited_for.get(other, 0.0) + share * seconds

    def _ends(self, place: int) -> dict[Node, float]:
        """Return the shares of those that a wait is passed on to; for a message, with whom it began."""
        other, table = int(self._whose[place]), int(self._table[place])
        if table != MESSAGES:
            return {(other, table): 1.0}
        began, until = float(self._began[place]), float(self._until[place])
        found = self._chains.follow(other, began, until, int(self._rank[place]))
        return {(origin, MESSAGES): share.seconds / (until - began) for origin, share in found.items()}


def _root_causes(late: dict[Node, _Lateness]) -> tuple[dict[int, float], int]:
    """Pass on what ranks owe to others; return what each has in the end, and in how many steps."""
    causes: dict[int, float] = {}
    moving = {node: one.seconds for node, one in late.items()}
    least = _TOO_LITTLE * sum(moving.values())
    steps = 0
    while moving:
        further: dict[Node, float] = {}
        for node, seconds in moving.items():
            one = late.get(node)
            goes = seconds if steps < MOST_STEPS else 0.0
            kept = seconds
            for other, share in one.passed.items() if one else ():
                if goes * share > least:
                    further[other] = further.get(other, 0.0) + goes * share
                    kept -= goes * share
            causes[node[0]] = causes.get(node[0], 0.0) + kept
        steps += bool(further)
        moving = further
    return causes, steps
