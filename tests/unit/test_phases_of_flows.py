"""Flows by phases: everything adds up to what was counted, and is where the profile says that it was."""

from __future__ import annotations

import numpy as np
import pytest
from made_profile import Made
from phased_run import Run

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.network.job.flows import flows
from rankwise.network.job.phase_grid import PhaseGrid
from rankwise.network.job.phases import (
    COUNTED_BYTES,
    COUNTED_MESSAGES,
    LEAST_MESSAGES,
    NOT_KNOWN,
    SAMPLED_CALLS,
    SAMPLED_MESSAGES,
    FlowsByPhase,
    flows_by_phase,
)

RANKS = 4


def sizes(by_phase: FlowsByPhase, source: int, destination: int) -> list[int]:
    """Bytes of the only flow from one rank to another, in each phase and in none."""
    [place] = np.flatnonzero((by_phase.flows.source == source) & (by_phase.flows.destination == destination))
    return list(by_phase.bytes[:, place].tolist())


def test_collectives_are_where_their_sample_is() -> None:
    run = Run()
    run.all_intervals()
    for number in range(1, 5):
        at = 0.5 if number == 1 else 3.0
        run.instance("MPI_Alltoall", number, [at] * RANKS, at + 0.01, size=1000)
    for rank in range(RANKS):
        run.call(rank, "MPI_Alltoall", 0.1, calls=400, size_bin=10, sent=400 * 4000)
        for other in range(RANKS):
            run.sent(rank, other, 400_001, 401, "MPI_Alltoall", "in-collective")
    by_phase = run.by_phase()
    assert by_phase.bytes_by_basis() == {SAMPLED_CALLS: 12 * 400_001}
    for source in range(RANKS):
        for destination in set(range(RANKS)) - {source}:
            first, second, none = sizes(by_phase, source, destination)
            assert (first, second, none) == (100_000, 300_001, 0)


def test_each_size_is_where_its_calls_are() -> None:
    """A large call in the second phase among many small ones in the first: bytes and messages part."""
    run = Run()
    run.all_intervals()
    for number in range(1, 10):
        run.instance("MPI_Allreduce", number, [0.5] * RANKS, 0.6, size=8)
    run.instance("MPI_Allreduce", 10, [3.0] * RANKS, 3.1, size=1 << 20)
    for rank in range(RANKS):
        run.call(rank, "MPI_Allreduce", 0.1, calls=900, size_bin=4, sent=900 * 8)
        run.call(rank, "MPI_Allreduce", 0.1, calls=100, size_bin=21, sent=100 << 20)
    run.sent(0, 1, 10**9, 1000, "MPI_Allreduce", "in-collective")
    by_phase = run.by_phase()
    small = 900 * 8 / (900 * 8 + (100 << 20))
    assert sizes(by_phase, 0, 1) == [
        pytest.approx(10**9 * small, abs=1),
        pytest.approx(10**9 * (1 - small), abs=1),
        0,
    ]
    assert by_phase.messages[:, 0].tolist() == [900, 100, 0]


def test_calls_of_a_size_that_the_sample_has_not_are_where_bytes_were_sent() -> None:
    run = Run()
    run.all_intervals(sent=(0, 20_000))
    run.instance("MPI_Allreduce", 1, [0.5] * RANKS, 0.6, size=8)
    for rank in range(RANKS):
        run.call(rank, "MPI_Allreduce", 0.1, calls=1, size_bin=4, sent=100)
        run.call(rank, "MPI_Allreduce", 0.1, calls=1, size_bin=21, sent=300)
    run.sent(0, 1, 1000, 10, "MPI_Allreduce", "in-collective")
    assert sizes(run.by_phase(), 0, 1) == [250, 750, 0]


def test_a_call_that_goes_on_over_the_border_is_in_both() -> None:
    run = Run()
    run.all_intervals()
    run.instance("MPI_Allreduce", 1, [0.1, 0.2, 0.3, 1.5], 3.5)  # from when the last one came
    run.call(0, "MPI_Allreduce", 0.1, calls=1, size_bin=4, sent=8)
    run.sent(0, 1, 1000, 10, "MPI_Allreduce", "in-collective")
    assert sizes(run.by_phase(), 0, 1) == [250, 750, 0]


def test_messages_are_where_their_sample_was_posted() -> None:
    run = Run()
    run.all_intervals(messages=(20, 20))
    for number in range(LEAST_MESSAGES):
        at = 0.5 if number < 2 else 3.0
        run.wait(1, "MPI_Recv", 0, at, at + 0.1, at, size=1000)
    run.sent(0, 1, 10**6, 1000, "MPI_Send", "point-to-point")
    run.wait(2, "MPI_Recv", 0, 0.5, 0.6, 0.5, size=10)  # too little, of so many
    run.sent(0, 2, 10**6, 1000, "MPI_Send", "point-to-point")
    run.wait(3, "MPI_Recv", 0, 0.5, 0.6, 0.5, size=10)  # all that there was
    run.sent(0, 3, 10, 1, "MPI_Send", "point-to-point")
    by_phase = run.by_phase()
    assert sizes(by_phase, 0, 1) == [250_000, 750_000, 0]
    assert sizes(by_phase, 0, 2) == [500_000, 500_000, 0]
    assert sizes(by_phase, 0, 3) == [10, 0, 0]
    assert by_phase.bytes_by_basis() == {SAMPLED_MESSAGES: 10**6 + 10, COUNTED_MESSAGES: 10**6}


def test_a_message_that_both_sides_waited_for_counts_once() -> None:
    run = Run()
    run.all_intervals(messages=(20, 20))
    for number in range(LEAST_MESSAGES):
        at = 0.5 if number % 2 else 3.0
        run.wait(1, "MPI_Recv", 0, at, at + 0.1, at, size=1000)
    run.connection.execute("UPDATE wait_messages SET number = wait")
    # The sender has waited for those of the first phase, too.
    for number in range(1, LEAST_MESSAGES + 1):
        if not number % 2:
            run.wait(0, "MPI_Send", 1, 0.5, 0.6, 0.5, sends=True, size=1000)
            run.connection.execute("UPDATE wait_messages SET number = ? WHERE wait = ?", (number, run._waits))
    run.sent(0, 1, 1000, 100, "MPI_Send", "point-to-point")
    assert sizes(run.by_phase(), 0, 1) == [500, 500, 0]


def test_without_a_sample_the_messages_of_the_sender_tell() -> None:
    run = Run()
    run.interval(0, 0, messages=20, sent=100)
    run.interval(0, 1, messages=60, sent=10**6)  # which collectives are in
    for rank in range(1, RANKS):
        run.interval(rank, 0)
        run.interval(rank, 1, sent=100)
    run.sent(0, 1, 1000, 80, "MPI_Isend", "point-to-point")
    run.sent(2, 0, 1000, 80, "MPI_Get", "one-sided")  # which rank 0 began
    run.sent(1, 2, 1000, 80, "MPI_Isend", "point-to-point")  # of a rank that has counted none
    run.sent(3, 2, 1000, 80, "MPI_Iallreduce", "in-collective")
    by_phase = run.by_phase()
    assert sizes(by_phase, 0, 1) == [250, 750, 0]
    assert sizes(by_phase, 2, 0) == [250, 750, 0]
    assert sizes(by_phase, 1, 2) == [0, 1000, 0]
    assert sizes(by_phase, 3, 2) == [0, 1000, 0]
    assert by_phase.bytes_by_basis() == {COUNTED_MESSAGES: 2000, COUNTED_BYTES: 2000}


def test_what_is_sent_before_the_first_phase_is_in_none() -> None:
    run = Run()
    run.all_intervals()
    run.sent(0, 1, 1000, 10, "MPI_Init", "in-collective")
    run.sent(1, 0, 500, 10, "MPI_Finalize", "in-collective")
    by_phase = run.by_phase()
    assert sizes(by_phase, 0, 1) == [0, 0, 1000]
    assert sizes(by_phase, 1, 0) == [0, 0, 500]
    assert by_phase.bytes_by_basis() == {NOT_KNOWN: 1500}


def test_flows_of_a_phase_are_those_that_have_something_there() -> None:
    run = Run()
    run.all_intervals(messages=(0, 20))
    run.sent(0, 1, 1000, 10, "MPI_Send", "point-to-point")
    run.sent(1, 0, 1000, 10, "MPI_Init", "in-collective")
    by_phase = run.by_phase()
    assert [len(by_phase.of(phase)) for phase in range(3)] == [0, 1, 1]
    assert by_phase.of(1).source.tolist() == [0]
    assert by_phase.of(2).groups == by_phase.flows.groups


def test_everything_adds_up_whatever_it_is() -> None:
    random = np.random.default_rng(7)
    run = Run()
    for rank in range(RANKS):
        for phase in range(2):
            run.interval(
                rank, phase, sent=int(random.integers(0, 3)) * 20, messages=20 * int(random.integers(0, 2))
            )
    calls = (("MPI_Alltoall", "in-collective"), ("MPI_Send", "point-to-point"), ("MPI_Put", "one-sided"))
    for number in range(1, 8):
        at = float(random.uniform(0, 3.9))
        run.instance("MPI_Alltoall", number, [at] * RANKS, at + float(random.uniform(0, 0.5)), size=7)
    for source in range(RANKS):
        for destination in range(RANKS):
            for procedure, kind in calls:
                run.sent(
                    source,
                    destination,
                    int(random.integers(0, 1 << 50)),
                    int(random.integers(0, 99)),
                    procedure,
                    kind,
                )
    run.by_phase()


def test_a_profile_without_a_time_line(golden: Golden) -> None:
    run = Made()
    with pytest.raises(RankwiseError) as error:
        flows_by_phase(run.connection, flows(run.connection))
    golden.says(error.value)


def test_stretches_of_time_are_divided() -> None:
    nothing = np.zeros((1, 3))
    grid = PhaseGrid(np.array([1.0, 2.0, 4.0]), 8.0, nothing, nothing, nothing)
    parts = grid.parts([0.0, 1.5, 1.0, 2.0, 9.0, 3.0], [0.5, 3.5, 8.0, 2.0, 10.0, 2.5])
    assert parts.tolist() == [
        [1, 0, 0],
        [0.25, 0.75, 0],
        [1 / 7, 2 / 7, 4 / 7],
        [0, 1, 0],
        [0, 0, 1],
        [0, 1, 0],
    ]
