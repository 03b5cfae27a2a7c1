"""Aligns nodes whose clocks were not compared with rank 0's clock, by the collectives of the program.

A process leaves a collective in which all wait for all only when the last one has arrived. So the first
departure on one node is after the last arrival on another, which bounds the difference of their clocks. And
once the last one has arrived, the nodes leave at nearly the same instant, within the duration of the
collective itself. The shortest stay of a member, that of the last to arrive, shows this duration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.arrivals import kept_rows
from rankwise.profile.join.communicators import CommunicatorTable
from rankwise.profile.join.grouping import Columns
from rankwise.profile.join.node_clocks import COLLECTIVES, DRIFT, NodeClock
from rankwise.profile.join.regions import Regions

Floats = NDArray[np.float64]

_ALL_FOR_ALL = frozenset(
    {"MPI_Allgather", "MPI_Allgatherv", "MPI_Allreduce", "MPI_Alltoall", "MPI_Reduce_scatter_block"}
)
"""In these everybody waits for everybody who sends something. (MPI_Alltoallv may leave pairs out.)"""
_LEAST_SAMPLES = 4
_LEAST_FOR_DRIFT = 12
_MOST_DRIFT = 1e-3  # of clocks that are not damaged
_ROUNDING = 1e-7  # seconds

_IDS = {procedure.name: procedure.id for procedure in PROCEDURES}


class _Table(NamedTuple):
    """Instances of a collective in which everybody waits for everybody: n instances, m groups of nodes.

    Attributes:
        groups: whose clocks can be compared with each other's, m.
        came: the last arrival of each group, by its clock, seconds, n x m.
        left: the first departure of each group, by its clock, seconds, n x m.
        stay: the shortest stay of a member, n.
    """

    groups: list[int]
    came: Floats
    left: Floats
    stay: Floats


class _Samples(NamedTuple):
    """Instances of collectives between a node with a known offset and one without.

    Attributes:
        at: departure of the group with the known clock, by the common clock, seconds.
        least: lower bound of how far the other clock is ahead, seconds.
        most: upper bound of it.
        left: how much later the other group left, each by its own clock.
        stay: the shortest of a member.
    """

    at: Floats
    least: Floats
    most: Floats
    left: Floats
    stay: Floats


class _Ahead(NamedTuple):
    """How far a clock is ahead of the common clock.

    Attributes:
        at: an instant of it, seconds.
        seconds: that it is ahead then.
        drift: seconds a second that it gains.
        error: of that, seconds.
        drift_error: of `drift`.
    """

    at: float
    seconds: float
    drift: float
    error: float
    drift_error: float = DRIFT

    def corrected(self, instants: Floats) -> Floats:
        """Put instants on the common clock."""
        return instants - self.seconds - self.drift * (instants - self.at)


def clocks_by_collectives(
    world: Mapping[int, Counters],
    communicator_table: CommunicatorTable,
    regions: Regions,
    clocks: Mapping[int, NodeClock],
) -> Mapping[int, NodeClock]:
    """Return the clocks of the nodes by rank, for all nodes that can use the clock of rank 0's node.

    Args:
        world: counters by rank, in the order of the ranks.
        communicator_table: its communicators.
        regions: its regions.
        clocks: of the nodes, by rank.
    """
    common = next((clock.group for clock in clocks.values() if clock.source), None)
    if common is None or all(clock.group == common for clock in clocks.values()):
        return clocks
    ahead_of_groups = _ahead(kept_rows(world, communicator_table, regions, clocks), common)
    made = dict(clocks)
    for rank, clock in clocks.items():
        if ahead := ahead_of_groups.get(clock.group):
            stamps = [stamp.ticks for stamp in world[rank].header.stamps.values() if stamp.used]
            ends = clock.at(min(stamps, default=clock.ticks)), clock.at(max(stamps, default=clock.ticks))
            made[rank] = _moved(clock, ahead, ends, common)
    return made


def _moved(clock: NodeClock, ahead: _Ahead, ends: tuple[float, float], common: int) -> NodeClock:
    """Put a clock on the common one, for a process that started and ended at these instants by it."""
    farthest = max(abs(end - ahead.at) for end in ends)
    error = ahead.error + ahead.drift_error * farthest + clock.largest_error
    return replace(
        clock,
        group=common,
        seconds=clock.seconds - ahead.seconds - ahead.drift * (clock.seconds - ahead.at),
        seconds_per_tick=clock.seconds_per_tick * (1 - ahead.drift),
        first=0.0,
        last=0.0,
        error=error,
        last_error=error,
        ahead=(clock.ahead or 0.0) + ahead.seconds + ahead.drift * (ends[0] - ahead.at),
        source=COLLECTIVES,
    )


def _ahead(rows: Columns, common: int) -> dict[int, _Ahead]:
    """Return how far groups of nodes are ahead of the common clock, group by group."""
    tables = [table for table in _tables(rows) if len(table.groups) > 1]
    known = {common: _Ahead(0.0, 0.0, 0.0, 0.0)}
    while True:
        samples: dict[int, dict[int, list[_Samples]]] = {}
        for table in tables:
            near = [group for group in table.groups if group in known][:1]
            far = [group for group in table.groups if group not in known]
            for reference, group in product(near, far):
                pair = _between(table, reference, known[reference], group)
                samples.setdefault(group, {}).setdefault(reference, []).append(pair)
        ahead_of_groups = {group: ahead for group, pairs in samples.items() if (ahead := _best(pairs, known))}
        if not ahead_of_groups:
            break
        known |= ahead_of_groups
    del known[common]
    return known


def _tables(rows: Columns) -> Iterator[_Table]:
    """Yield the instances of each communicator and procedure in which everybody waits for everybody."""
    if not len(rows["rank"]):
        return
    starts = (rows["communicator"][1:] != rows["communicator"][:-1]) | (
        rows["procedure"][1:] != rows["procedure"][:-1]
    )
    edges = [0, *(np.flatnonzero(starts) + 1).tolist(), len(rows["rank"])]
    all_for_all = {_IDS[name] for name in _ALL_FOR_ALL}
    for begin, end in pairwise(edges):
        procedure = int(rows["procedure"][begin])
        sends = procedure in all_for_all and bool((rows["bytes"][begin:end] > 0).all())
        if sends or procedure == _IDS["MPI_Barrier"]:
            yield _table({name: column[begin:end] for name, column in rows.items()})


def _table(rows: Columns) -> _Table:
    instances, instance = np.unique(rows["instance"], return_inverse=True)
    groups, group = np.unique(rows["clock"], return_inverse=True)
    instance, group = instance.reshape(-1), group.reshape(-1)
    came = np.full((len(instances), len(groups)), -np.inf)
    left = np.full((len(instances), len(groups)), np.inf)
    stay = np.full(len(instances), np.inf)
    np.maximum.at(came, (instance, group), rows["arrival"])
    np.minimum.at(left, (instance, group), rows["departure"])
    np.minimum.at(stay, instance, rows["departure"] - rows["arrival"])
    return _Table(groups.tolist(), came, left, stay)


def _between(table: _Table, reference: int, ahead: _Ahead, group: int) -> _Samples:
    """Return the offset between two groups by the instances of a table; the first group is known."""
    column = table.groups.index(reference)
    came, left = (ahead.corrected(ends[:, column]) for ends in (table.came, table.left))
    column = table.groups.index(group)
    others_came, others_left = table.came[:, column], table.left[:, column]
    return _Samples(left, others_came - left, others_left - came, others_left - left, table.stay)


def _best(pairs: Mapping[int, list[_Samples]], known: Mapping[int, _Ahead]) -> _Ahead | None:
    """Return the most exact offset of those from several known groups."""
    candidates = []
    for reference, samples in pairs.items():
        ahead = _estimate(_Samples(*(np.concatenate(columns) for columns in zip(*samples, strict=True))))
        if ahead:
            candidates.append(ahead._replace(error=ahead.error + known[reference].error))
    return min(candidates, key=lambda candidate: candidate.error, default=None)


def _estimate(samples: _Samples) -> _Ahead | None:
    """Return how far the clock is ahead; None if too little is known, or if it contradicts itself."""
    if len(samples.at) < _LEAST_SAMPLES:
        return None
    # Quick instances are the most exact: use half of them.
    quick = samples.stay <= np.median(samples.stay)
    at, left = samples.at[quick], samples.left[quick]
    unsure = 2 * float(np.median(samples.stay[quick]))
    middle = float(np.median(at))
    drift, drift_error = _drift(at, left, unsure)
    low, seconds, high = np.quantile(left - drift * (at - middle), (0.1, 0.5, 0.9)).tolist()
    # On nodes with more processes than processors some are late to leave, now on this one, now on that.
    unsure += high - low
    passed = samples.at - middle
    slack = drift_error * np.abs(passed) + _ROUNDING
    least = float((samples.least - drift * passed - slack).max())
    most = float((samples.most - drift * passed + slack).min())
    if least > most:
        return None
    seconds = min(max(seconds, least), most)
    error = min(unsure, max(seconds - least, most - seconds))
    return _Ahead(middle + seconds, seconds, drift, error, drift_error)


def _drift(at: Floats, left: Floats, unsure: float) -> tuple[float, float]:
    """Return seconds a second, and how far that may be off: as clocks do, if samples tell no better."""
    if len(at) < _LEAST_FOR_DRIFT:
        return 0.0, DRIFT
    first, last = (at <= np.quantile(at, 1 / 3)), (at >= np.quantile(at, 2 / 3))
    distance = float(np.median(at[last]) - np.median(at[first]))
    if distance <= 0 or unsure / distance > DRIFT:
        return 0.0, DRIFT
    drift = float(np.median(left[last]) - np.median(left[first])) / distance
    return (drift, unsure / distance) if abs(drift) <= _MOST_DRIFT else (0.0, DRIFT)
