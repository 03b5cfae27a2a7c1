"""Joins the arrivals at collectives that the processes kept: instances that all members kept.

All members count the instances of a collective in the same way. They keep those whose number has a hash that
ends in as many zeros as the sample is thinned out (src/runtime/arrivals.h): an instance that one member has
not kept is not needed from the others. In addition, each keeps the instances that ended its longest steps; of
these, too, only those count that all members kept.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.profile.collect import layout
from rankwise.profile.collect.arrival_sample import MOST_SHIFT, is_kept, longest
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.keys import part
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.communicators import FIRST, CommunicatorTable
from rankwise.profile.join.grouping import LARGEST, Columns
from rankwise.profile.join.neighbours import are_known
from rankwise.profile.join.node_clocks import NodeClock
from rankwise.profile.join.own_ids import own_ids
from rankwise.profile.join.regions import Regions

COLUMNS = (
    "communicator",
    "procedure",
    "instance",
    "rank",
    "root",
    "region",
    "bytes",
    "arrival",
    "departure",
    "since",
    "since_in_mpi",
    "before",
    "before_communicator",
    "in_sample",
    "entered",
    "asked",
)
"""Of the table `arrivals`, in their order."""

NOBODY = -1
"""In place of NULL."""

_MOST_ROWS = 500_000
_FEW_LONG = 2  # instances of each collective in addition to the sample, where there are too many rows
_RECORDED = np.zeros(1 << layout.CONSTANTS["CALLS_PROCEDURE_BITS"], bool)
_RECORDED[[procedure.id for procedure in PROCEDURES]] = True
_COLLECTIVE = np.zeros(1 << 16, bool)
_COLLECTIVE[
    [
        procedure.id
        for procedure in PROCEDURES
        if procedure.class_name in {"collective", "neighbourhood", "input-output"}
        or procedure.name == "MPI_Win_fence"
    ]
] = True
_NEIGHBOURHOOD = np.zeros(1 << 16, bool)
_NEIGHBOURHOOD[[procedure.id for procedure in PROCEDURES if procedure.class_name == "neighbourhood"]] = True


def join_arrivals(
    world: Mapping[int, Counters],
    joined: CommunicatorTable,
    regions: Regions,
    clocks: Mapping[int, NodeClock],
    graphs: Collection[int] = (),
) -> Columns:
    """Join the arrivals of the processes of a world.

    Args:
        world: counters by rank, in the order of the ranks.
        joined: its communicators.
        regions: its regions.
        clocks: of the nodes, by rank.
        graphs: communicators whose neighbours are all noted.

    Returns:
        `COLUMNS`, in the order of the first four; only instances with known arrivals of all members, by
        clocks that can be compared, and with a known rank to wait for.
    """
    rows = kept_rows(world, joined, regions, clocks)
    if not len(rows["rank"]):
        return {name: rows[name] for name in COLUMNS}
    rows = _chosen(rows, _on_one_clock(rows))
    rows = _chosen(rows, _with_known_neighbours(rows, joined, graphs))
    rows = _chosen(rows, _within(rows, _MOST_ROWS))
    return {name: rows[name] for name in COLUMNS}


def starts(world: Mapping[int, Counters], joined: CommunicatorTable) -> Iterator[tuple[int, int, int]]:
    """Return how often persistent collectives were started: rows of the table of this name."""
    starts_by_key: dict[tuple[int, int], int] = {}
    for rank, counters in world.items():
        tables = counters.arrival_tables[counters.arrival_tables["starts"] != 0]
        communicators = joined.ids_of(rank, tables["communicator"].astype(np.int64)).tolist()
        for key, times in zip(
            zip(communicators, tables["procedure"].tolist(), strict=True),
            tables["starts"].tolist(),
            strict=True,
        ):
            if key[0] >= FIRST and _RECORDED[key[1] % len(_RECORDED)] and times <= LARGEST:
                starts_by_key[key] = max(starts_by_key.get(key, 0), times)
    yield from ((*key, times) for key, times in sorted(starts_by_key.items()))


def kept_rows(
    world: Mapping[int, Counters],
    joined: CommunicatorTable,
    regions: Regions,
    clocks: Mapping[int, NodeClock],
) -> Columns:
    """Return the arrivals at instances in which every member's is known, by any clock.

    Args:
        world: counters by rank, in the order of the ranks.
        joined: its communicators.
        regions: its regions.
        clocks: of the nodes, by rank.

    Returns:
        `COLUMNS`, `shift` of the sample, and `clock`, the group of the node's clock.
    """
    parts = [
        _of_process(rank, counters, joined, regions, clocks[rank])
        for rank, counters in world.items()
        if len(counters.arrivals)
    ]
    names = (*(name for name in COLUMNS if name != "in_sample"), "shift", "clock")
    if not parts:
        return {name: np.empty(0, np.int64) for name in (*names, "in_sample")}
    rows = {name: np.concatenate([rows_of_rank[name] for rows_of_rank in parts]) for name in names}
    sizes = np.zeros(max(row.id for row in joined.rows) + 1, np.int64)
    for row in joined.rows:
        sizes[row.id] = row.size
    order = np.lexsort([rows[name] for name in reversed(COLUMNS[:4])])
    rows = _chosen(rows, order)
    rows = _chosen(rows, _whole(rows, sizes))
    return rows | {"in_sample": _in_all_samples(rows).astype(np.int64)}


def _of_process(
    rank: int, counters: Counters, joined: CommunicatorTable, regions: Regions, clock: NodeClock
) -> dict[str, NDArray[np.generic]]:
    tables, rows = counters.arrival_tables, counters.arrivals
    rows = rows[(rows["instance"] != 0) & (rows["table"] < len(tables))]
    own = tables[rows["table"]]
    communicators = joined.ids_of(rank, own["communicator"].astype(np.int64))
    possible = (
        (communicators >= FIRST)
        & _COLLECTIVE[own["procedure"]]
        & (own["shift"] <= MOST_SHIFT)
        & (rows["instance"] <= LARGEST)
        & (rows["bytes"] <= LARGEST)
        & (rows["left"] >= rows["arrived"])
        & ((rows["entered"] == 0) | (rows["entered"] >= rows["arrived"]) & (rows["left"] >= rows["entered"]))
    )
    rows, own, communicators = rows[possible], own[possible], communicators[possible]
    before = part(rows["left_key"], "CALLS", "PROCEDURE")
    on = joined.ids_of(rank, part(rows["left_key"], "CALLS", "COMMUNICATOR"))
    is_known = (rows["left_key"] != 0) & _RECORDED[before]
    has_since = rows["since"] != 0
    since = rows["since"].astype(np.float64) * clock.seconds_per_tick
    in_mpi = rows["since_in_mpi"].astype(np.float64) * clock.seconds_per_tick
    return {
        "communicator": communicators,
        "procedure": own["procedure"].astype(np.int64),
        "instance": rows["instance"].astype(np.int64),
        "rank": np.full(len(rows), rank, np.int64),
        "root": _world_ranks(joined, communicators, rows["root"].astype(np.int64)),
        "region": own_ids(
            regions.ids[rank], rows["region"].astype(np.int64), layout.CONSTANTS["REGION_OTHER"]
        ),
        "bytes": rows["bytes"].astype(np.int64),
        "arrival": clock.of(rows["arrived"]),
        "departure": clock.of(rows["left"]),
        "entered": np.where(rows["entered"] != 0, clock.of(rows["entered"]), np.nan),
        "asked": np.where(
            rows["asked"] != 0, rows["asked"].astype(np.float64) * clock.seconds_per_tick, np.nan
        ),
        "since": np.where(has_since, since, np.nan),
        "since_in_mpi": np.where(has_since, np.minimum(in_mpi, since), np.nan),
        "before": np.where(is_known, before, NOBODY),
        "before_communicator": np.where(is_known & (on >= FIRST), on, NOBODY),
        "shift": own["shift"].astype(np.int64),
        "clock": np.full(len(rows), clock.group, np.int64),
    }


def _world_ranks(
    joined: CommunicatorTable, communicators: NDArray[np.int64], places: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Translate ranks in communicators; invalid and unknown ones become NOBODY."""
    pairs, inverse = np.unique(np.stack([communicators, places], axis=1), axis=0, return_inverse=True)
    ranks = [joined.groups.get(number, {}).get(place, NOBODY) for number, place in pairs.tolist()]
    return np.array(ranks, np.int64)[inverse.reshape(-1)]


def _chosen(rows: Columns, which: NDArray[np.generic]) -> Columns:
    return {name: column[which] for name, column in rows.items()}


def _starts(rows: Columns, names: Sequence[str]) -> NDArray[np.int64]:
    """Number the groups of adjacent rows that are equal in some columns; return each row's number."""
    new = np.zeros(len(rows["rank"]), bool)
    for name in names:
        new[1:] |= rows[name][1:] != rows[name][:-1]
    return np.cumsum(new)


def _in_all_samples(rows: Columns) -> NDArray[np.bool_]:
    """Return which rows are in the smallest sample that a member has of the collective."""
    groups = _starts(rows, COLUMNS[:2])
    most = np.zeros(int(groups[-1]) + 1 if len(groups) else 0, np.int64)
    np.maximum.at(most, groups, rows["shift"])
    return is_kept(rows["instance"].astype(np.uint64), most[groups], rows["procedure"])


def _whole(rows: Columns, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows belong to instances that each member kept once."""
    groups = _starts(rows, COLUMNS[:3])
    count = int(groups[-1]) + 1 if len(groups) else 0
    members = np.bincount(groups, minlength=count)
    first = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1]))[: len(groups)])
    whole = members == sizes[rows["communicator"][first]]
    twice = np.zeros(count, bool)
    np.logical_or.at(twice, groups[1:], (groups[1:] == groups[:-1]) & (rows["rank"][1:] == rows["rank"][:-1]))
    chosen: NDArray[np.bool_] = (whole & ~twice)[groups]
    return chosen


def _on_one_clock(rows: Columns) -> NDArray[np.bool_]:
    """Return which rows belong to instances whose members have comparable clocks."""
    groups = _starts(rows, COLUMNS[:3])
    first = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
    others = np.zeros(len(first), bool)
    np.logical_or.at(others, groups, rows["clock"] != rows["clock"][first][groups])
    chosen: NDArray[np.bool_] = ~others[groups]
    return chosen


def _with_known_neighbours(
    rows: Columns, joined: CommunicatorTable, graphs: Collection[int]
) -> NDArray[np.bool_]:
    """Return which rows are not of collectives among unknown neighbours."""
    among = _NEIGHBOURHOOD[rows["procedure"]]
    on = set(rows["communicator"][among].tolist())
    known = [
        row.id
        for row in joined.rows
        if row.id in on and (row.id in graphs or are_known(row.topology, json.loads(row.dims), row.size))
    ]
    is_known: NDArray[np.bool_] = ~among | np.isin(rows["communicator"], known)
    return is_known


def _within(rows: Columns, most: int) -> NDArray[np.bool_]:
    """Return which rows to keep if there are too many: the largest samples are thinned out first."""
    tables, instances = _starts(rows, COLUMNS[:2]), _starts(rows, COLUMNS[:3])
    if len(tables) <= most:
        return np.ones(len(tables), bool)
    long_ones = _longest(rows, tables, instances, _FEW_LONG)
    chosen = in_sample = rows["in_sample"] == 1
    numbers = rows["instance"].astype(np.uint64)
    shifts = np.zeros(int(tables[-1]) + 1, np.int64)
    for cap in (64, 32, 16, 8, 4):
        while True:
            kept = np.flatnonzero(chosen)
            first = kept[np.concatenate(([True], instances[kept][1:] != instances[kept][:-1]))]
            many = np.bincount(tables[first], minlength=len(shifts)) > cap
            if not many.any() or int(shifts.max()) >= MOST_SHIFT:
                break
            shifts[many] += 1
            chosen = in_sample & is_kept(numbers, shifts[tables], rows["procedure"])
        if int(chosen.sum()) <= most:
            break
    stay: NDArray[np.bool_] = chosen | long_ones
    return stay


def _longest(
    rows: Columns, tables: NDArray[np.int64], instances: NDArray[np.int64], most: int
) -> NDArray[np.bool_]:
    """Return which rows belong to the longest instances of each collective outside the sample."""
    beside = rows["in_sample"] == 0
    steps = np.nan_to_num(rows["since"]) + (rows["departure"] - rows["arrival"])
    longest_step = np.zeros(int(instances[-1]) + 1)
    np.maximum.at(longest_step, instances, np.where(beside, steps, 0.0))
    first = np.flatnonzero(np.concatenate(([True], instances[1:] != instances[:-1])))
    chosen = np.zeros(len(first), bool)
    which = np.flatnonzero(beside[first])
    chosen[which] = longest(tables[first][which], longest_step[which], most)
    whole: NDArray[np.bool_] = chosen[instances]
    return whole
