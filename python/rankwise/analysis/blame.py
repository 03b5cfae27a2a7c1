"""Why those came late whom others waited for, and whom they had been waiting for themselves.

The time between two collectives of a process on one communicator is spent computing or in other calls of MPI.
What the late one had more of than those who waited is why it was late. Of the part in MPI, what it waited in
collectives on other communicators is passed on to whom it waited for there, and so on; what it waited for
messages is passed on to those with whom these waits began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.chains import Chains
from rankwise.analysis.waits import NOBODY, Instances, Waits

MOST_STEPS = 8
MESSAGES = -1
"""In the place of a collective, or of its communicator."""
_TOO_LITTLE = 1e-3  # of all waiting: what is not passed on any further


class Late(NamedTuple):
    """A collective on one communicator.

    Attributes:
        found: its instances.
        waits: who waited for whom.
        weights: what a second of each member in the sample stands for.
    """

    found: Instances
    waits: Waits
    weights: NDArray[np.float64]


@dataclass
class Caused:
    """Seconds that others waited for one rank, by why it was late.

    Attributes:
        computing: it had computed for longer than they.
        in_mpi: it had been in other calls of MPI for longer.
        late_start: it had left the collective before later.
        passed_on: of `in_mpi`, what it had waited for others itself, in collectives and for messages.
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
    """

    caused: dict[int, Caused]
    finally_blamed: dict[int, float]
    steps: int


_Node = tuple[int, int]  # a rank, and the number of a collective that it came late to, or MESSAGES


@dataclass
class _Lateness:
    """What came of one rank's being late to one collective."""

    seconds: float = 0.0
    computing: float = 0.0
    in_mpi: float = 0.0
    late_start: float = 0.0
    windows: list[tuple[float, float]] = field(default_factory=list)  # in which it was in MPI for longer
    in_windows: float = 0.0  # seconds in MPI
    passed: dict[_Node, float] = field(default_factory=dict)  # shares of `in_mpi`
    waited_for: dict[int, float] = field(
        default_factory=dict
    )  # likewise, by the rank that it waited for itself


def pass_on(tables: Sequence[Late], chains: Chains) -> Blame:
    """Find out why ranks came late, and pass the blame on.

    Args:
        tables: all collectives.
        chains: all waits, with those for messages.
    """
    late: dict[_Node, _Lateness] = {}
    for number, table in enumerate(tables):
        late.update(_lateness(number, table))
    waited = _Waited(tables, chains)
    caused: dict[int, Caused] = {}
    shares: dict[int, dict[int, float]] = {}
    for (rank, number), one in late.items():
        waited.share(rank, tables[number].found.communicator, one)
        sums = caused.setdefault(rank, Caused())
        sums.computing += one.computing
        sums.in_mpi += one.in_mpi
        sums.late_start += one.late_start
        sums.passed_on += sum(one.passed.values()) * one.in_mpi
        own = shares.setdefault(rank, {})
        for other, share in one.waited_for.items():
            own[other] = own.get(other, 0.0) + share * one.in_mpi
    for rank, others in shares.items():
        if others and sum(others.values()) > 0:
            caused[rank].passed_to = max(others, key=lambda other: others[other])
    blamed, steps = _blamed(late)
    return Blame(caused, blamed, steps)


def _lateness(number: int, table: Late) -> dict[_Node, _Lateness]:
    found, known, weights = table
    each = np.where(found.selected, weights, 0.0) * known.seconds
    computing = found.since - found.since_in_mpi
    start = found.arrival - found.since
    late = {}
    for member in np.unique(known.whose[known.whose != NOBODY]).tolist():
        waited = np.where(known.whose == member, each, 0.0)
        seconds = waited.sum(axis=1)
        rows = seconds > 0
        waited, seconds = waited[rows], seconds[rows]
        # More than those who waited for it, on the average; what is not known makes all of it unknown.
        more = [
            column[rows, member] - _mean(column[rows], waited, seconds)
            for column in (computing, found.since_in_mpi, start)
        ]
        positive = np.clip(np.array(more).reshape(3, -1), 0.0, None)
        whole = positive.sum(axis=0)
        parts = np.divide(positive, whole, out=np.zeros_like(positive), where=whole > 0) * seconds
        parts = np.nan_to_num(parts)
        because_of_mpi = parts[1] > 0
        ends = found.arrival[rows, member][because_of_mpi]
        begins = start[rows, member][because_of_mpi]
        late[int(found.ranks[member]), number] = _Lateness(
            float(seconds.sum()),
            float(parts[0].sum()),
            float(parts[1].sum()),
            float(parts[2].sum()),
            list(zip(begins.tolist(), ends.tolist(), strict=True)),
            float(found.since_in_mpi[rows, member][because_of_mpi].sum()),
        )
    return late


def _mean(
    column: NDArray[np.float64], waited: NDArray[np.float64], seconds: NDArray[np.float64]
) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = np.where(waited > 0, column * waited, 0.0).sum(axis=1) / seconds
    return mean


class _Waited:
    """The waiting of all ranks, to be looked up by rank and time."""

    def __init__(self, tables: Sequence[Late], chains: Chains) -> None:
        columns: list[list[NDArray[np.generic]]] = [[] for _ in range(8)]
        for number, (found, known, weights) in enumerate(tables):
            rows, members = np.nonzero((known.seconds > 0) & (known.whose != NOBODY))
            values = (
                found.ranks[members],
                found.arrival[rows, members],
                found.departure[rows, members],
                np.full(len(rows), found.communicator),
                np.full(len(rows), number),
                found.ranks[known.whose[rows, members]],
                weights[members] * known.seconds[rows, members],
            )
            for column, value in zip(columns, (*values, known.seconds[rows, members]), strict=True):
                column.append(value)
        self._chains = chains
        messages = [
            (
                wait.rank,
                wait.began,
                wait.ended,
                MESSAGES,
                MESSAGES,
                wait.other,
                weight * wait.waited,
                wait.waited,
            )
            for wait, weight in chains.messages
        ]
        for column, of_messages in zip(columns, zip(*messages, strict=True), strict=False):
            column.append(np.array(of_messages))
        joined = [np.concatenate(column) if column else np.empty(0) for column in columns]
        order = np.lexsort((joined[1], joined[0])) if len(joined[0]) else np.empty(0, np.int64)
        (
            self._rank,
            self._arrival,
            self._departure,
            self._communicator,
            self._table,
            self._whose,
            self._waited,
            self._seconds,
        ) = (column[order] for column in joined)

    def share(self, rank: int, communicator: int, late: _Lateness) -> None:
        """Find out whom a rank had waited for, and where, in the time that made it late.

        Args:
            rank: that was late.
            communicator: that it was late on.
            late: by what; gets the shares.
        """
        if not late.windows or late.in_windows <= 0:
            return
        first, last = np.searchsorted(self._rank, [rank, rank + 1])
        arrivals = self._arrival[first:last]
        whole = 0.0
        for begin, end in late.windows:
            low, high = np.searchsorted(arrivals, [begin, end])
            for place in range(int(first + low), int(first + high)):
                if self._communicator[place] == communicator or self._departure[place] > end:
                    continue
                waited = float(self._waited[place])
                whole += waited
                for node, share in self._ends(place).items():
                    if node[0] != rank:
                        late.passed[node] = late.passed.get(node, 0.0) + share * waited
                        other = int(self._whose[place])
                        late.waited_for[other] = late.waited_for.get(other, 0.0) + share * waited
        # A sample of few instances may stand for more than there was.
        whole = max(late.in_windows, whole)
        late.passed = {node: seconds / whole for node, seconds in late.passed.items()}
        late.waited_for = {other: seconds / whole for other, seconds in late.waited_for.items()}

    def _ends(self, place: int) -> dict[_Node, float]:
        """Return the shares of those that a wait is passed on to; for a message, with whom it began."""
        other, table = int(self._whose[place]), int(self._table[place])
        if table != MESSAGES:
            return {(other, table): 1.0}
        began, seconds = float(self._arrival[place]), float(self._seconds[place])
        found = self._chains.follow(other, began, began + seconds)
        return {(origin, MESSAGES): share.seconds / seconds for origin, share in found.items()}


def _blamed(late: dict[_Node, _Lateness]) -> tuple[dict[int, float], int]:
    """Pass on what ranks owe to others; return what each has in the end, and in how many steps."""
    blamed: dict[int, float] = {}
    moving = {node: one.seconds for node, one in late.items()}
    least = _TOO_LITTLE * sum(moving.values())
    steps = 0
    while moving:
        further: dict[_Node, float] = {}
        for node, seconds in moving.items():
            one = late.get(node)
            goes = one.in_mpi / one.seconds * seconds if one and one.seconds and steps < MOST_STEPS else 0.0
            kept = seconds
            for other, share in one.passed.items() if one else ():
                if goes * share > least:
                    further[other] = further.get(other, 0.0) + goes * share
                    kept -= goes * share
            blamed[node[0]] = blamed.get(node[0], 0.0) + kept
        steps += bool(further)
        moving = further
    return blamed, steps
