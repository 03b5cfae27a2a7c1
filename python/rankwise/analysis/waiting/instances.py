"""How long the members of collectives waited for each other, in instances with all arrivals known.

A process can leave a collective once the ranks that it depends on have arrived: all ranks for a barrier, the
root for a broadcast. Until the latest of them arrives, it waits, with every algorithm. The rest of its time
in the call is transfer, which depends on the algorithm.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.analysis.waiting.procedures import (
    FOR_ALL,
    FOR_LOWER,
    FOR_NEIGHBOURS,
    FOR_OTHERS,
    FOR_ROOT,
    in_all_forms,
)
from rankwise.records import dataclass

Floats = NDArray[np.float64]

NOBODY = -1
ALL: NDArray[np.int64] = np.empty((0, 0), np.int64)
"""In place of neighbours: of a collective that is not among neighbours."""
_NEVER = -np.inf
_CLEARLY_EARLY_S = 50e-6
_HELD_UP = 0.95  # of the calls that a member came to early: the library lets it go when all have come
_PROOFS = 3
_USUAL = 0.75  # of the sample, which has no step among the longest but by chance
_GIVE_TO_NEIGHBOURS = in_all_forms(  # as much to each of them
    "MPI_Neighbor_allgather", "MPI_Neighbor_allgatherv", "MPI_Neighbor_alltoall"
)
_BARRIERS, _ALLREDUCES, _BROADCASTS = map(in_all_forms, ("MPI_Barrier", "MPI_Allreduce", "MPI_Bcast"))


@dataclass(frozen=True, kw_only=True)
class Instances:
    """The kept instances of one collective on one communicator: n instances, m members.

    Attributes:
        communicator: id in the profile.
        procedure: name.
        numbers: of the instances, n.
        ranks: of the members in MPI_COMM_WORLD, ascending, m.
        places: their ranks in the communicator, m.
        neighbours: the neighbours that each member receives from, as places in `ranks`, padded with `NOBODY`,
            m x the most neighbours of a member; `ALL` = the collective is not among neighbours.
        roots: place in `ranks`, or `NOBODY`, n.
        bytes: of the message, n x m.
        arrival: seconds, n x m; for a nonblocking collective, the time when it was posted.
        departure: seconds, n x m; the end of the call that completed it.
        entered: seconds, n x m; the begin of the call in which the member may have waited, or of the first
            test for completion; else as `arrival`.
        asking: share of the time after that which the member spent in these calls for this collective; n x m.
        since: seconds since the member left the previous collective on this communicator; NaN = none; n x m.
        since_in_mpi: part of `since` in MPI; n x m.
        in_sample: whether the instance belongs to the sample, which represents all; else it was kept in
            addition because it ended one of the longest steps; n.
        selected: whether the call is in the part of the run; the other calls are there because these need
            them; n x m.
        nodes: a number of each member's node, m.
        errors: clock error of each member's node in seconds, at most, m.
        is_synchronised: the library makes all ranks wait for all, though only the root has to wait.
    """

    communicator: int
    procedure: str
    numbers: NDArray[np.int64]
    ranks: NDArray[np.int64]
    places: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    roots: NDArray[np.int64]
    bytes: NDArray[np.int64]
    arrival: Floats
    departure: Floats
    entered: Floats
    asking: Floats
    since: Floats
    since_in_mpi: Floats
    in_sample: NDArray[np.bool_]
    selected: NDArray[np.bool_]
    nodes: NDArray[np.int64]
    errors: Floats
    is_synchronised: bool = False

    def is_of(self, kind: frozenset[str]) -> bool:
        """Tell whether members wait for each other as in the collectives of a kind."""
        return kind is FOR_ALL if self.is_synchronised else self.procedure in kind

    def of(self, which: NDArray[np.bool_]) -> Instances:
        """Return some of the instances."""
        own = {
            *("communicator", "procedure", "ranks", "places", "neighbours", "nodes", "errors"),
            "is_synchronised",
        }
        return Instances(
            **{name: value if name in own else value[which] for name, value in vars(self).items()}
        )

    def seen_as_synchronised(self) -> Instances:
        """Return the same instances, marked if the library synchronises all ranks though only the root waits.

        If no member leaves before the last arrival, whenever that is late, then all ranks wait for all.
        """
        return replace(self, is_synchronised=self.procedure in FOR_OTHERS and _holds_everybody(self))

    @property
    def length(self) -> Floats:
        """Seconds in the calls in which members may have waited, n x m."""
        return (self.departure - self.entered) * self.asking

    @property
    def is_long(self) -> NDArray[np.bool_]:
        """Whether each instance ended one of the longest steps: it represents only itself; n.

        All instances with a step at least as long as the shortest one outside of the sample were kept (except
        those that follow one). So the sample may also contain some.
        """
        if self.in_sample.all():
            return np.zeros(len(self.numbers), bool)
        longest: NDArray[np.bool_] = self._steps >= self._steps[~self.in_sample].min()
        return longest

    @property
    def follows_long(self) -> NDArray[np.bool_]:
        """Whether each instance was kept only because the step before it may have been long; n.

        An instance is kept for the total length of its step and the previous one, which is unknown here. Half
        of the instances outside of the sample may have short steps and represent nothing. If the long steps
        end with other collectives, all of them may: hence the comparison with the usual length in the sample.
        """
        if self.in_sample.all():
            return np.zeros(len(self.numbers), bool)
        beside = self._steps[~self.in_sample]
        sample = self._steps[self.in_sample]
        usual = np.quantile(sample, _USUAL) if len(sample) else 0.0
        short: NDArray[np.bool_] = self._steps < max(np.median(beside), usual)
        return ~self.in_sample & short

    @property
    def _steps(self) -> Floats:
        """Seconds of the longest step of a member that ended with each instance, n."""
        steps: Floats = (np.nan_to_num(self.since) + self.departure - self.arrival).max(axis=1)
        return steps

    def stands_for(self, calls: int) -> Floats:
        """Return the number of calls that each instance represents, n; together they are `calls`."""
        is_long = self.is_long
        alone = int(is_long.sum())
        each: Floats = np.where(is_long, 1.0, (calls - alone) / max(len(is_long) - alone, 1))
        return each

    def uncertain(self, whose: NDArray[np.int64]) -> Floats:
        """Return the possible clock offset between members and others; 0 on the same node.

        Args:
            whose: places of the others, n x m, or n x 1 if all members have the same.

        Returns:
            seconds, at most, n x m.
        """
        apart: NDArray[np.bool_] = self.nodes != self.nodes[whose]
        shifted: Floats = np.where(apart, self.errors + self.errors[whose], 0.0)
        return shifted


class Waits(NamedTuple):
    """How long the members waited: arrays n x m.

    Attributes:
        seconds: that the member waited.
        whose: place of the member that it waited for longest; `NOBODY` = it did not wait.
        saved: part of `seconds` that would end if that member had arrived with the latest of the others.
    """

    seconds: Floats
    whose: NDArray[np.int64]
    saved: Floats


def consistent(instances: Instances) -> NDArray[np.bool_]:
    """Return for each instance whether its times are possible: none leaves a barrier before the last arrival.

    Otherwise the clocks are off, or the members count differently because a call failed on some of them.
    """
    late = instances.arrival.argmax(axis=1)[:, None]
    last = instances.arrival.max(axis=1, keepdims=True)
    early = instances.departure + instances.uncertain(late) < last
    impossible: NDArray[np.bool_] = np.zeros(len(late), bool)
    if instances.procedure in _BARRIERS:
        impossible = np.any(early, axis=1)
    elif instances.procedure in _ALLREDUCES:
        impossible = early.any(axis=1) & np.all(instances.bytes > 0, axis=1)
    elif instances.procedure in _BROADCASTS:
        roots = instances.roots[:, None]
        root = np.take_along_axis(instances.arrival, roots, axis=1)
        before = (instances.departure + instances.uncertain(roots) < root) & (instances.bytes > 0)
        impossible = np.any(before, axis=1)
    elif instances.procedure in _GIVE_TO_NEIGHBOURS:
        given = of_neighbours(instances, np.where(instances.bytes > 0, instances.arrival, _NEVER))
        impossible = np.any(_later_than_left(instances, given), axis=(1, 2))
    return ~impossible


def _holds_everybody(instances: Instances) -> bool:
    last = instances.arrival.argmax(axis=1)[:, None]
    late = instances.arrival.max(axis=1, keepdims=True)
    early = instances.entered + _CLEARLY_EARLY_S + instances.uncertain(last) < late
    held = early & (instances.departure + instances.uncertain(last) >= late)
    np.put_along_axis(early, np.maximum(instances.roots, 0)[:, None], False, axis=1)
    np.put_along_axis(held, np.maximum(instances.roots, 0)[:, None], False, axis=1)
    others = np.arange(len(instances.ranks)) != (
        instances.roots[0] if len(np.unique(instances.roots)) == 1 else NOBODY
    )
    proofs = early.sum(axis=0)[others]
    return bool(
        (proofs >= _PROOFS).all() and (held.sum(axis=0)[others] >= _HELD_UP * proofs).all() and len(proofs)
    )


def waits(instances: Instances) -> Waits:
    """Find out who waited for whom."""
    if instances.is_of(FOR_ALL):
        whose, first, second = _for_all(instances)
    elif instances.is_of(FOR_ROOT):
        whose, first, second = _for_root(instances)
    elif instances.is_of(FOR_OTHERS):
        whose, first, second = _for_others(instances)
    elif instances.is_of(FOR_LOWER):
        whose, first, second = _for_lower(instances)
    elif instances.is_of(FOR_NEIGHBOURS):
        whose, first, second = _for_neighbours(instances)
    else:
        whose = np.full(instances.arrival.shape, NOBODY)
        first = second = np.full(instances.arrival.shape, _NEVER)
    seconds = np.clip((first - instances.entered) * instances.asking, 0.0, instances.length)
    still = np.clip((second - instances.entered) * instances.asking, 0.0, seconds)
    return Waits(seconds, np.where(seconds > 0, whose, NOBODY), seconds - still)


def waited_until(instances: Instances, known: Waits) -> Floats:
    """Return the times at which members stopped waiting."""
    ends: Floats = instances.entered + known.seconds / instances.asking
    return ends


def saved_without(
    instances: Instances, known: Waits, late: NDArray[np.bool_], rows: NDArray[np.int64]
) -> Floats:
    """Return the waiting that would end if some members arrived with the latest of the others.

    Args:
        instances: instances of one collective.
        known: their waits.
        late: for each member whether it is one of those.
        rows: instances to look at.

    Returns:
        seconds, one row for each of `rows`.
    """
    arrival, entered, seconds = instances.arrival[rows], instances.entered[rows], known.seconds[rows]
    others = np.where(late, _NEVER, arrival)
    places = np.arange(len(rows))
    if instances.is_of(FOR_ROOT):
        latest = others[places, instances.roots[rows]][:, None]
    elif instances.is_of(FOR_OTHERS):
        others[places, instances.roots[rows]] = _NEVER
        latest = others.max(axis=1, keepdims=True)
    elif instances.is_of(FOR_LOWER):
        order = instances.places.argsort()
        up_to = np.maximum.accumulate(others[:, order], axis=1)
        latest = np.full(arrival.shape, _NEVER)
        latest[:, order[1:]] = up_to[:, :-1]
    elif instances.is_of(FOR_NEIGHBOURS):
        latest = of_neighbours(instances, others).max(axis=2)
    else:
        latest = others.max(axis=1, keepdims=True)
    saved: Floats = seconds - np.clip((latest - entered) * instances.asking[rows], 0.0, seconds)
    return saved


def of_neighbours(instances: Instances, values: Floats) -> Floats:
    """Return the values of each member's neighbours, n x m x the most neighbours; `_NEVER` for `NOBODY`."""
    nobody = np.full((len(values), 1), _NEVER)
    each: Floats = np.concatenate([values, nobody], axis=1)[:, instances.neighbours]
    return each


_Latest = tuple[NDArray[np.int64], Floats, Floats]  # latest member, its arrival, the one before


def each_wait(instances: Instances) -> tuple[list[int], list[float], list[float], list[int]]:
    """Return who waited, from when until when, and for whom, in instances whose times can be true."""
    instances = instances.of(consistent(instances))
    known = waits(instances)
    rows, members = np.nonzero(known.whose != NOBODY)
    began = instances.entered[rows, members]
    return (
        instances.ranks[members].tolist(),
        began.tolist(),
        waited_until(instances, known)[rows, members].tolist(),
        instances.ranks[known.whose[rows, members]].tolist(),
    )


def held_up(
    instances: Instances, known: Waits
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Return ranks that were still in a rooted collective when others arrived that they need not wait for.

    In the tree of a reduction a member waits for the members below it. The algorithm causes that, not a late
    rank; yet it delays the next calls.

    Returns:
        instances, members, end of the delay, and the member that arrived then.
    """
    order = instances.arrival.argsort(axis=1, kind="stable")
    ordered = np.take_along_axis(instances.arrival, order, axis=1)
    there = np.stack(
        [np.searchsorted(*times, side="right") for times in zip(ordered, instances.departure, strict=True)]
    )
    place = np.clip(there - 1, 0, None)
    until = np.take_along_axis(ordered, place, axis=1)
    whose = np.take_along_axis(order, place, axis=1)
    rows, members = np.nonzero(until > instances.arrival + known.seconds)
    return rows, members, until[rows, members], whose[rows, members]


def _for_all(instances: Instances) -> _Latest:
    shape = instances.arrival.shape
    order = instances.arrival.argsort(axis=1, kind="stable")
    ordered = np.take_along_axis(instances.arrival, order, axis=1)
    whose = np.broadcast_to(order[:, -1:], shape).copy()
    first = np.broadcast_to(ordered[:, -1:], shape).copy()
    second = np.broadcast_to(ordered[:, -2:-1], shape).copy()
    # Without data for each other processes need not wait. A member that left before the last arrival has
    # waited for a member that had arrived by then.
    early = instances.departure + instances.uncertain(order[:, -1:]) < first
    for row, member in zip(*np.nonzero(early), strict=True):
        there = max(int(np.searchsorted(ordered[row], instances.departure[row, member], "right")) - 1, 0)
        whose[row, member] = order[row, there]
        first[row, member] = ordered[row, there]
        second[row, member] = ordered[row, there - 1] if there else _NEVER
    return whose, first, second


def _for_root(instances: Instances) -> _Latest:
    shape = instances.arrival.shape
    rows = np.arange(shape[0])
    whose = np.broadcast_to(instances.roots[:, None], shape).copy()
    first = np.broadcast_to(instances.arrival[rows, instances.roots][:, None], shape).copy()
    first[rows, instances.roots] = _NEVER
    return whose, first, np.full(shape, _NEVER)


def _for_others(instances: Instances) -> _Latest:
    shape = instances.arrival.shape
    rows = np.arange(shape[0])
    others = instances.arrival.copy()
    others[rows, instances.roots] = _NEVER
    # (With small or empty messages the root may leave before the last arrival, if that member sends nothing.)
    departed = instances.departure[rows, instances.roots][:, None] + instances.uncertain(
        instances.roots[:, None]
    )
    others[others > departed] = _NEVER
    order = others.argsort(axis=1, kind="stable")
    first, second = np.full(shape, _NEVER), np.full(shape, _NEVER)
    whose = np.full(shape, NOBODY)
    first[rows, instances.roots] = others[rows, order[:, -1]]
    second[rows, instances.roots] = others[rows, order[:, -2]]
    whose[rows, instances.roots] = order[:, -1]
    return whose, first, second


def _for_lower(instances: Instances) -> _Latest:
    shape = instances.arrival.shape
    rows = np.arange(shape[0])
    whose = np.full(shape, NOBODY)
    first, second = np.full(shape, _NEVER), np.full(shape, _NEVER)
    latest, before = np.full(shape[0], _NEVER), np.full(shape[0], _NEVER)
    who = np.full(shape[0], NOBODY)
    for member in instances.places.argsort():
        first[:, member], second[:, member], whose[:, member] = latest, before, who
        own = instances.arrival[rows, member]
        later = own > latest
        before = np.where(later, latest, np.maximum(before, own))
        latest, who = np.where(later, own, latest), np.where(later, member, who)
    return whose, first, second


def _for_neighbours(instances: Instances) -> _Latest:
    arrival = of_neighbours(instances, instances.arrival)
    # A member that left before a neighbour arrived received nothing from it.
    arrival[_later_than_left(instances, arrival)] = _NEVER
    order = arrival.argsort(axis=2, kind="stable")
    ordered = np.take_along_axis(arrival, order, axis=2)
    members = np.arange(len(instances.neighbours))
    whose = instances.neighbours[members, order[:, :, -1]]
    return whose, ordered[:, :, -1], ordered[:, :, -2]


def _later_than_left(instances: Instances, of_each: Floats) -> NDArray[np.bool_]:
    """Return which neighbours arrived after a member had left, n x m x the most neighbours."""
    apart = np.stack([instances.uncertain(column[None, :]) for column in instances.neighbours.T], axis=2)
    later: NDArray[np.bool_] = of_each > instances.departure[:, :, None] + apart
    return later
