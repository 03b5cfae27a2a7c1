"""Groups of ranks that others wait for, in profiles whose answer is known by construction."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from made_profile import Made
from the_finding import the_finding

from rankwise.analysis.summary import summary
from rankwise.analysis.waiting.groups import NODE, POSITION, ROLE
from rankwise.analysis.waiting.late import LateGroup
from rankwise.findings.rules.late_ranks import RULE
from rankwise.text.late import late_ranks, most_waiting
from rankwise.views.by.waiting import waiting_title

STEP = 1.0
CALLS = 10


def steps(
    made: Made, work: Callable[[int, int], float], calls: int = CALLS, procedure: str = "MPI_Allreduce"
) -> Made:
    """Steps that all ranks begin together and end with a collective: `work` of a rank and a number."""
    waited = [0.0] * made.ranks
    for number in range(calls):
        begin = STEP * number
        took = [work(rank, number) for rank in range(made.ranks)]
        last = begin + max(took)
        made.instance(procedure, number + 1, [begin + own for own in took], last, since=took)
        waited = [seconds + last - begin - own for seconds, own in zip(waited, took, strict=True)]
    for rank, seconds in enumerate(waited):
        made.call(rank, procedure, seconds, calls=calls)
    return made


def late_in(made: Made) -> LateGroup:
    late = made.seen.late
    assert late is not None
    return late


found_in = partial(the_finding, RULE)


def of(ranks: Sequence[int], seconds: float, others: float = 0.1) -> Callable[[int, int], float]:
    return lambda rank, _: seconds if rank in ranks else others


def test_one_rank() -> None:
    late = late_in(steps(Made(8), of([5], 0.6)))
    assert late.ranks == (5,)
    assert late.saved_seconds == pytest.approx(CALLS * 7 * 0.5)


@pytest.mark.reported("verdict/two_late")
def test_two_equally_late_ranks() -> None:
    """The last one alone would save 0.02 s a step for seven ranks."""
    made = steps(Made(8), lambda rank, _: {7: 0.62, 6: 0.6}.get(rank, 0.1))
    late = late_in(made)
    assert late.ranks == (6, 7)
    assert late.saved_seconds == pytest.approx(CALLS * (6 * 0.52 + 0.02))
    finding = found_in(made)
    assert finding.title.startswith("Ranks 6-7 arrive late")
    assert finding.saved_seconds == pytest.approx(late.saved_seconds)


def test_two_late_ranks_whose_order_changes() -> None:
    late = late_in(
        steps(Made(8), lambda rank, number: 0.6 + 0.02 * (rank == 2 + number % 2) if rank in (2, 3) else 0.1)
    )
    assert late.ranks == (2, 3)


def test_a_few_that_are_late_by_different_times() -> None:
    """The smallest group that saves nearly all: without 5 half of the waiting would remain."""
    late = late_in(steps(Made(16), lambda rank, _: {5: 0.5, 9: 0.9}.get(rank, 0.1)))
    assert late.ranks == (5, 9)


def test_a_rank_that_is_much_later_than_another_late_one() -> None:
    late = late_in(steps(Made(16), lambda rank, _: {5: 0.15, 9: 0.9}.get(rank, 0.1)))
    assert late.ranks == (9,)


def test_a_slow_node_of_many() -> None:
    """4,096 ranks on 64 nodes: 64 ranks are late, each by a little more than the one before."""
    ranks, on_node = 4096, 64
    made = Made(ranks, [f"n{rank // on_node:02}" for rank in range(ranks)])
    made.connection.execute("UPDATE ranks SET clock_error = 0")
    late = late_in(steps(made, lambda rank, _: 0.6 + 1e-5 * (rank % 64) if rank // 64 == 21 else 0.1, 3))
    assert (late.group.kind, late.node) == (NODE, "n21")
    assert late.ranks == tuple(range(1344, 1408))
    assert late.saved_share > 0.99
    assert late_ranks(late) == "the ranks of n21 (1344-1407)"


def grid(made: Made, dims: str) -> Made:
    made.communicator(4, "W_a1", type="communicator", topology="cart", dims=dims)
    return made


@pytest.mark.parametrize(
    ("dims", "late", "name"),
    [
        ("[4, 4]", [4, 5, 6, 7], "row 1 of the 4 x 4 grid W_a1"),
        ("[4, 4]", [2, 6, 10, 14], "column 2 of the 4 x 4 grid W_a1"),
        ("[4, 2, 2]", [12, 13, 14, 15], "slab 3 across dimension 0 of the 4 x 2 x 2 grid W_a1"),
    ],
)
def test_a_position_in_a_grid(dims: str, late: list[int], name: str) -> None:
    result = late_in(steps(grid(Made(16), dims), lambda rank, _: 0.6 + 0.001 * rank if rank in late else 0.1))
    assert (result.group.kind, result.group.name) == (POSITION, name)
    assert list(result.ranks) == late


def test_ranks_of_a_smaller_communicator() -> None:
    made = Made(12)
    made.communicator(4, "W_s1.0", type="communicator", family="W_s1", size=9, members="0-8")
    made.communicator(5, "W_s1.9", type="communicator", family="W_s1", size=3, members="9-11")
    late = late_in(steps(made, of([9, 10, 11], 0.6)))
    assert (late.group.kind, late.group.name) == (ROLE, "of W_s1.9")
    assert late_ranks(late) == "ranks 9-11 (of W_s1.9)"


def test_ranks_in_no_communicator_that_others_are_in() -> None:
    made = Made(12)
    made.communicator(4, "W_s1.0", type="communicator", family="W_s1", size=9, members="0-8")
    late = late_in(steps(made, of([9, 10, 11], 0.6)))
    assert (late.group.name, late.ranks) == ("in no W_s1", (9, 10, 11))


@pytest.mark.parametrize("ranks", [4, 8, 32])
def test_with_even_blame_nobody_stands_out(ranks: int) -> None:
    chance = random.Random(ranks)
    made = steps(Made(ranks), lambda *_: chance.uniform(0.1, 0.6), 64)
    assert made.seen.late is None
    assert RULE.find(made.seen) == []
    assert most_waiting(made.seen.late) == ""
    assert "caused" not in waiting_title(made.seen)
    totals = summary(made.connection, made.seen).waiting
    assert totals is not None
    assert totals.late is None


def test_all_screens_name_the_same() -> None:
    made = steps(Made(8), of([6, 7], 0.6))
    assert "ranks 6-7 on node caused" in waiting_title(made.seen)
    totals = summary(made.connection, made.seen).waiting
    assert totals is not None
    assert totals.late == late_in(made)
    assert totals.percent_for_late == pytest.approx(100)


def rooted(made: Made, computes: Sequence[float]) -> Made:
    """A reduction to rank 0, whose root nobody waits for there, and a barrier, in which all do."""
    for number in range(CALLS):
        begin = STEP * number
        for rank, seconds in enumerate(computes):
            came = begin + seconds
            made.arrival("MPI_Reduce", number + 1, rank, came, came, seconds, root=0)
            made.arrival("MPI_Barrier", number + 1, rank, came, begin + max(computes), 0.0)
    for rank, seconds in enumerate(computes):
        made.call(rank, "MPI_Reduce", 1e-6, calls=CALLS)
        made.call(rank, "MPI_Barrier", CALLS * (max(computes) - seconds), calls=CALLS)
    return made


def test_a_late_root_of_a_reduction() -> None:
    """It leaves the reduction late, because it came late to it; and that because it computed."""
    made = rooted(Made(), (0.6, 0.1, 0.1, 0.1))
    waiting = made.seen.waiting
    assert waiting is not None
    root = waiting.ranks[0]
    assert root.rank == 0
    assert root.computing_seconds == pytest.approx(CALLS * 3 * 0.5)
    assert root.late_start_seconds == pytest.approx(0)
    finding = found_in(made)
    assert finding.title.startswith("Rank 0 arrives late")
    assert finding.saved_seconds == pytest.approx(CALLS * 3 * 0.5)


def test_a_late_root_whose_reductions_are_not_right_before_the_barriers_in_the_sample() -> None:
    """Of each collective every 16th call is kept, and there is one more barrier at the begin."""
    made, step, kept = Made(), 0.1, 16
    for number in range(1, 5):
        for procedure, begin in (("MPI_Reduce", 0.0), ("MPI_Barrier", step)):
            for rank in range(4):
                came = number * kept * step + begin + (0.06 if rank == 0 else 0.01)
                root = 0 if procedure == "MPI_Reduce" else None
                barrier = procedure == "MPI_Barrier"
                left = number * kept * step + begin + 0.06 if barrier else came
                since = 0.0 if barrier else 0.06 if rank == 0 else 0.01
                made.arrival(procedure, number * kept, rank, came, left, since, root=root)
    for rank in range(4):
        made.call(rank, "MPI_Reduce", 1e-6, calls=70)
        made.call(rank, "MPI_Barrier", 70 * 0.05 * (rank > 0), calls=71)
    assert found_in(made).title.startswith("Rank 0 arrives late")


def test_who_leaves_a_reduction_late_for_what_it_does_there_is_not_late() -> None:
    """The root comes with the others, and takes its time in the reduction itself."""
    made = Made()
    for number in range(CALLS):
        for rank in range(4):
            begin = STEP * number + 0.1
            left = begin + 0.5 * (rank == 0)
            made.arrival("MPI_Reduce", number + 1, rank, begin, left, 0.1, root=0)
            made.arrival("MPI_Barrier", number + 1, rank, left, begin + 0.5, 0.0)
    for rank in range(4):
        made.call(rank, "MPI_Reduce", CALLS * 0.5 * (rank == 0) + 1e-6, calls=CALLS)
        made.call(rank, "MPI_Barrier", CALLS * 0.5 * (rank > 0), calls=CALLS)
    assert RULE.find(made.seen) == []


def test_the_late_rank_that_a_root_waits_for() -> None:
    """Rank 2 is late to the reduction, its root waits there, and the others for the root in the barrier."""
    made = Made()
    for number in range(CALLS):
        begin = STEP * number
        for rank in range(4):
            came = begin + (0.6 if rank == 2 else 0.1)
            left = begin + 0.6 if rank == 0 else came
            made.arrival("MPI_Reduce", number + 1, rank, came, left, came - begin, root=0)
            made.arrival("MPI_Barrier", number + 1, rank, left, begin + 0.6, 0.0)
    for rank in range(4):
        made.call(rank, "MPI_Reduce", CALLS * 0.5 * (rank == 0) + 1e-6, calls=CALLS)
        made.call(rank, "MPI_Barrier", CALLS * 0.5 * (rank in (1, 3)), calls=CALLS)
    assert found_in(made).title.startswith("Rank 2 arrives late")


def test_who_is_held_up_in_the_tree_of_a_reduction_is_not_late() -> None:
    """Rank 1 is between rank 3, which is late, and the root: it leaves with the root, and is nearly last."""
    made = Made()
    for number in range(CALLS):
        begin = STEP * number
        for rank in range(4):
            came = begin + (0.6 if rank == 3 else 0.1)
            left = {0: begin + 0.62, 1: begin + 0.61}.get(rank, came)
            made.arrival("MPI_Reduce", number + 1, rank, came, left, came - begin, root=0)
            made.arrival("MPI_Barrier", number + 1, rank, left, begin + 0.62, 0.0)
    for rank, seconds in enumerate((0.52, 0.51, 0.0, 0.0)):
        made.call(rank, "MPI_Reduce", CALLS * seconds + 1e-6, calls=CALLS)
        made.call(rank, "MPI_Barrier", CALLS * (0.0, 0.01, 0.52, 0.02)[rank], calls=CALLS)
    assert found_in(made).title.startswith("Rank 3 arrives late")
    assert late_in(made).saved_seconds == pytest.approx(CALLS * (0.5 + 0.52), rel=0.1)
