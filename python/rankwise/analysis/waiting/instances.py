"""How long the members of collectives waited for each other, in instances with all arrivals known.

MPI lets a process leave a collective once the required members have arrived: in a barrier all members, in a
broadcast the root. Until the last of these arrives, the process waits with any algorithm. The rest of its
time in the call is transfer, which the library's algorithm may lengthen.
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
"""In place of neighbours, for a collective that is no neighbourhood collective."""
_NEVER = -np.inf
_CLEARLY_EARLY_S = 50e-6
_HELD_UP = 0.95  # of the calls that a member was early to: the library holds it until all have arrived
_PROOFS = 3
_USUAL = 0.75  # quantile of the sample, which has a longest step only by chance
_GIVE_TO_NEIGHBOURS = in_all_forms(  # the same amount to each neighbour
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
        neighbours: of each member, the members that it receives data from, as places in `ranks`, padded with
            `NOBODY`, m x the largest number of neighbours;
            `ALL` = it is no neighbourhood collective.
        roots: place in `ranks`, or `NOBODY`, n.
        bytes: of the message, n x m.
        arrival: time of the call, seconds, n x m; for a nonblocking collective, when it was posted.
        departure: end of the call, or of the call that completed a nonblocking collective, seconds, n x m.
        entered: start of the call in which the member may have waited, or of the first call that tested for
            completion, seconds, n x m; else as `arrival`.
        asking: share of the time from `entered` on that was spent in these calls for this collective; n x m.
        since: seconds since the member left its previous collective on this communicator, n x m; NaN = none.
        since_in_mpi: the part of `since` in MPI, n x m; NaN = none.
        in_sample: whether the instance is in the sample, which represents all; else it was kept in addition,
            because it ended one of the longest steps; n.
        selected: whether the call is in the selected part; other calls are included as context; n x m.
        nodes: a number of each member's node, m.
        errors: largest error of the times of each member's node, seconds, m.
        is_synchronised: the library makes all members wait for all, though only the root needs to wait.
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
        """Return whether members wait for each other as in the collectives of a kind."""
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
        """Return the same; for a collective in which only the root needs to wait, with `is_synchronised` set.

        The library synchronises it if it always holds each member until the last one arrives.
        """
        return replace(self, is_synchronised=self.procedure in FOR_OTHERS and _holds_all(self))

    @property
    def length(self) -> Floats:
        """Seconds in the calls in which members may have waited, n x m."""
        return (self.departure - self.entered) * self.asking

    @property
    def is_long(self) -> NDArray[np.bool_]:
        """Whether each instance ended one of the longest steps, so that it represents only itself; n.

        All instances were kept whose step is at least as long as the shortest one outside the sample, except
        instances that follow one. Some of the longest may be in the sample by chance.
        """
        if self.in_sample.all():
            return np.zeros(len(self.numbers), bool)
        longest: NDArray[np.bool_] = self._steps >= self._steps[~self.in_sample].min()
        return longest

    @property
    def follows_long(self) -> NDArray[np.bool_]:
        """Whether each instance was kept only because the step before it may have been long; n.

        An instance is kept for the total length of its step and the previous step, which is unknown here.
        So up to half of the instances outside the sample may be short, and represent nothing. If the long
        steps end with other collectives, all of them may be short: hence the usual length in the sample.
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
        """The longest step of a member that ended with each instance, seconds, n."""
        steps: Floats = (np.nan_to_num(self.since) + self.departure - self.arrival).max(axis=1)
        return steps

    def stands_for(self, calls: int) -> Floats:
        """Return how many of this number of calls each instance represents, n."""
        is_long = self.is_long
        alone = int(is_long.sum())
        each: Floats = np.where(is_long, 1.0, (calls - alone) / max(len(is_long) - alone, 1))
        return each

    def uncertain(self, whose: NDArray[np.int64]) -> Floats:
        """Return by how much members' times may be shifted against other members' times: 0 on one node.

        Args:
            whose: places of the other members, n x m, or n x 1 if the same for all members.

        Returns:
            upper bound, seconds, n x m.
        """
        apart: NDArray[np.bool_] = self.nodes != self.nodes[whose]
        shifted: Floats = np.where(apart, self.errors + self.errors[whose], 0.0)
        return shifted


class Waits(NamedTuple):
    """How long the members waited: arrays n x m.

    Attributes:
        seconds: that the member waited.
        whose: place of the member that it waited for the longest, `NOBODY` if it did not wait.
        saved: the part of `seconds` avoided if that member had arrived with the latest of the others.
    """

    seconds: Floats
    whose: NDArray[np.int64]
    saved: Floats


def consistent(instances: Instances) -> NDArray[np.bool_]:
    """Return for each instance whether its times are possible. No member leaves a barrier before all arrive.

    Otherwise the clocks are off, or the members count instances differently, as a call failed on some of
    them.
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


def _holds_all(instances: Instances) -> bool:
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
    """Return how long each member waited, and for which member."""
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
    """Return when the waiting of each member ended."""
    ends: Floats = instances.entered + known.seconds / instances.asking
    return ends


def saved_without(
    instances: Instances, known: Waits, late: NDArray[np.bool_], rows: NDArray[np.int64]
) -> Floats:
    """Return how much waiting would be avoided if some members arrived with the latest of the others.

    Args:
        instances: of a collective.
        known: the waits in them.
        late: whether each member is one of these members.
        rows: the instances to consider.

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
    """Return the values of each member's neighbours, n x m x the largest number; `_NEVER` as padding."""
    never = np.full((len(values), 1), _NEVER)
    each: Floats = np.concatenate([values, never], axis=1)[:, instances.neighbours]
    return each


# Of each member: the last required member to arrive, its arrival, and the arrival before.
_Latest = tuple[NDArray[np.int64], Floats, Floats]


def each_wait(instances: Instances) -> tuple[list[int], list[float], list[float], list[int]]:
    """Return rank, start, end and rank waited for of each wait, in consistent instances."""
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
    """Return members that were in a rooted collective while others arrived that MPI does not require.

    In the tree of a reduction, a member waits for the members below it. This belongs to the library's
    algorithm and is no waiting for a late rank; yet it delays the member.

    Returns:
        instances, members, time of the last such arrival, and the member that arrived then.
    """
    order = instances.arrival.argsort(axis=1, kind="stable")
    ordered = np.take_along_axis(instances.arrival, order, axis=1)
    arrived = np.stack(
        [np.searchsorted(*times, side="right") for times in zip(ordered, instances.departure, strict=True)]
    )
    place = np.clip(arrived - 1, 0, None)
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
    # Without data for each other, processes need not wait. A member that left before the last one arrived
    # waited for a member that had arrived by then.
    early = instances.departure + instances.uncertain(order[:, -1:]) < first
    for row, member in zip(*np.nonzero(early), strict=True):
        place = max(int(np.searchsorted(ordered[row], instances.departure[row, member], "right")) - 1, 0)
        whose[row, member] = order[row, place]
        first[row, member] = ordered[row, place]
        second[row, member] = ordered[row, place - 1] if place else _NEVER
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
    # (With small or empty messages the root may leave before the last arrives, if that member sends nothing.)
    departure = instances.departure[rows, instances.roots][:, None] + instances.uncertain(
        instances.roots[:, None]
    )
    others[others > departure] = _NEVER
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
    latest_member = np.full(shape[0], NOBODY)
    for member in instances.places.argsort():
        first[:, member], second[:, member], whose[:, member] = latest, before, latest_member
        own = instances.arrival[rows, member]
        later = own > latest
        before = np.where(later, latest, np.maximum(before, own))
        latest, latest_member = np.where(later, own, latest), np.where(later, member, latest_member)
    return whose, first, second


def _for_neighbours(instances: Instances) -> _Latest:
    arrival = of_neighbours(instances, instances.arrival)
    # A member that left before a neighbour arrived needed no data from it.
    arrival[_later_than_left(instances, arrival)] = _NEVER
    order = arrival.argsort(axis=2, kind="stable")
    ordered = np.take_along_axis(arrival, order, axis=2)
    members = np.arange(len(instances.neighbours))
    whose = instances.neighbours[members, order[:, :, -1]]
    return whose, ordered[:, :, -1], ordered[:, :, -2]


def _later_than_left(instances: Instances, of_each: Floats) -> NDArray[np.bool_]:
    """Return which neighbours arrived after a member had left, n x m x the largest number of neighbours."""
    apart = np.stack([instances.uncertain(column[None, :]) for column in instances.neighbours.T], axis=2)
    later: NDArray[np.bool_] = of_each > instances.departure[:, :, None] + apart
    return later
