"""The rule on load imbalance: what is lost to it, where, and what late-ranks counts of it already."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest
from made_profile import RUN_S, Made
from test_late_groups import of, steps
from the_finding import the_finding

from golden import Golden
from rankwise.analysis.timing.load import balance, roles, shared
from rankwise.findings.finding import HIGH, LOW, Finding, NoAnswer
from rankwise.findings.rules.late_ranks import RULE as LATE
from rankwise.findings.rules.load_imbalance import RULE


def computing(made: Made, useful: Sequence[float], procedure: str = "MPI_Win_fence") -> Made:
    """Ranks that compute for so long, and spend the rest of the run in calls of which nothing is known."""
    for rank, seconds in enumerate(useful):
        made.call(rank, procedure, RUN_S - seconds)
    return made


found_in = partial(the_finding, RULE)


def inputs(finding: Finding) -> list[object]:
    """What is lost; and what late-ranks counts of it."""
    return [fact.value for fact in finding.inputs]


def evidence(finding: Finding) -> list[object]:
    """Load balance; within nodes and between them; between roles and within each."""
    return [fact.value for fact in finding.evidence]


def test_it_is_exact_where_nothing_is_known_of_waiting(golden: Golden) -> None:
    """8 : 1 : 1 : 1."""
    made = computing(Made(), (8.0, 1.0, 1.0, 1.0))
    finding = found_in(made)
    assert isinstance(LATE.find(made.seen), NoAnswer)
    assert finding.saved_seconds == pytest.approx(4 * (8 - 2.75))
    assert evidence(finding) == pytest.approx([2.75 / 8])
    golden.says(finding.title, "0.34 .. rank 0 .. 8.00 s")
    assert finding.confidence == HIGH
    assert finding.upper_bound


def test_half_of_the_ranks_have_nothing_to_do(golden: Golden) -> None:
    finding = found_in(computing(Made(), (9.0, 9.0, 0.1, 0.1)))
    golden.says(finding.title, "0.51 .. ranks 0-1 .. 9.00 s")
    assert finding.saved_seconds == pytest.approx(17.8)


@pytest.mark.parametrize(
    "useful", [(5.0, 5.0, 5.0, 5.0), (5.0, 4.9, 4.8, 4.7), (0.4, 0.1, 0.1, 0.1), (0.0,) * 4]
)
def test_work_that_is_shared_out_evenly_or_is_little(useful: Sequence[float]) -> None:
    assert RULE.find(computing(Made(), useful).seen) == []


def test_nothing_ran() -> None:
    assert isinstance(RULE.find(Made(runs=[0.0] * 4).seen), NoAnswer)


def test_within_nodes_and_between_them() -> None:
    """Within the first node 6 : 2, between the nodes 4 : 2."""
    finding = found_in(computing(Made(4, ["n1", "n1", "n2", "n2"]), (6.0, 2.0, 2.0, 2.0)))
    assert evidence(finding) == pytest.approx([3 / 6, 4 / 6, 3 / 4])


def test_parts_multiply_to_the_whole() -> None:
    useful = {0: 6.0, 1: 2.0, 2: 3.0, 3: 1.5, 4: 0.5}
    parts = shared(useful, [[0, 1], [2, 3, 4]])
    assert parts.within * parts.between == pytest.approx(balance(useful.values()))


def split(made: Made) -> Made:
    made.communicator(4, "W_s1.0", type="communicator", family="W_s1", size=3, members="0-2")
    made.communicator(5, "W_s1.3", type="communicator", family="W_s1", size=1, members="3")
    return made


def test_roles(golden: Golden) -> None:
    """Three ranks of one kind, and one of another that does less."""
    made = computing(split(Made()), (6.0, 5.0, 4.0, 1.0))
    made.call(3, "MPI_Alltoall", 0.0)
    assert [(role.name, role.ranks) for role in roles(made.seen.connection, 4)] == [
        ("W_s1.0", (0, 1, 2)),
        ("W_s1.3", (3,)),
    ]
    finding = found_in(made)
    assert evidence(finding) == pytest.approx([4 / 6, 4 / 5, 5 / 6, 1.0])
    golden.says("\n".join(fact.what for fact in finding.evidence))


def test_the_rows_of_a_grid_are_no_roles() -> None:
    made = computing(split(Made()), (6.0, 5.0, 4.0, 1.0))
    assert roles(made.seen.connection, 4) == []


def test_what_late_ranks_counts_is_not_counted_twice(golden: Golden) -> None:
    made = steps(Made(8), of([6, 7], 0.6))
    [late] = LATE.find(made.seen)  # type: ignore[misc]
    finding = found_in(made)
    lost = 8 * (6.0 - 2.25)
    assert inputs(finding) == pytest.approx([lost, late.saved_seconds])
    assert finding.saved_seconds + late.saved_seconds == pytest.approx(lost)
    golden.says(finding.title)


def test_late_ranks_that_do_not_compute_longer_count_nothing_of_it() -> None:
    """Rank 7 is late to the collectives, and rank 0 has most of the work, before them."""
    made = steps(Made(8, runs=[30.0, *[22.0] * 7]), of([7], 0.6))
    for rank in range(8):
        made.call(rank, "MPI_Win_fence", 0.0 if rank == 0 else 15.0)
    finding = found_in(made)
    assert inputs(finding) == pytest.approx([finding.saved_seconds])


def counters(made: Made, clocks: Sequence[float]) -> Made:
    for rank, seconds in enumerate(clocks):
        made.connection.execute('UPDATE ranks SET "user" = ? WHERE rank = ?', (seconds, rank))
    return made


def test_ranks_without_a_processor_compute_no_longer_than_they_had_one(golden: Golden) -> None:
    """Four ranks take turns on two processors: who waits longer for one has not more to do."""
    made = counters(computing(Made(cpus="0-1"), (9.0, 6.0, 6.0, 6.0)), (5.0, 5.0, 5.0, 5.0))
    answer = RULE.find(made.seen)
    assert isinstance(answer, NoAnswer)
    golden.says(answer.why, "0.75 .. 1.00")
    made = counters(computing(Made(cpus="0-1"), (9.0, 9.0, 2.0, 2.0)), (8.0, 8.0, 4.0, 4.0))
    finding = found_in(made)
    assert finding.saved_seconds == pytest.approx(4 * 8.0 - 20.0)
    assert finding.confidence == LOW
    golden.says(finding.why_confidence)


def test_who_sleeps_needs_no_processor(golden: Golden) -> None:
    """Rank 0 sleeps where the others poll: by processor time alone these would have the work."""
    made = counters(computing(Made(cpus="0-1"), (9.0, 2.0, 2.0, 2.0)), (0.1, 6.0, 6.0, 6.0))
    finding = found_in(made)
    golden.says(finding.title, "0.42 .. rank 0 .. 9.00 s")
    assert finding.confidence == LOW


@pytest.mark.parametrize(("lacked", "uneven"), [((2.9, 4.9, 4.9, 4.9), True), ((8.0, 3.0, 3.0, 3.0), False)])
def test_who_lacked_a_processor_is_known_where_the_kernel_tells(
    lacked: Sequence[float], uneven: bool
) -> None:
    """Rank 0 sleeps while the others poll, or was ready and had no processor: processor time is the same."""
    made = counters(computing(Made(cpus="0-1"), (9.0, 2.0, 2.0, 2.0)), (1.5, 2.0, 2.0, 2.0))
    for rank, seconds in enumerate(lacked):
        made.insert("places", rank=rank, omp_proc_bind="", omp_places="", run_queue_wait=seconds)
    assert isinstance(RULE.find(made.seen), list) is uneven


@pytest.mark.parametrize(
    ("lacked", "uneven"), [((4, 0, 0, 0), False), ((0, 0, 0, 0), True), ((4, 4, 4, 4), True)]
)
def test_time_without_a_processor_is_no_work(lacked: Sequence[float], uneven: bool) -> None:
    """A processor for each rank; other processes have taken that of rank 0 for 40 % of the run, or not."""
    made = computing(Made(cpus="0-3"), (8.0, 5.0, 5.0, 5.0))
    for rank, seconds in enumerate(lacked):
        made.insert("places", rank=rank, omp_proc_bind="", omp_places="", run_queue_wait=seconds)
    assert isinstance(RULE.find(made.seen), list) is uneven
