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
class Blame:
    """Who made others wait.

    Attributes:
        caused: by rank.
        finally_blamed: seconds by rank, when all was passed on.
        steps: how often some of it was passed on, at most.
        owed: each late arrival, and whom it is owed to.
    """

    caused: dict[int, Caused]
    finally_blamed: dict[int, float]
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


def pass_on(tables: Sequence[Late], chains: Chains) -> Blame:
    """Find out why ranks came late, and pass the blame on.

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
    for (rank, number), lateness in late.items():
        waited.share(rank, number, lateness)
        if tables[number].instances.procedure in FOR_NEIGHBOURS:
            _left_late_as_it_waited(lateness)
        sums = caused.setdefault(rank, Caused())
        sums.computing += lateness.computing
        sums.in_mpi += lateness.in_mpi
        sums.late_start += lateness.late_start
        sums.passed_on += sum(lateness.passed.values()) * lateness.seconds
        own = shares.setdefault(rank, {})
        for other, share in lateness.waited_for.items():
            own[other] = own.get(other, 0.0) + share * lateness.seconds
    for rank, others in shares.items():
        if others and sum(others.values()) > 0:
            caused[rank].passed_to = max(others, key=lambda other: others[other])
    blamed, steps = _blamed(late)
    for number, table in enumerate(tables):
        for node, lateness in _nearly_last(number, table, late).items():
            waited.share(*node, lateness)
            late[node] = lateness
    return Blame(caused, blamed, steps, _owed(late))


def _left_late_as_it_waited(lateness: _Lateness) -> None:
    """Take off what a rank left the call before late for because it had waited there: that is passed on."""
    waited = min(sum(lateness.passed.values()) * lateness.seconds, lateness.late_start)
    lateness.late_start -= waited
    lateness.in_mpi += waited


def _owed(late: Mapping[Node, _Lateness]) -> Owed:
    origins = {}
    for node, lateness in late.items():
        elsewhere = lateness.late_start / lateness.seconds if lateness.seconds else 0.0
        origins[node] = Origin(max(1.0 - elsewhere - sum(lateness.passed.values()), 0.0), lateness.passed)
    return Owed(origins, MOST_STEPS)


def _lateness(number: int, table: Late, before: Before) -> dict[Node, _Lateness]:
    instances, known, weights, _ = table
    each = np.where(instances.selected, weights, 0.0) * known.seconds
    computing = instances.since - instances.since_in_mpi
    start = instances.arrival - instances.since
    # (What was posted before has held nobody up, however late it was posted.)
    left = np.zeros_like(start) if instances.procedure in POSTED else start
    late = {}
    for member in distinct(known.whose[known.whose != NOBODY]).tolist():
        among = instances.procedure in FOR_NEIGHBOURS
        others = _neighbours_of(instances, member) if among else slice(None)
        waited = np.where(known.whose[:, others] == member, each[:, others], 0.0)
        seconds = waited.sum(axis=1)
        rows = seconds > 0
        waited, seconds = waited[rows], seconds[rows]
        # More than those who waited for it, on the average; what is not known makes all of it unknown.
        more = [
            column[rows, member] - _mean(column[:, others][rows], waited, seconds)
            for column in (computing, instances.since_in_mpi, left)
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
                    instances.arrival[row, each],
                    float(instances.arrival[row, member]),
                    instances.selected[row, each] * weights[row, each],
                )
                for row in np.flatnonzero(rows).tolist()
                for each in (np.flatnonzero(known.whose[row] == member),)
            ]
        late[int(instances.ranks[member]), number] = _Lateness(
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
    instances, known, weights, _ = table
    place = np.searchsorted(instances.numbers, instances.numbers - 1)
    needed = []
    for row in np.flatnonzero(instances.numbers[place] == instances.numbers - 1).tolist():
        for each in _neighbours_of(instances, member).tolist():
            if known.whose[row, each] == member and instances.selected[row, each]:
                ends = (member, instances.arrival[row, member]), (each, instances.entered[row, each])
                both = min(_computed(instances, row, int(place[row]), *end) for end in ends)
                needed.append(
                    _Needed(
                        float(instances.arrival[row, member] - instances.since[row, member]),
                        instances.entered[row, [each]] - both,
                        float(instances.arrival[row, member]) - both,
                        weights[row, [each]],
                    )
                )
    needed = [need for need in needed if need.until == need.until]
    whole = sum(need.seconds(-np.inf, np.inf) for need in needed)
    return [need._replace(weights=need.weights * seconds / whole) for need in needed] if whole else []


def _neighbours_of(instances: Instances, member: int) -> NDArray[np.int64]:
    own = instances.neighbours[member]
    there: NDArray[np.int64] = own[own != NOBODY]
    return there


def _computed(instances: Instances, row: int, before: int, member: int, until: float) -> float:
    """Return how long a member has computed since the call before, until it came; NaN = not known."""
    if instances.procedure in POSTED:  # (In MPI since it has posted that one it has waited for it, too.)
        return max(until - float(instances.departure[before, member]), 0.0)
    return float(instances.since[row, member] - instances.since_in_mpi[row, member])


def _nearly_last(number: int, table: Late, late: Mapping[Node, _Lateness]) -> dict[Node, _Lateness]:
    """Return those that nobody waited for longest, but somebody would if the last ones came earlier."""
    instances, known, _, _ = table
    rows = np.flatnonzero((known.whose != NOBODY).any(axis=1))
    if instances.procedure not in FOR_ALL or not len(rows):
        return {}
    waited = len(rows)
    rows = rows[:: -(-len(rows) // _MOST_ROWS)]
    arrival, start = instances.arrival[rows], instances.arrival[rows] - instances.since[rows]
    mean = np.clip(arrival - np.median(arrival, axis=1, keepdims=True), 0.0, None).mean(axis=0)
    others = np.ones(arrival.shape[1])
    nearly = {}
    for member in (-mean).argsort()[:_MOST_MEMBERS].tolist():
        node = int(instances.ranks[member]), number
        if mean[member] <= _NEARLY * mean.max():
            continue
        needed = [
            _Needed(float(start[row, member]), arrival[row], float(arrival[row, member]), others)
            for row in range(len(rows))
        ]
        if node not in late or len(late[node].needed) < _SELDOM * waited:
            seconds = sum(need.seconds(-np.inf, np.inf) for need in needed)
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
        for number, (instances, known, _, calls) in enumerate(tables):
            rows, members = np.nonzero((known.seconds > 0) & (known.whose != NOBODY))
            began = instances.entered[rows, members]
            values = (
                instances.ranks[members],
                began,
                waited_until(instances, known)[rows, members],
                np.full(len(rows), number),
                instances.ranks[known.whose[rows, members]],
                instances.stands_for(calls)[rows],
            )
            for column, value in zip(columns, values, strict=True):
                column.append(value)
            if instances.procedure not in FOR_ALL | POSTED | FOR_NEIGHBOURS:
                rows, members, until, whose = held_up(instances, known)
                values = (
                    instances.ranks[members],
                    (instances.arrival + known.seconds)[rows, members],
                    until,
                    np.full(len(rows), number),
                    instances.ranks[whose],
                    np.full(len(rows), calls / len(instances.numbers)),
                )
                for column, value in zip(columns, values, strict=True):
                    column.append(value)
        messages = [
            (wait.rank, wait.began, wait.began + wait.waited, MESSAGES, wait.other, weight)
            for wait, weight in chains.messages
        ]
        for column, of_messages in zip(columns, zip(*messages, strict=True), strict=False):
            column.append(np.array(of_messages))
        merged = [np.concatenate(column) if column else np.empty(0) for column in columns]
        order = np.lexsort((merged[1], merged[0])) if len(merged[0]) else np.empty(0, np.int64)
        self._rank, self._began, self._until, self._table, self._whose, self._weight = (
            column[order] for column in merged
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
        for need in late.needed:
            low, high = np.searchsorted(self._began[first:last], [need.since.min(), need.until])
            for place in range(int(first) + max(int(low) - 1, 0), int(first + high)):
                if seconds := need.seconds(float(self._began[place]), float(self._until[place])):
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
        if table == number and self._tables[table].instances.procedure in FOR_NEIGHBOURS:
            return 1.0
        instances = self._tables[table].instances
        arrivals = instances.arrival[:, instances.ranks == rank].ravel()
        windows = [(need.left, need.until) for need in late.needed if need.left == need.left]
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
        origins = self._chains.follow(other, began, until, int(self._rank[place]))
        return {(origin, MESSAGES): share.seconds / (until - began) for origin, share in origins.items()}


def _blamed(late: dict[Node, _Lateness]) -> tuple[dict[int, float], int]:
    """Pass on what ranks owe to others; return what each has in the end, and in how many steps."""
    blamed: dict[int, float] = {}
    moving = {node: lateness.seconds for node, lateness in late.items()}
    least = _TOO_LITTLE * sum(moving.values())
    steps = 0
    while moving:
        further: dict[Node, float] = {}
        for node, seconds in moving.items():
            lateness = late.get(node)
            goes = seconds if steps < MOST_STEPS else 0.0
            kept = seconds
            for other, share in lateness.passed.items() if lateness else ():
                if goes * share > least:
                    further[other] = further.get(other, 0.0) + goes * share
                    kept -= goes * share
            blamed[node[0]] = blamed.get(node[0], 0.0) + kept
        steps += bool(further)
        moving = further
    return blamed, steps
