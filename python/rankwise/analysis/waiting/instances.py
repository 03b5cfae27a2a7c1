"""How long the members of collectives waited for each other, in instances all of whose arrivals are known.

MPI lets a process leave a collective once it has what it needs: of a barrier everybody's arrival, of a
broadcast the root's. Until the latest of those has come it waits, whatever the library does; the rest of its
time in the call is the transfer, which the library's own way of doing it may lengthen.
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
        neighbours: of each member those that it gets something from, as places in `ranks`, filled up by
            `NOBODY`, m x the most that one has;
            `ALL` = the collective is not among neighbours.
        roots: place in `ranks`, or `NOBODY`, n.
        bytes: of the message, n x m.
        arrival: seconds, n x m; of a collective that is only posted, when that was.
        departure: likewise; when the call ended that completed it.
        entered: likewise; when the call began in which the member may have waited, or the first that
            asked whether the collective was complete; else as `arrival`.
        asking: share of the time from then on that it spent in these calls for this collective; n x m.
        since: seconds from where the member left its collective before on this communicator; NaN = none.
        since_in_mpi: of these in MPI; likewise.
        in_sample: whether the instance is one of the sample, which stands for all; else it was kept beside it
            because it ended one of the longest steps; n.
        selected: whether the call is wanted: others are told for the sake of those that are.
        nodes: a number of each member's node, m.
        errors: seconds by which the times of each member's node may be off, at most, m.
        is_synchronised: the library has everybody wait for everybody, though only the root need wait.
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
        """Return the same; of a collective in which only the root need wait, seen how the library does it.

        If it keeps each member from leaving until the last one has come, whenever that one is late, then
        everybody waits for everybody.
        """
        return replace(self, is_synchronised=self.procedure in FOR_OTHERS and _holds_everybody(self))

    @property
    def length(self) -> Floats:
        """Seconds in the calls in which members may have waited, n x m."""
        return (self.departure - self.entered) * self.asking

    @property
    def is_long(self) -> NDArray[np.bool_]:
        """Whether each instance ended one of the longest steps: it stands for itself alone; n.

        All instances with a step as long as the shortest of those beside the sample were kept (but for those
        that follow one): also those that are in the sample by chance.
        """
        if self.in_sample.all():
            return np.zeros(len(self.numbers), bool)
        longest: NDArray[np.bool_] = self._steps >= self._steps[~self.in_sample].min()
        return longest

    @property
    def follows_long(self) -> NDArray[np.bool_]:
        """Whether each instance is known only because a long step may have been before it; n.

        An instance is kept for the length of its step and the one before together, and of that nothing is
        known here: half of those beside the sample may be short themselves, and stand for nothing. If the
        long steps end with other collectives, all of them may be: hence the usual length in the sample.
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
        """Return how many of so many calls each instance stands for, n."""
        is_long = self.is_long
        alone = int(is_long.sum())
        each: Floats = np.where(is_long, 1.0, (calls - alone) / max(len(is_long) - alone, 1))
        return each

    def uncertain(self, whose: NDArray[np.int64]) -> Floats:
        """Return by how much members' times may be shifted against those of others: not at all on one node.

        Args:
            whose: places of the others, n x m, or n x 1 for all members the same.

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
        whose: place of the member that it waited for the longest, `NOBODY` if it waited for nobody.
        saved: of `seconds`, what would not have been if that one had come with the latest of the others.
    """

    seconds: Floats
    whose: NDArray[np.int64]
    saved: Floats


def consistent(found: Instances) -> NDArray[np.bool_]:
    """Tell of each instance whether its times can be true: nobody leaves a barrier before the last has come.

    If one does, the clocks are off, or the members have not counted alike: a call has failed on some of them.
    """
    late = found.arrival.argmax(axis=1)[:, None]
    last = found.arrival.max(axis=1, keepdims=True)
    early = found.departure + found.uncertain(late) < last
    impossible: NDArray[np.bool_] = np.zeros(len(late), bool)
    if found.procedure in _BARRIERS:
        impossible = np.any(early, axis=1)
    elif found.procedure in _ALLREDUCES:
        impossible = early.any(axis=1) & np.all(found.bytes > 0, axis=1)
    elif found.procedure in _BROADCASTS:
        roots = found.roots[:, None]
        root = np.take_along_axis(found.arrival, roots, axis=1)
        before = (found.departure + found.uncertain(roots) < root) & (found.bytes > 0)
        impossible = np.any(before, axis=1)
    elif found.procedure in _GIVE_TO_NEIGHBOURS:
        given = of_neighbours(found, np.where(found.bytes > 0, found.arrival, _NEVER))
        impossible = np.any(_later_than_left(found, given), axis=(1, 2))
    return ~impossible


def _holds_everybody(found: Instances) -> bool:
    last = found.arrival.argmax(axis=1)[:, None]
    late = found.arrival.max(axis=1, keepdims=True)
    early = found.entered + _CLEARLY_EARLY_S + found.uncertain(last) < late
    held = early & (found.departure + found.uncertain(last) >= late)
    np.put_along_axis(early, np.maximum(found.roots, 0)[:, None], False, axis=1)
    np.put_along_axis(held, np.maximum(found.roots, 0)[:, None], False, axis=1)
    others = np.arange(len(found.ranks)) != (found.roots[0] if len(np.unique(found.roots)) == 1 else NOBODY)
    proofs = early.sum(axis=0)[others]
    return bool(
        (proofs >= _PROOFS).all() and (held.sum(axis=0)[others] >= _HELD_UP * proofs).all() and len(proofs)
    )


def waits(found: Instances) -> Waits:
    """Find out who waited for whom."""
    if found.is_of(FOR_ALL):
        whose, first, second = _for_all(found)
    elif found.is_of(FOR_ROOT):
        whose, first, second = _for_root(found)
    elif found.is_of(FOR_OTHERS):
        whose, first, second = _for_others(found)
    elif found.is_of(FOR_LOWER):
        whose, first, second = _for_lower(found)
    elif found.is_of(FOR_NEIGHBOURS):
        whose, first, second = _for_neighbours(found)
    else:
        whose = np.full(found.arrival.shape, NOBODY)
        first = second = np.full(found.arrival.shape, _NEVER)
    seconds = np.clip((first - found.entered) * found.asking, 0.0, found.length)
    still = np.clip((second - found.entered) * found.asking, 0.0, seconds)
    return Waits(seconds, np.where(seconds > 0, whose, NOBODY), seconds - still)


def waited_until(found: Instances, known: Waits) -> Floats:
    """Return when members no longer waited."""
    ends: Floats = found.entered + known.seconds / found.asking
    return ends


def saved_without(found: Instances, known: Waits, late: NDArray[np.bool_], rows: NDArray[np.int64]) -> Floats:
    """Return which part of the waits would end if some members came with the latest of the others.

    Args:
        found: instances.
        known: the waits in them.
        late: whether each member is one of these.
        rows: instances to look at.

    Returns:
        seconds, one row for each of `rows`.
    """
    arrival, entered, seconds = found.arrival[rows], found.entered[rows], known.seconds[rows]
    others = np.where(late, _NEVER, arrival)
    places = np.arange(len(rows))
    if found.is_of(FOR_ROOT):
        latest = others[places, found.roots[rows]][:, None]
    elif found.is_of(FOR_OTHERS):
        others[places, found.roots[rows]] = _NEVER
        latest = others.max(axis=1, keepdims=True)
    elif found.is_of(FOR_LOWER):
        order = found.places.argsort()
        up_to = np.maximum.accumulate(others[:, order], axis=1)
        latest = np.full(arrival.shape, _NEVER)
        latest[:, order[1:]] = up_to[:, :-1]
    elif found.is_of(FOR_NEIGHBOURS):
        latest = of_neighbours(found, others).max(axis=2)
    else:
        latest = others.max(axis=1, keepdims=True)
    saved: Floats = seconds - np.clip((latest - entered) * found.asking[rows], 0.0, seconds)
    return saved


def of_neighbours(found: Instances, values: Floats) -> Floats:
    """Return the values of each member's neighbours, n x m x the most that one has; of nobody: never."""
    nobody = np.full((len(values), 1), _NEVER)
    each: Floats = np.concatenate([values, nobody], axis=1)[:, found.neighbours]
    return each


_Latest = tuple[NDArray[np.int64], Floats, Floats]  # whose the latest arrival is, when, and the one before it


def each_wait(found: Instances) -> tuple[list[int], list[float], list[float], list[int]]:
    """Return who waited, from when until when, and for whom, in instances whose times can be true."""
    found = found.of(consistent(found))
    known = waits(found)
    rows, members = np.nonzero(known.whose != NOBODY)
    began = found.entered[rows, members]
    return (
        found.ranks[members].tolist(),
        began.tolist(),
        waited_until(found, known)[rows, members].tolist(),
        found.ranks[known.whose[rows, members]].tolist(),
    )


def held_up(
    found: Instances, known: Waits
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Return who was in a rooted collective while others came that MPI does not have it wait for.

    In the tree of a reduction a member waits for those below it. That is no waiting for a late rank, but part
    of how the library does it; yet it delays what comes next.

    Returns:
        instances, members, until when, and who came then.
    """
    order = found.arrival.argsort(axis=1, kind="stable")
    ordered = np.take_along_axis(found.arrival, order, axis=1)
    there = np.stack(
        [np.searchsorted(*times, side="right") for times in zip(ordered, found.departure, strict=True)]
    )
    place = np.clip(there - 1, 0, None)
    until = np.take_along_axis(ordered, place, axis=1)
    whose = np.take_along_axis(order, place, axis=1)
    rows, members = np.nonzero(until > found.arrival + known.seconds)
    return rows, members, until[rows, members], whose[rows, members]


def _for_all(found: Instances) -> _Latest:
    shape = found.arrival.shape
    order = found.arrival.argsort(axis=1, kind="stable")
    ordered = np.take_along_axis(found.arrival, order, axis=1)
    whose = np.broadcast_to(order[:, -1:], shape).copy()
    first = np.broadcast_to(ordered[:, -1:], shape).copy()
    second = np.broadcast_to(ordered[:, -2:-1], shape).copy()
    # Without data for each other processes need not wait. Who left before the last came has waited for one
    # who had come by then.
    early = found.departure + found.uncertain(order[:, -1:]) < first
    for row, member in zip(*np.nonzero(early), strict=True):
        there = max(int(np.searchsorted(ordered[row], found.departure[row, member], "right")) - 1, 0)
        whose[row, member] = order[row, there]
        first[row, member] = ordered[row, there]
        second[row, member] = ordered[row, there - 1] if there else _NEVER
    return whose, first, second


def _for_root(found: Instances) -> _Latest:
    shape = found.arrival.shape
    rows = np.arange(shape[0])
    whose = np.broadcast_to(found.roots[:, None], shape).copy()
    first = np.broadcast_to(found.arrival[rows, found.roots][:, None], shape).copy()
    first[rows, found.roots] = _NEVER
    return whose, first, np.full(shape, _NEVER)


def _for_others(found: Instances) -> _Latest:
    shape = found.arrival.shape
    rows = np.arange(shape[0])
    others = found.arrival.copy()
    others[rows, found.roots] = _NEVER
    # (Of small or empty messages the root may have left before the last has come, if that one sends nothing.)
    left = found.departure[rows, found.roots][:, None] + found.uncertain(found.roots[:, None])
    others[others > left] = _NEVER
    order = others.argsort(axis=1, kind="stable")
    first, second = np.full(shape, _NEVER), np.full(shape, _NEVER)
    whose = np.full(shape, NOBODY)
    first[rows, found.roots] = others[rows, order[:, -1]]
    second[rows, found.roots] = others[rows, order[:, -2]]
    whose[rows, found.roots] = order[:, -1]
    return whose, first, second


def _for_lower(found: Instances) -> _Latest:
    shape = found.arrival.shape
    rows = np.arange(shape[0])
    whose = np.full(shape, NOBODY)
    first, second = np.full(shape, _NEVER), np.full(shape, _NEVER)
    latest, before = np.full(shape[0], _NEVER), np.full(shape[0], _NEVER)
    who = np.full(shape[0], NOBODY)
    for member in found.places.argsort():
        first[:, member], second[:, member], whose[:, member] = latest, before, who
        own = found.arrival[rows, member]
        later = own > latest
        before = np.where(later, latest, np.maximum(before, own))
        latest, who = np.where(later, own, latest), np.where(later, member, who)
    return whose, first, second


def _for_neighbours(found: Instances) -> _Latest:
    arrival = of_neighbours(found, found.arrival)
    # Who left before a neighbour came had nothing to get from it.
    arrival[_later_than_left(found, arrival)] = _NEVER
    order = arrival.argsort(axis=2, kind="stable")
    ordered = np.take_along_axis(arrival, order, axis=2)
    members = np.arange(len(found.neighbours))
    whose = found.neighbours[members, order[:, :, -1]]
    return whose, ordered[:, :, -1], ordered[:, :, -2]


def _later_than_left(found: Instances, of_each: Floats) -> NDArray[np.bool_]:
    """Tell which neighbours came when a member had left, n x m x the most that one has."""
    apart = np.stack([found.uncertain(column[None, :]) for column in found.neighbours.T], axis=2)
    later: NDArray[np.bool_] = of_each > found.departure[:, :, None] + apart
    return later
