"""Root causes of waiting: follows each late arrival to the wait that delayed it.

Between two collectives on one communicator, a process computes or is in other MPI calls. The late rank was
late because of the activity that it spent more time in than the waiting ranks. The time that it waited for
others, while others waited for it, is passed on: in a collective to the rank that it waited for there, and so
on; for a message to the ranks with which this wait began. Its waiting before the others arrived did not make
it late.

In neighbourhood collectives, lateness propagates by one rank per call: waiting in the previous call is passed
on in the same way, and the time that both ranks computed in between does not count. If the rank left the
previous collective late because it had arrived late there, too, without any rank waiting for it (as the root
of a reduction), the cause is what made it late there (`rankwise.analysis.waiting.before`).
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
"""In place of a collective or its communicator."""
_MOST_ROWS, _MOST_MEMBERS = 16, 64  # of a collective, considered for members that are nearly last
_SELDOM = 0.5  # of the calls that a member was late to: others waited for it in fewer
_NEARLY = 0.1  # of the lateness of the last
_TOO_LITTLE = 1e-3  # of all waiting: smaller parts are not passed on further


@dataclass
class Caused:
    """Seconds that others waited for a rank, by the reason why it was late.

    Attributes:
        computing: it had computed for longer than the waiting ranks.
        in_mpi: it had been in other MPI calls for longer.
        late_start: it had left the previous collective later.
        passed_on: it was waiting for others meanwhile, in collectives and for messages.
        passed_to: rank that it mainly waited for meanwhile; None = none.
    """

    computing: float = 0.0
    in_mpi: float = 0.0
    late_start: float = 0.0
    passed_on: float = 0.0
    passed_to: int | None = None


@dataclass(frozen=True)
class Propagation:
    """The ranks that made others wait.

    Attributes:
        caused: direct waiting for each rank, by rank.
        root_cause_seconds: waiting caused by each rank after indirect waiting was passed on, by rank.
        steps: largest number of times that waiting was passed on.
        owed: each late arrival, and its root causes.
    """

    caused: dict[int, Caused]
    root_cause_seconds: dict[int, float]
    steps: int
    owed: Owed


class _Needed(NamedTuple):
    """An instance of a collective in which others waited for a rank.

    Attributes:
        left: when the rank left the previous collective on this communicator; NaN = unknown.
        since: arrival of each waiting rank.
        until: arrival of the late rank.
        weights: seconds that a second of each waiting rank represents.
    """

    left: float
    since: NDArray[np.float64]
    until: float
    weights: NDArray[np.float64]

    def seconds(self, began: float, ended: float) -> float:
        """Return how long others waited within a period, summed over all of them."""
        each = np.minimum(ended, self.until) - np.maximum(began, self.since)
        return float(np.clip(each, 0.0, None) @ self.weights)


@dataclass
class _Lateness:
    """The waiting that a rank caused by being late to a collective, and its reasons."""

    seconds: float = 0.0
    computing: float = 0.0
    in_mpi: float = 0.0
    late_start: float = 0.0
    needed: list[_Needed] = field(default_factory=list)
    passed: dict[Node, float] = field(default_factory=dict)  # shares of `seconds`
    waited_for: dict[int, float] = field(
        default_factory=dict
    )  # shares of `seconds`, by the rank that it waited for


def pass_on(tables: Sequence[Late], chains: Chains) -> Propagation:
    """Determine why ranks were late, and pass indirect waiting on.

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
        if tables[number].instances.is_of(FOR_NEIGHBOURS):
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
    causes, steps = _root_causes(late)
    for number, table in enumerate(tables):
        for node, lateness in _nearly_last(number, table, late).items():
            waited.share(*node, lateness)
            late[node] = lateness
    return Propagation(caused, causes, steps, _owed(late))


def _left_late_as_it_waited(lateness: _Lateness) -> None:
    """Count a late start as time in MPI if the rank had waited in the previous call: that is passed on."""
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
    # (A nonblocking collective posted before delayed no rank, however late it was posted.)
    departed = np.zeros_like(start) if instances.procedure in POSTED else start
    late = {}
    for member in distinct(known.whose[known.whose != NOBODY]).tolist():
        among = instances.is_of(FOR_NEIGHBOURS)
        others = _neighbours_of(instances, member) if among else slice(None)
        waited = np.where(known.whose[:, others] == member, each[:, others], 0.0)
        seconds = waited.sum(axis=1)
        rows = seconds > 0
        waited, seconds = waited[rows], seconds[rows]
        # Differences from the mean of the waiting ranks; an unknown value makes all of them unknown.
        more = [
            column[rows, member] - _mean(column[:, others][rows], waited, seconds)
            for column in (computing, instances.since_in_mpi, departed)
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
    """Return when neighbours waited for a member, minus the time that both computed since the previous call.

    Only calls with a known previous call count; they represent all.
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
    """Return the members with this member as a neighbour, which may wait for it."""
    waiters: NDArray[np.int64] = np.flatnonzero((instances.neighbours == member).any(axis=1))
    return waiters


def _computed(instances: Instances, row: int, before: int, member: int, until: float) -> float:
    """Return how long a member computed between the previous call and its arrival; NaN = unknown."""
    if instances.procedure in POSTED:  # (Time in MPI after posting is waiting for it, too.)
        return max(until - float(instances.departure[before, member]), 0.0)
    return float(instances.since[row, member] - instances.since_in_mpi[row, member])


def _nearly_last(number: int, table: Late, late: Mapping[Node, _Lateness]) -> dict[Node, _Lateness]:
    """Return nearly last arrivals, which ranks would wait for if the last ranks arrived earlier."""
    instances, known, _, _ = table
    rows = np.flatnonzero((known.whose != NOBODY).any(axis=1))
    if not instances.is_of(FOR_ALL) or not len(rows):
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
    """The waiting of all ranks, indexed by rank and time."""

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
            if not instances.is_of(FOR_ALL) and instances.procedure not in POSTED | FOR_NEIGHBOURS:
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
        joined = [np.concatenate(column) if column else np.empty(0) for column in columns]
        order = np.lexsort((joined[1], joined[0])) if len(joined[0]) else np.empty(0, np.int64)
        self._rank, self._began, self._until, self._table, self._whose, self._weight = (
            column[order] for column in joined
        )

    def share(self, rank: int, number: int, late: _Lateness) -> None:
        """Determine which ranks a rank waited for, and where, while others waited for it.

        Args:
            rank: that was late.
            number: of the collective that it was late to.
            late: the waiting for the rank; the shares are stored in it.
        """
        first, last = np.searchsorted(self._rank, [rank, rank + 1])
        weights: dict[int, float] = {}
        # (Include one earlier wait: it may have lasted until the first waiting rank arrived.)
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
        # A sampled second represents several, but in total not more than the waiting.
        whole = max(late.seconds, sum(late.passed.values()))
        late.passed = {node: seconds / whole for node, seconds in late.passed.items()}
        late.waited_for = {other: seconds / whole for other, seconds in late.waited_for.items()}

    def _weight_of(self, rank: int, number: int, table: int, late: _Lateness, most: float) -> float:
        """Return how many calls a sampled call of another collective represents, between calls of this one.

        If a program alternates between both, the same instances of both are kept, so each call represents
        only itself; otherwise it represents as many calls as on average. The weight follows from the number
        of calls expected between two calls of this collective, and the number found there.
        """
        if table == MESSAGES or most <= 1:
            return most
        if table == number and self._tables[table].instances.is_of(FOR_NEIGHBOURS):
            return 1.0
        instances = self._tables[table].instances
        arrivals = instances.arrival[:, instances.ranks == rank].ravel()
        windows = [(need.left, need.until) for need in late.needed if need.left == need.left]
        count = sum(int(((begin <= arrivals) & (arrivals < end)).sum()) for begin, end in windows)
        expected = len(windows) * self._tables[table].calls / self._tables[number].calls
        return min(max(expected / count, 1.0), most) if count else most

    def _pass(self, rank: int, place: int, seconds: float, late: _Lateness) -> None:
        for node, share in self._ends(place).items():
            if node[0] != rank:
                late.passed[node] = late.passed.get(node, 0.0) + share * seconds
                other = int(self._whose[place])
                late.waited_for[other] = late.waited_for.get(other, 0.0) + share * seconds

    def _ends(self, place: int) -> dict[Node, float]:
        """Return the shares of a wait by late arrival that it is passed on to; for a message, its origins."""
        other, table = int(self._whose[place]), int(self._table[place])
        if table != MESSAGES:
            return {(other, table): 1.0}
        began, until = float(self._began[place]), float(self._until[place])
        origins = self._chains.follow(other, began, until, int(self._rank[place]))
        return {(origin, MESSAGES): share.seconds / (until - began) for origin, share in origins.items()}


def _root_causes(late: dict[Node, _Lateness]) -> tuple[dict[int, float], int]:
    """Pass waiting on to its root causes; return the seconds of each rank, and the number of steps."""
    causes: dict[int, float] = {}
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
            causes[node[0]] = causes.get(node[0], 0.0) + kept
        steps += bool(further)
        moving = further
    return causes, steps
