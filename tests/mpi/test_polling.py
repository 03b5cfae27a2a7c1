"""Polling calls: each is counted and timed, and what the program does between them is none of their time.

Beside our times there are those of the program's own clock, which hold what we add to a call, too. The
machine may be busy, and interrupt a program anywhere, so times that are made of many short calls are compared
in the best of some rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import libraries
import pytest
from recording import Record, Recording

NEAR = 0.01
SHORT_CALL = 1e-6  # more than we add to one
NAP = 3e-3
LONG_CALLS = 30
ROUNDS = 60
TRIES = 4
CROWD = 4  # ranks on fewer processors


@dataclass(frozen=True)
class Polls:
    """One rank's polling calls of one kind."""

    calls: int
    seconds: float
    longest: float
    shortest: float = 0.0


def by_own_clock(done: Recording) -> dict[tuple[str, int], Polls]:
    """What the program said: by the name of the communicator and rank."""
    lines = [line.split() for line in done.process.stdout.splitlines()]
    return {
        (name, int(rank)): Polls(int(calls), float(seconds), float(longest))
        for name, rank, calls, seconds, longest in (line for line in lines if len(line) == 5)
    }


def recorded(done: Recording) -> dict[tuple[str, int], Polls]:
    """What the profile says."""
    rows = done.rows(
        """SELECT CASE communicators.id WHEN 0 THEN 'hidden0' ELSE user_name END, rank,
                  sum(calls), sum(seconds), max(max), min(min)
           FROM calls JOIN procedures ON procedures.id = calls.procedure
           JOIN communicators ON communicators.id = calls.communicator
           WHERE procedures.name IN ('MPI_Test', 'MPI_Testall', 'MPI_Iprobe') GROUP BY 1, 2"""
    )
    return {
        (str(name), int(str(rank))): Polls(int(str(calls)), *(float(str(value)) for value in times))
        for name, rank, calls, *times in rows
    }


@pytest.mark.parametrize("mpi", libraries.ALL, ids=lambda mpi: mpi.name, indirect=True)
def test_times_are_those_of_the_calls(record: Record) -> None:
    done = record("polling.c", 1)
    own, ours = by_own_clock(done), recorded(done)
    assert own.keys() == ours.keys()
    for place, polls in ours.items():
        assert polls.calls == own[place].calls
        assert 0 <= polls.shortest <= polls.longest <= own[place].longest * (1 + NEAR)
        assert polls.longest <= polls.seconds <= own[place].seconds * (1 + NEAR)
    # A few long calls hide among many short ones.
    hidden = ours["hidden0", 0]
    assert hidden.seconds >= LONG_CALLS * NAP
    assert hidden.seconds == pytest.approx(
        own["hidden0", 0].seconds, rel=0.05, abs=hidden.calls * SHORT_CALL / 4
    )
    assert hidden.longest >= NAP
    # In calls that follow each other, also what lies between them counts: there is nothing but our own work,
    # which takes longer where another process has used the caches.
    assert max(ours[f"loop{i}", 0].seconds / own[f"loop{i}", 0].seconds for i in range(ROUNDS)) > 0.9


@pytest.mark.exhaustive
@pytest.mark.parametrize("mpi", libraries.ALL, ids=lambda mpi: mpi.name, indirect=True)
def test_large_messages_that_are_copied_in_some_of_the_calls(record: Record) -> None:
    """Nearly all of the time is covered where nothing interrupts the ranks, and else most of it.

    A round takes a few milliseconds, as long as others have the processor. One interruption that is taken for
    computing is a large part of it.
    """
    done = record("polling.c", 2, "copy")
    own, ours = by_own_clock(done), recorded(done)
    assert own.keys() == ours.keys()
    assert all(polls.calls == own[place].calls for place, polls in ours.items())
    shares = sorted(polls.seconds / own[place].seconds for place, polls in ours.items())
    assert shares[-1] <= 1 + NEAR
    assert shares[-1] > 1 - 5 * NEAR
    assert shares[len(shares) // 2] > 0.6


@pytest.mark.exhaustive
@pytest.mark.parametrize("mpi", libraries.ALL, ids=lambda mpi: mpi.name, indirect=True)
def test_ranks_that_take_the_processors_from_each_other(record: Record) -> None:
    """A rank that is interrupted between two polls is polling all the same.

    How often polling is distinguished from other work depends on how long others have the processor,
    so the best of some jobs counts.
    """
    for _ in range(TRIES):
        shares = shares_of_a_crowd(record)
        if max(shares) > 0.8 and sum(shares) / CROWD > 0.7:
            return
    pytest.fail(f"{shares}")


def shares_of_a_crowd(record: Record) -> list[float]:
    """How much of the time that each rank does nothing but poll is told as such; asserts all else."""
    done = record("polling.c", CROWD, "crowd")
    own, ours = by_own_clock(done), recorded(done)
    assert own.keys() == ours.keys() == {(n, r) for n in ("spin0", "work0", "rest0") for r in range(CROWD)}
    for (name, rank), polls in ours.items():
        seconds = own[name, rank].seconds
        assert polls.calls == own[name, rank].calls
        # Work and sleep, a hundred times as long as the bursts of polls between them, are none of their time.
        assert 0 < polls.seconds <= seconds * (1 + NEAR)
    done.path.unlink()
    return [ours["spin0", rank].seconds / own["spin0", rank].seconds for rank in range(CROWD)]
