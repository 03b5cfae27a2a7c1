"""Arrivals of several processes joined: instances that every member has kept, on clocks of one group."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from rankwise.profile.collect.arrival_sample import is_kept
from rankwise.profile.collect.layout import ARRIVAL, ARRIVAL_TABLE, NEIGHBOUR
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join import arrivals
from rankwise.profile.join.arrivals import join_arrivals, starts
from rankwise.profile.join.neighbours import noted, sources
from rankwise.profile.join.node_clocks import NodeClock

WORLD, SUB = 3, 4
NUMBER = {procedure.name: procedure.id for procedure in PROCEDURES}
SECOND = 10**9
END = -1


def process(
    tables: Sequence[tuple[int, str, int]], rows: Sequence[tuple[int, int, float, float, int]]
) -> Any:
    """What a process kept: communicator, procedure, shift; table, instance, arrival, departure, root."""
    kept = np.zeros(len(tables), ARRIVAL_TABLE)
    for place, (communicator, procedure, shift) in enumerate(tables):
        kept[place] = (communicator, NUMBER[procedure], shift, 0, 0)
    records = np.zeros(len(rows), ARRIVAL)
    for place, (table, instance, arrival, departure, root) in enumerate(rows):
        records["table"][place] = table
        records["instance"][place] = instance
        records["arrived"][place] = round(arrival * SECOND)
        records["left"][place] = round(departure * SECOND)
        records["root"][place] = root
    return SimpleNamespace(arrival_tables=kept, arrivals=records)


class Joined:
    """Communicators 3, of ranks 0 to 2, and 4, of ranks 2 and 1 in this order."""

    rows = (
        SimpleNamespace(id=0, size=0),
        SimpleNamespace(id=WORLD, size=3, topology="cart", dims="[3]"),
        SimpleNamespace(id=SUB, size=2, topology="dist_graph", dims="[]"),
    )
    groups: ClassVar = {WORLD: {0: 0, 1: 1, 2: 2}, SUB: {0: 2, 1: 1}}

    def ids_of(self, _rank: int, indices: Any) -> Any:
        return indices


def joined(
    world: dict[int, Any], groups: Sequence[int] = (0, 0, 0), graphs: Sequence[int] = ()
) -> list[tuple[Any, ...]]:
    clocks = {
        rank: NodeClock(group=groups[rank], ticks=0, seconds=0.0, seconds_per_tick=1 / SECOND)
        for rank in world
    }
    regions = SimpleNamespace(ids={rank: np.array([0]) for rank in world})
    columns = join_arrivals(world, Joined(), regions, clocks, graphs)  # type: ignore[arg-type]
    names = ("communicator", "instance", "rank", "root", "arrival", "departure")
    return list(zip(*(columns[name].tolist() for name in names), strict=True))


def barriers(*instances: int, shift: int = 0) -> Any:
    return process([(WORLD, "MPI_Barrier", shift)], [(0, n, n, n + 0.5, -1) for n in instances])


def test_an_instance_that_a_member_lacks_is_left_out() -> None:
    rows = joined({0: barriers(1, 2), 1: barriers(2, 1), 2: barriers(2, 3)})
    assert rows == [(WORLD, 2, rank, -1, 2.0, 2.5) for rank in range(3)]


def test_the_smallest_sample_counts() -> None:
    numbers = np.arange(1, 65, dtype=np.uint64)
    once = [int(n) for n in numbers[is_kept(numbers, np.full(64, 1))]]
    # What a process was about to throw away may still be there.
    rows = joined(
        {0: barriers(*range(1, 65)), 1: barriers(*range(1, 65), shift=1), 2: barriers(*once, shift=1)}
    )
    assert sorted({instance for _, instance, *_ in rows}) == once


def in_sample(world: dict[int, Any]) -> dict[int, int]:
    clocks = {rank: NodeClock(group=0, ticks=0, seconds=0.0, seconds_per_tick=1 / SECOND) for rank in world}
    regions = SimpleNamespace(ids={rank: np.array([0]) for rank in world})
    columns = join_arrivals(world, Joined(), regions, clocks)  # type: ignore[arg-type]
    return dict(zip(columns["instance"].tolist(), columns["in_sample"].tolist(), strict=True))


@pytest.mark.reported("verdict/coll")
def test_the_longest_are_joined_where_all_members_kept_them() -> None:
    numbers = np.arange(1, 65, dtype=np.uint64)
    once = [int(n) for n in numbers[is_kept(numbers, np.full(64, 1))]]
    first, second, third = [int(n) for n in numbers if int(n) not in once][:3]
    flags = in_sample(
        {
            0: barriers(*once, first, second, shift=1),
            1: barriers(*once, first, third, shift=1),
            2: barriers(*once, first, second, third, shift=1),
        }
    )
    assert flags == {**dict.fromkeys(once, 1), first: 0}


def test_neighbours_have_to_be_known() -> None:
    """Those in a grid are; those in a graph only where processes have noted them."""
    member = process(
        [(WORLD, "MPI_Neighbor_allgather", 0), (SUB, "MPI_Neighbor_allgather", 0), (SUB, "MPI_Barrier", 0)],
        [(0, 1, 1, 2, -1), (1, 1, 3, 4, -1), (2, 1, 5, 6, -1)],
    )
    first = process([(WORLD, "MPI_Neighbor_allgather", 0)], [(0, 1, 1, 2, -1)])
    rows = joined({0: first, 1: member, 2: member})
    assert [(on, rank, arrival) for on, _, rank, _, arrival, _ in rows] == [
        *((WORLD, rank, 1.0) for rank in range(3)),
        *((SUB, rank, 5.0) for rank in (1, 2)),
    ]


def neighbourhood(*noted_ranks: int) -> Any:
    """A process that has noted that it sends to these on the second communicator."""
    rows = np.array([(SUB, place) for place in noted_ranks], NEIGHBOUR)
    return SimpleNamespace(neighbours=rows)


def test_neighbours_in_a_graph_are_those_that_all_members_noted() -> None:
    """Rank 2 sends to rank 1, the second of the communicator, and to itself; rank 1 to nobody."""
    world = {1: neighbourhood(END), 2: neighbourhood(1, 0, 1, END)}
    (entry,) = noted(world, Joined()).items()  # type: ignore[arg-type]
    assert entry[0] == SUB
    assert entry[1].tolist() == [[2, 1]]
    assert sources(np.array([1, 2]), entry[1]).tolist() == [[1, -1], [-1, -1]]
    missing = ({2: world[2]}, {1: neighbourhood(), 2: world[2]}, {1: neighbourhood(0), 2: world[2]})
    assert not any(noted(less, Joined()) for less in missing)  # type: ignore[arg-type]


def test_arrivals_in_a_graph_count_where_its_neighbours_are_known() -> None:
    member = process([(SUB, "MPI_Neighbor_allgather", 0)], [(0, 1, 3, 4, -1)])
    assert joined({1: member, 2: member}) == []
    assert len(joined({1: member, 2: member}, graphs=[SUB])) == 2


def test_starts_of_persistent_collectives() -> None:
    """A process that was killed has not counted the last ones."""
    first, second = (process([(SUB, "MPI_Allreduce_init", 0), (SUB, "MPI_Barrier", 0)], []) for _ in range(2))
    first.arrival_tables["starts"][0], second.arrival_tables["starts"][0] = 40, 41
    counts = list(starts({1: first, 2: second}, Joined()))  # type: ignore[arg-type]
    assert counts == [(SUB, NUMBER["MPI_Allreduce_init"], 41)]


def test_calls_among_neighbours_are_kept_in_pairs() -> None:
    numbers = np.arange(1, 257, dtype=np.uint64)
    procedures = np.full(256, NUMBER["MPI_Neighbor_alltoall"])
    kept = numbers[is_kept(numbers, np.full(256, 2), procedures)]
    assert 0 < len(kept) < 128
    assert (kept[::2] % 2 == 1).all()
    assert (kept[1::2] == kept[::2] + 1).all()


def test_of_too_many_rows_the_longest_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.arange(1, 65, dtype=np.uint64)
    once = [int(n) for n in numbers[is_kept(numbers, np.full(64, 1))]]
    beside = [int(n) for n in numbers if int(n) not in once][:4]
    lengths = dict(zip(beside, (1.0, 5.0, 2.0, 4.0), strict=True))
    member = process(
        [(WORLD, "MPI_Barrier", 1)],
        [(0, n, 10 * n, 10 * n + lengths.get(n, 0.5), -1) for n in sorted([*once, *beside])],
    )
    monkeypatch.setattr(arrivals, "_MOST_ROWS", 3 * len(once))
    flags = in_sample(dict.fromkeys(range(3), member))
    assert [n for n, sampled in flags.items() if not sampled] == [beside[1], beside[3]]
    assert 0 < sum(flags.values()) <= len(once)


def test_roots_are_ranks_of_the_world() -> None:
    member = process([(SUB, "MPI_Bcast", 0)], [(0, 1, 1, 2, 0)])
    assert [(rank, root) for _, _, rank, root, *_ in joined({1: member, 2: member})] == [(1, 2), (2, 2)]


def test_clocks_that_cannot_be_compared() -> None:
    member = process(
        [(WORLD, "MPI_Barrier", 0), (SUB, "MPI_Barrier", 0)], [(0, 1, 1, 2, -1), (1, 1, 1, 2, -1)]
    )
    alone = process([(WORLD, "MPI_Barrier", 0)], [(0, 1, 1, 2, -1)])
    # Ranks 1 and 2 are on one node, and 0 on another one.
    rows = joined({0: alone, 1: member, 2: member}, groups=(0, 7, 7))
    assert [(communicator, rank) for communicator, _, rank, *_ in rows] == [(SUB, 1), (SUB, 2)]


@pytest.mark.parametrize(
    ("column", "value"),
    [("table", 9), ("instance", 0), ("left", 1), ("instance", 2**63)],
    ids=["no-such-table", "not-in-use", "left-before-it-came", "too-large"],
)
def test_damaged_rows_are_passed_over(column: str, value: int) -> None:
    damaged = barriers(1, 2)
    damaged.arrivals[column][0] = value
    assert {instance for _, instance, *_ in joined({0: barriers(1, 2), 1: damaged, 2: barriers(1, 2)})} == {2}


def test_many_rows_are_thinned_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "_MOST_ROWS", 120)
    both = process(
        [(WORLD, "MPI_Barrier", 0), (WORLD, "MPI_Bcast", 0)],
        [(0, n, n, n + 0.5, -1) for n in range(1, 129)] + [(1, n, n, n + 0.5, 0) for n in range(1, 4)],
    )
    rows = joined(dict.fromkeys(range(3), both))
    assert len(rows) <= 120
    # The small sample stays whole, and of each instance there are all members.
    assert len([row for row in rows if row[3] == 0]) == 3 * 3
    assert len(rows) % 3 == 0
