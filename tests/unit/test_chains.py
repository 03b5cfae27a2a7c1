"""Chains of waits: each case by construction."""

from __future__ import annotations

import numpy as np
import pytest
from test_waits import instances

from rankwise.analysis.blame import Late, pass_on
from rankwise.analysis.chains import MOST_STEPS, Chains, Share, Stretch
from rankwise.analysis.message_sample import Wait
from rankwise.analysis.waits import each_wait, waits

RECEIVE = (3, "MPI_Recv")


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


def test_a_circle_ends() -> None:
    # As it may look by clocks that are not quite the same.
    chains = Chains([Stretch(0, 0.0, 1.0, 1), Stretch(1, 0.0, 1.0, 0)])
    found = chains.follow(0, 0.0, 1.0)
    assert sum(share.seconds for share in found.values()) == pytest.approx(1.0)
    assert max(share.steps for share in found.values()) == MOST_STEPS


def test_waits_of_collectives() -> None:
    found = instances("MPI_Barrier", [[2, 10], [22, 20]], [[10, 10], [22, 22]], ranks=[4, 6])
    assert [Stretch(*one) for one in zip(*each_wait(found), strict=True)] == [
        Stretch(4, 2.0, 10.0, 6),
        Stretch(6, 20.0, 22.0, 4),
    ]


def test_blame_goes_on_to_where_a_message_came_late() -> None:
    """Rank 1 is 10 s late for 2 in a collective: for 8 of them it waited for a message of 0."""
    late = instances(
        "MPI_Allreduce", [[10, 0]], [[10, 10]], ranks=[1, 2], since=[[10, 0]], since_in_mpi=[[10, 0]]
    )
    message = Wait(1, RECEIVE, 1.0, 10.0, 8.0, 0, False)
    chains = Chains([Stretch(1, 1.0, 9.0, 0)], [(message, 1.0)])
    blame = pass_on([Late(late, waits(late), np.ones(2))], chains)
    assert blame.caused[1].in_mpi == pytest.approx(10)
    assert blame.caused[1].passed_on == pytest.approx(8)
    assert blame.caused[1].passed_to == 0
    assert blame.finally_blamed == {0: pytest.approx(8), 1: pytest.approx(2)}
    assert blame.steps == 1


def test_blame_goes_through_several_messages() -> None:
    """Rank 0, for which 1 waited, had been waiting for 3 for half of that time."""
    late = instances(
        "MPI_Allreduce", [[10, 0]], [[10, 10]], ranks=[1, 2], since=[[10, 0]], since_in_mpi=[[10, 0]]
    )
    first = Wait(1, RECEIVE, 0.0, 10.0, 8.0, 0, False)
    second = Wait(0, RECEIVE, 4.0, 8.0, 4.0, 3, False)
    chains = Chains([Stretch(1, 0.0, 8.0, 0), Stretch(0, 4.0, 8.0, 3)], [(first, 1.0), (second, 1.0)])
    blame = pass_on([Late(late, waits(late), np.ones(2))], chains)
    assert blame.caused[1].passed_to == 0  # that it waited for itself
    assert blame.finally_blamed == {0: pytest.approx(4), 1: pytest.approx(2), 3: pytest.approx(4)}


def test_what_others_waited_for_the_late_one_stays_with_it() -> None:
    """Rank 0 came late to 1 as it waited for 1 itself: nothing is to be passed on."""
    late = instances(
        "MPI_Allreduce", [[10, 0]], [[10, 10]], ranks=[1, 2], since=[[10, 0]], since_in_mpi=[[10, 0]]
    )
    message = Wait(1, RECEIVE, 2.0, 6.0, 4.0, 0, False)
    chains = Chains([Stretch(1, 2.0, 6.0, 0), Stretch(0, 0.0, 6.0, 1)], [(message, 1.0)])
    blame = pass_on([Late(late, waits(late), np.ones(2))], chains)
    assert blame.finally_blamed[1] == pytest.approx(10)
