"""The rule on collectives whose time is latency."""

from __future__ import annotations

from functools import partial

import pytest
from made_profile import Made
from the_finding import the_finding

from golden import Golden
from rankwise.findings.finding import LOW, MEDIUM, NoAnswer
from rankwise.findings.rules.small_collectives import RULE

CALLS = 10_000  # of a rank


def allreduces(
    made: Made,
    latency: float,
    late: float = 0.0,
    *,
    size: int = 8,
    slow: float = 0.0,
) -> Made:
    """Calls on all ranks, and a sample: rank 1 is so late to each; of ten, one is slower by so much."""
    for number in range(1, 21):
        begin = 0.4 * number
        arrivals = [begin + late * (rank == 1) for rank in range(made.ranks)]
        left = begin + late + latency + slow * (number % 10 == 0)
        made.instance("MPI_Allreduce", number, arrivals, left, size=size)
    for rank in range(made.ranks):
        own = latency + late * (rank != 1) + slow / 10
        made.call(
            rank, "MPI_Allreduce", CALLS * own, calls=CALLS, size_bin=size.bit_length(), sent=size * CALLS
        )
    return made


found_in = partial(the_finding, RULE)


def test_calls_that_are_latency(golden: Golden) -> None:
    made = allreduces(Made(), 2e-4, late=5e-5)
    made.insert("objects", id=1, path="/opt/app", is_program=1)
    made.insert("sites", id=1, object=1, offset=8, file="solve.c", line=12)
    made.connection.execute("UPDATE call_places SET site = 1")
    finding = found_in(made)
    assert finding.saved_seconds == pytest.approx(4 * CALLS * 2e-4)  # waiting for rank 1 is not saved
    assert finding.upper_bound
    assert finding.confidence == MEDIUM
    golden.says(finding.title, "Allreduce 8-15 B .. W .. solve.c:12 .. 1000 .. 200 us")
    assert finding.command.options == ("--by", "site", "--call", "Allreduce")


def test_on_too_few_processors_it_is_not_sure() -> None:
    assert found_in(allreduces(Made(cpus="0-1"), 2e-4)).confidence == LOW


def test_calls_that_wait() -> None:
    assert RULE.find(allreduces(Made(), 1e-5, late=6e-4).seen) == []


def test_what_takes_much_longer_than_usual_is_no_latency() -> None:
    """Each tenth call loses its processor for 3 ms: the others are quick."""
    made = allreduces(Made(), 1e-6, slow=3e-3)
    assert sum(rank.seconds for rank in made.seen.ranks) > 0.2 * made.seen.seconds
    assert RULE.find(made.seen) == []
    # Of a call that takes 100 times as long as usual no more counts than 4 times the usual.
    finding = found_in(allreduces(Made(), 1e-4, slow=1e-2))
    assert finding.saved_seconds == pytest.approx(4 * CALLS * 1e-4 * (0.9 + 0.1 * 4))


def test_large_calls_and_few_ones() -> None:
    assert RULE.find(allreduces(Made(), 2e-4, size=1024).seen) == []
    made = Made()
    for rank in range(4):
        made.call(rank, "MPI_Allreduce", 5.0, calls=40, size_bin=4)
    made.instance("MPI_Allreduce", 1, [1.0] * 4, 1.1)
    assert RULE.find(made.seen) == []


def test_what_was_waiting_is_unknown() -> None:
    made = Made()
    for rank in range(4):
        made.call(rank, "MPI_Allreduce", 5.0, calls=CALLS, size_bin=4)
    answer = RULE.find(made.seen)
    assert isinstance(answer, NoAnswer)
    assert "50.0 %" in answer.why


def test_nothing_ran() -> None:
    assert isinstance(RULE.find(Made(runs=[0.0] * 4).seen), NoAnswer)
