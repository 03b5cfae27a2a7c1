"""Chains of waits: each case by construction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from test_waits import instances

from rankwise.analysis.waiting.chains import MOST_STEPS, Chains, Share, Stretch, chains_in
from rankwise.analysis.waiting.instances import each_wait, waits
from rankwise.analysis.waiting.message_sample import Wait
from rankwise.analysis.waiting.propagation import Late, pass_on

RECEIVE = (3, "MPI_Recv")


def received(rank: int, began: float, ended: float, waited: float, other: int) -> Wait:
    return Wait(rank=rank, place=RECEIVE, began=began, ended=ended, waited=waited, other=other, sends=False)


def test_what_nobody_else_caused() -> None:
    assert Chains([]).follow(1, 2.0, 5.0) == {1: Share(3.0, 1)}


def test_a_wait_is_divided() -> None:
    # 1 waits for 0 until 4, but only from 3 on while somebody waits for 1; then it computes until 6.
    chains = Chains([Stretch(1, 0.0, 4.0, 0)])
    assert chains.follow(1, 3.0, 6.0) == {0: Share(1.0, 2), 1: Share(2.0, 1)}


def test_several_waits_and_a_longer_chain() -> None:
    chains = Chains([Stretch(3, 0.0, 2.0, 2), Stretch(3, 5.0, 9.0, 1), Stretch(2, 1.0, 2.0, 0)])
    assert chains.follow(3, 0.0, 8.0) == {
        3: Share(3.0, 1),
        2: Share(1.0, 2),
        0: Share(1.0, 3),
        1: Share(3.0, 2),
    }


def ring(compute: float, late: float, ranks: int = 8, steps: int = 40) -> list[Stretch]:
    """Each rank needs a message of the one before, and computes as long as the others, but for rank 0."""
    waits, at = [], [0.0] * ranks
    for _ in range(steps):
        came = [at[rank] + (late if rank == 0 else compute) for rank in range(ranks)]
        for rank in range(ranks):
            at[rank] = max(came[rank], came[rank - 1])
            if at[rank] > came[rank]:
                waits.append(Stretch(rank, came[rank], at[rank], rank - 1))
    return waits


@pytest.mark.parametrize("late", [1.25, 5.0])
@pytest.mark.reported("verdict/drift")
def test_in_a_ring_the_one_that_computes_longer_is_late(late: float) -> None:
    waits = ring(1.0, late)
    last = max((wait for wait in waits if wait.rank == 7), key=lambda wait: wait.began)
    assert Chains(waits).follow(last.other, last.began, last.until, 7) == {
        0: Share(pytest.approx(late - 1.0), 7)
    }


def test_partners_that_are_late_in_turns() -> None:
    """Rank 1 came late at 10; then both computed, and rank 0 did so for longer."""
    chains = Chains([Stretch(1, 0.0, 1.0, 0), Stretch(0, 2.0, 10.0, 1), Stretch(1, 15.0, 16.0, 0)])
    assert chains.follow(0, 15.0, 16.0, 1) == {0: Share(1.0, 1)}


def test_who_computes_longer_than_the_one_that_waits_is_late_for_the_rest() -> None:
    # 1 waited for 2 until 4, and computed until 9; 3, that waits from 6 on, computed from 5 on.
    chains = Chains([Stretch(1, 0.0, 4.0, 2), Stretch(3, 0.0, 5.0, 2), Stretch(3, 6.0, 9.0, 1)])
    assert chains.follow(1, 6.0, 9.0, 3) == {1: Share(3.0, 1)}
    chains = Chains([Stretch(1, 0.0, 7.0, 2), Stretch(3, 0.0, 5.0, 2), Stretch(3, 6.0, 9.0, 1)])
    assert chains.follow(1, 6.0, 9.0, 3) == {2: Share(2.0, 2), 1: Share(1.0, 1)}


def test_a_circle_ends() -> None:
    # As it may look by clocks that are not quite the same.
    chains = Chains([Stretch(0, 0.0, 1.0, 1), Stretch(1, 0.0, 1.0, 0)])
    shares = chains.follow(0, 0.0, 1.0)
    assert sum(share.seconds for share in shares.values()) == pytest.approx(1.0)
    assert max(share.steps for share in shares.values()) == MOST_STEPS


def test_waits_of_collectives() -> None:
    barriers = instances("MPI_Barrier", [[2, 10], [22, 20]], [[10, 10], [22, 22]], ranks=[4, 6])
    assert [Stretch(*wait) for wait in zip(*each_wait(barriers), strict=True)] == [
        Stretch(4, 2.0, 10.0, 6),
        Stretch(6, 20.0, 22.0, 4),
    ]


def test_blame_goes_on_to_where_a_message_came_late() -> None:
    """Rank 1 is 10 s late for 2 in a collective: for 8 of them it waited for a message of 0."""
    late = instances(
        "MPI_Allreduce", [[10, 0]], [[10, 10]], ranks=[1, 2], since=[[10, 0]], since_in_mpi=[[10, 0]]
    )
    message = received(1, 1.0, 10.0, 8.0, 0)
    chains = Chains([Stretch(1, 1.0, 9.0, 0)], [(message, 1.0)])
    passed = pass_on([Late(late, waits(late), np.ones(late.arrival.shape), 1)], chains)
    assert passed.caused[1].in_mpi == pytest.approx(10)
    assert passed.caused[1].passed_on == pytest.approx(8)
    assert passed.caused[1].passed_to == 0
    assert passed.root_cause_seconds == {0: pytest.approx(8), 1: pytest.approx(2)}
    assert passed.steps == 1


def test_blame_goes_through_several_messages() -> None:
    """Rank 0, for which 1 waited, had been waiting for 3 for half of that time."""
    late = instances(
        "MPI_Allreduce", [[10, 0]], [[10, 10]], ranks=[1, 2], since=[[10, 0]], since_in_mpi=[[10, 0]]
    )
    first = received(1, 0.0, 10.0, 8.0, 0)
    second = received(0, 4.0, 8.0, 4.0, 3)
    chains = Chains([Stretch(1, 0.0, 8.0, 0), Stretch(0, 4.0, 8.0, 3)], [(first, 1.0), (second, 1.0)])
    passed = pass_on([Late(late, waits(late), np.ones(late.arrival.shape), 1)], chains)
    assert passed.caused[1].passed_to == 0  # that it waited for itself
    assert passed.root_cause_seconds == {0: pytest.approx(4), 1: pytest.approx(2), 3: pytest.approx(4)}


def test_what_others_waited_for_the_late_one_stays_with_it() -> None:
    """Rank 0 came late to 1 as it waited for 1 itself: nothing is to be passed on."""
    late = instances(
        "MPI_Allreduce", [[10, 0]], [[10, 10]], ranks=[1, 2], since=[[10, 0]], since_in_mpi=[[10, 0]]
    )
    message = received(1, 2.0, 6.0, 4.0, 0)
    chains = Chains([Stretch(1, 2.0, 6.0, 0), Stretch(0, 0.0, 6.0, 1)], [(message, 1.0)])
    passed = pass_on([Late(late, waits(late), np.ones(late.arrival.shape), 1)], chains)
    assert passed.root_cause_seconds[1] == pytest.approx(10)


def test_what_it_had_waited_before_the_others_came_made_nobody_late() -> None:
    """Rank 1 waited 6 s for a message of 0: in the last 2 of them, and 4 more, rank 2 waited for it."""
    late = instances(
        "MPI_Allreduce", [[10, 4]], [[10, 10]], ranks=[1, 2], since=[[10, 4]], since_in_mpi=[[6, 0]]
    )
    message = received(1, 0.0, 6.0, 6.0, 0)
    chains = Chains([Stretch(1, 0.0, 6.0, 0)], [(message, 1.0)])
    passed = pass_on([Late(late, waits(late), np.ones(late.arrival.shape), 1)], chains)
    assert passed.caused[1].passed_on == pytest.approx(2)
    assert passed.root_cause_seconds == {0: pytest.approx(2), 1: pytest.approx(4)}


@pytest.mark.parametrize(("inner_calls", "passed"), [(1, 3.0), (4, 6.0)])
def test_what_a_wait_in_the_sample_stands_for(inner_calls: int, passed: float) -> None:
    """Half of the calls of each are in the sample.

    Rank 1 was late by 6 s twice, and waited in another collective for 3 s of these. If there are as many
    calls of that one, the sample has the same ones; if there are four times as many, each stands for two.
    """
    outer = instances(
        "MPI_Barrier",
        [[10, 4], [20, 14]],
        [[10, 10], [20, 20]],
        ranks=[1, 2],
        since=[[10, 10], [10, 4]],
        since_in_mpi=[[3, 0], [3, 0]],
    )
    inner = instances("MPI_Allreduce", [[5, 8], [15, 18]], [[8, 8], [18, 18]], ranks=[1, 3], communicator=4)
    calls = 4
    tables = [
        Late(outer, waits(outer), np.ones(outer.arrival.shape), calls),
        Late(inner, waits(inner), np.ones(inner.arrival.shape), calls * inner_calls),
    ]
    causes = pass_on(tables, Chains([]))
    assert causes.caused[1].passed_to == 3
    assert causes.caused[1].passed_on == pytest.approx(2 * passed)


def test_threads_are_not_followed(write_profile: sqlite3.Connection) -> None:
    chains = chains_in(write_profile)
    assert chains.follow(1, 0.0, 2.0) == {0: Share(2.0, 2)}
    assert chains.follow(2, 0.0, 2.0) == {2: Share(2.0, 1)}
    assert [wait.rank for wait, _ in chains.messages] == [1]


@pytest.fixture
def write_profile() -> Iterator[sqlite3.Connection]:
    """Ranks 1 and 2 wait for messages of 0 from 0 to 2; two threads of 2 call MPI."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            """
            CREATE TABLE ranks (rank INTEGER, host TEXT, clock_error REAL, threads INTEGER);
            CREATE TABLE procedures (id INTEGER, name TEXT);
            CREATE TABLE calls (rank, communicator, procedure, calls INTEGER, seconds REAL,
                                unfinished INTEGER);
            CREATE TABLE waits (id, rank, communicator, region, procedure, began, ended, messages,
                                sampled, known, stretch);
            CREATE TABLE wait_messages (wait, source, destination, communicator, tag, number, bytes, sends,
                                        procedure, posted, other_procedure, other_posted);
            CREATE TABLE arrivals (communicator);
            INSERT INTO ranks VALUES (0, 'a', 0.0, 1), (1, 'a', 0.0, 1), (2, 'a', 0.0, 2);
            INSERT INTO procedures VALUES (1, 'MPI_Recv'), (2, 'MPI_Send');
            INSERT INTO calls VALUES (1, 3, 1, 1, 2.0, 0), (2, 3, 1, 1, 2.0, 0);
            INSERT INTO waits VALUES (1, 1, 3, 0, 1, 0.0, 2.0, 1, 1, 1, NULL),
                                     (2, 2, 3, 0, 1, 0.0, 2.0, 1, 1, 1, NULL);
            INSERT INTO wait_messages VALUES (1, 0, 1, 3, 5, 0, 8, 0, 1, 0.0, 2, 2.0),
                                             (2, 0, 2, 3, 5, 0, 8, 0, 1, 0.0, 2, 2.0);
            """
        )
        yield connection
