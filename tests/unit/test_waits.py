"""Who waited for whom, in instances of collectives whose times are given, and why."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.analysis.waiting.chains import Chains
from rankwise.analysis.waiting.instances import ALL, NOBODY, Instances, consistent, waited_until, waits
from rankwise.analysis.waiting.procedures import FOR_NEIGHBOURS
from rankwise.analysis.waiting.propagation import Late, pass_on
from rankwise.profile.join.neighbours import neighbours

NAN = float("nan")


def instances(
    procedure: str,
    arrival: list[list[float]],
    departure: list[list[float]],
    *,
    root: int = NOBODY,
    size: int = 8,
    ranks: list[int] | None = None,
    since: list[list[float]] | None = None,
    since_in_mpi: list[list[float]] | None = None,
    nodes: list[int] | None = None,
    error: float = 0.0,
    communicator: int = 3,
    in_sample: list[bool] | None = None,
    entered: list[list[float]] | None = None,
    asking: list[list[float]] | None = None,
) -> Instances:
    count, members = len(arrival), len(arrival[0])
    unknown = [[NAN] * members] * count
    return Instances(
        communicator=communicator,
        procedure=procedure,
        numbers=np.arange(1, count + 1),
        ranks=np.array(ranks or range(members)),
        places=np.arange(members),
        neighbours=neighbours([members], [0]) if procedure in FOR_NEIGHBOURS else ALL,
        roots=np.full(count, root),
        bytes=np.full((count, members), size),
        arrival=np.array(arrival, float),
        departure=np.array(departure, float),
        entered=np.array(entered or arrival, float),
        asking=np.array(asking or np.ones((count, members)), float),
        since=np.array(since or unknown, float),
        since_in_mpi=np.array(since_in_mpi or unknown, float),
        in_sample=np.array(in_sample or [True] * count),
        selected=np.ones((count, members), bool),
        nodes=np.array(nodes or [0] * members),
        errors=np.where(np.array(nodes or [0] * members) == 0, 0.0, error),
    )


def test_everybody_waits_for_the_last() -> None:
    waited = waits(instances("MPI_Allreduce", [[0, 3, 10]], [[11, 11, 12]]))
    assert waited.seconds.tolist() == [[10, 7, 0]]
    assert waited.whose.tolist() == [[2, 2, NOBODY]]
    # With the second last they would have gone on at 3.
    assert waited.saved.tolist() == [[7, 7, 0]]


def test_who_has_posted_waits_in_the_call_that_completes_it() -> None:
    """Rank 2 posts at 10. Rank 0 has begun to wait for that at 4, rank 1 not before 11."""
    posted = instances("MPI_Iallreduce", [[0, 3, 10]], [[11, 12, 13]], entered=[[4, 11, 12]])
    assert consistent(posted).tolist() == [True]
    waited = waits(posted)
    assert waited.seconds.tolist() == [[6, 0, 0]]
    assert waited.whose.tolist() == [[2, NOBODY, NOBODY]]
    assert waited.saved.tolist() == [[6, 0, 0]]  # rank 1 had come before rank 0 began to wait
    root = waits(instances("MPI_Ibcast", [[0, 3, 10]], [[11, 12, 13]], entered=[[4, 11, 12]], root=2))
    assert root.seconds.tolist() == [[6, 0, 0]]


def test_who_asks_waits_in_the_calls_that_ask() -> None:
    """Rank 0 asks from 2 to 12, for half of that time; rank 1 waits for two collectives in one call."""
    asked = instances(
        "MPI_Iallreduce", [[0, 0, 10]], [[12, 12, 13]], entered=[[2, 4, 12]], asking=[[0.5, 0.5, 1]]
    )
    waited = waits(asked)
    assert asked.length.tolist() == [[5, 4, 1]]
    assert waited.seconds.tolist() == [[4, 3, 0]]
    assert waited.saved.tolist() == [[4, 3, 0]]
    assert waited_until(asked, waited).tolist() == [[10, 10, 12]]


def test_who_leaves_before_the_last_has_come_did_not_wait_for_it() -> None:
    waited = waits(instances("MPI_Alltoallv", [[0, 3, 10]], [[4, 11, 12]]))
    assert waited.seconds.tolist() == [[3, 7, 0]]
    assert waited.whose.tolist() == [[1, 2, NOBODY]]


@pytest.mark.parametrize(
    ("procedure", "seconds", "whose"),
    [
        ("MPI_Bcast", [5, 0, 1], [1, NOBODY, 1]),
        ("MPI_Scatterv", [5, 0, 1], [1, NOBODY, 1]),
        ("MPI_Reduce", [0, 0, 0], [NOBODY, NOBODY, NOBODY]),  # the root comes last itself
        ("MPI_Scan", [0, 0, 1], [NOBODY, NOBODY, 1]),
        ("MPI_Exscan", [0, 0, 1], [NOBODY, NOBODY, 1]),
    ],
)
def test_rooted_and_ordered_collectives(procedure: str, seconds: list[int], whose: list[int]) -> None:
    waited = waits(instances(procedure, [[0, 5, 4]], [[6, 6, 7]], root=1))
    assert waited.seconds.tolist() == [seconds]
    assert waited.whose.tolist() == [whose]


def test_the_root_waits_for_the_others() -> None:
    waited = waits(instances("MPI_Gather", [[0, 1, 4]], [[0.5, 6, 7]], root=1))
    assert waited.seconds.tolist() == [[0, 3, 0]]
    assert waited.whose.tolist() == [[NOBODY, 2, NOBODY]]
    assert waited.saved.tolist() == [[0, 3, 0]]


def test_nobody_waits_longer_than_the_call_takes() -> None:
    # A root may send before it has come, as the clocks of nodes tell it.
    waited = waits(instances("MPI_Bcast", [[0, 5]], [[2, 6]], root=1))
    assert waited.seconds.tolist() == [[2, 0]]


@pytest.mark.parametrize(
    ("procedure", "size", "error", "possible"),
    [
        ("MPI_Barrier", 0, 0.0, False),
        ("MPI_Barrier", 0, 1.5, True),  # so much may the clocks be off
        ("MPI_Allreduce", 8, 0.0, False),
        ("MPI_Allreduce", 0, 0.0, True),  # there is nothing to wait for
        ("MPI_Alltoallv", 8, 0.0, True),  # nor may there be here
    ],
)
def test_times_that_cannot_be(procedure: str, size: int, error: float, *, possible: bool) -> None:
    calls = instances(procedure, [[0, 5], [0, 5]], [[4, 6], [6, 6]], size=size, nodes=[0, 1], error=error)
    assert consistent(calls).tolist() == [possible, True]


def test_why_somebody_was_late() -> None:
    # Rank 1 computed for 10 s before the first call; before the second it was in MPI for 6 of 8 s.
    calls = instances(
        "MPI_Barrier",
        [[2, 10], [22, 28]],
        [[10, 10], [28, 28]],
        since=[[2, 10], [2, 8]],
        since_in_mpi=[[0, 0], [0, 6]],
    )
    passed = pass_on([Late(calls, waits(calls), np.ones((2, 2)), len(calls.numbers))], Chains([]))
    assert passed.caused[1].computing == pytest.approx(8)
    assert passed.caused[1].in_mpi == pytest.approx(6)
    assert passed.caused[1].passed_to is None
    assert passed.root_cause_seconds == {1: pytest.approx(14)}
    assert passed.steps == 0


def test_blame_goes_to_whom_the_late_one_waited_for() -> None:
    """Rank 0 computes 10 s; 1 waits for it on one communicator, and comes late to 2 on another one."""
    first = instances(
        "MPI_Allreduce",
        [[10, 0]],
        [[10, 10]],
        ranks=[0, 1],
        since=[[10, 0]],
        since_in_mpi=[[0, 0]],
        communicator=4,
    )
    second = instances(
        "MPI_Allreduce",
        [[10, 1]],
        [[10, 10]],
        ranks=[1, 2],
        since=[[10, 1]],
        since_in_mpi=[[10, 0]],
        communicator=5,
    )
    passed = pass_on([Late(calls, waits(calls), np.ones((1, 2)), 1) for calls in (first, second)], Chains([]))
    assert passed.caused[1].in_mpi == pytest.approx(9)
    assert passed.caused[1].passed_on == pytest.approx(9)
    assert passed.caused[1].passed_to == 0
    assert passed.root_cause_seconds == {0: pytest.approx(19), 1: pytest.approx(0)}
    assert passed.steps == 1


def reductions(*departures: list[float]) -> Instances:
    """Reductions to rank 0, which comes at 10, the others at 0, 1 and 2."""
    return instances("MPI_Reduce", [[10, 0, 1, 2]] * len(departures), list(departures), root=0)


def test_who_is_held_up_in_a_reduction_until_all_have_come_waits_for_a_late_root() -> None:
    """Not so where it was seen only twice, or somebody leaves when all below it in a tree have come."""
    held = [11.0, 11.0, 11.0, 11.0]
    calls = reductions(held, held, held).seen_as_synchronised()
    waited = waits(calls)
    assert waited.seconds.tolist() == [[0, 10, 9, 8]] * 3
    assert waited.whose.tolist() == [[NOBODY, 0, 0, 0]] * 3
    assert calls.of(np.array([True, False, False])).is_synchronised
    for others in (reductions(held, held), reductions(*[[11.0, 11.0, 11.0, 3.0]] * 3)):
        assert not waits(others.seen_as_synchronised()).seconds.any()


def test_a_root_that_is_late_to_itself_alone_proves_nothing() -> None:
    """Who posts early and completes it when the root has posted, too, has not been held up."""
    late = [[10.0, 0.0, 1.0, 2.0]] * 4
    after = [[12.0, 11.0, 11.0, 11.0]] * 4
    calls = instances("MPI_Ireduce", late, [[13.0] * 4] * 4, root=0, entered=after)
    assert not calls.seen_as_synchronised().is_synchronised


def test_each_waits_for_its_neighbours() -> None:
    """In a line of four the last comes at 10: only rank 2 waits for it."""
    calls = instances("MPI_Neighbor_alltoall", [[0, 3, 1, 10]], [[4, 4, 11, 11]])
    assert consistent(calls).tolist() == [True]
    waited = waits(calls)
    assert waited.seconds.tolist() == [[3, 0, 9, 0]]
    assert waited.whose.tolist() == [[1, NOBODY, 3, NOBODY]]
    assert waited.saved.tolist() == [[3, 0, 7, 0]]  # rank 2 would still have waited for rank 1
    early = instances("MPI_Neighbor_allgather", [[0, 3, 1, 10]], [[4, 4, 9, 11]])
    assert consistent(early).tolist() == [False]
    without_data = waits(instances("MPI_Neighbor_alltoallv", [[0, 3, 1, 10]], [[4, 4, 9, 11]]))
    assert without_data.whose.tolist() == [[1, NOBODY, 1, NOBODY]]


@pytest.mark.reported("verdict/pop")
def test_among_neighbours_lateness_goes_on_by_one_rank_a_call() -> None:
    """Rank 3 of a line computes 5 s a step, the others 1 s: after some steps each waits 4 s a step."""
    steps, came, left, since = 12, [], [], []
    ready = [0.0] * 4
    for _ in range(steps):
        arrival = [at + (5 if rank == 3 else 1) for rank, at in enumerate(ready)]
        since.append([a - b for a, b in zip(arrival, ready, strict=True)] if came else [NAN] * 4)
        ready = [max(arrival[max(rank - 1, 0) : rank + 2]) for rank in range(4)]
        came.append(arrival)
        left.append(ready)
    nothing = np.zeros((steps, 4)).tolist()
    calls = instances("MPI_Neighbor_allgather", came, left, since=since, since_in_mpi=nothing)
    known = waits(calls)
    passed = pass_on([Late(calls, known, np.ones((steps, 4)), steps)], Chains([]))
    assert passed.root_cause_seconds[3] == pytest.approx(known.seconds.sum(), rel=0.02)
    assert passed.caused[3].computing == pytest.approx(
        4 * (steps - 1)
    )  # (Of the first step nothing is known.)
    assert passed.caused[2].late_start < 0.1 * (passed.caused[2].in_mpi + passed.caused[2].computing)
    assert passed.caused[1].passed_to == 2


@pytest.mark.parametrize(
    ("dims", "periods", "of_place", "expected"),
    [
        ([4], [0], 0, {1}),
        ([4], [1], 0, {1, 3}),
        ([2], [1], 0, {1}),  # on both sides
        ([1, 3], [1, 0], 1, {0, 2}),  # not its own one
        ([2, 3, 2], [0, 1, 0], 0, {1, 2, 4, 6}),
    ],
)
def test_neighbours_in_a_grid(dims: list[int], periods: list[int], of_place: int, expected: set[int]) -> None:
    own = neighbours(dims, periods)[of_place].tolist()
    assert sorted(neighbour for neighbour in own if neighbour != NOBODY) == sorted(expected)
