"""Threads: exact counts and bytes when several call MPI at once, and when they come and go.

The numbers are those of programs/threads.c.
"""

from __future__ import annotations

from collections import Counter

import pytest
from libraries import Mpi
from recording import Record, Recording

THREADS, MESSAGES, SUMS, SHORT_LIVED, HANDED_OVER = 16, 60, 5, 120, 20
RANKS = range(2)


def sizes(thread: int, rank: int) -> list[int]:
    """What a thread of a rank sends to its twin."""
    return [i + 10 * thread + 100 * rank for i in range(MESSAGES)]


RECORDED: dict[str, Recording] = {}  # once for all tests here, because it takes seconds


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("threads.c", len(RANKS))
    if "not provided" in RECORDED[mpi.name].process.stdout:
        pytest.skip("this MPI library does not provide MPI_THREAD_MULTIPLE")
    return RECORDED[mpi.name]


def test_threads_at_the_same_time(done: Recording) -> None:
    assert done.rows("SELECT thread_level FROM run") == [("multiple",)]
    for t in range(THREADS):
        communicator = f"W_d{t + 1}"
        sent = {rank: sum(sizes(t, rank)) for rank in RANKS}
        assert done.calls("MPI_Isend", communicator) == {r: (MESSAGES, sent[r], 0) for r in RANKS}
        assert done.calls("MPI_Irecv", communicator) == {r: (MESSAGES, 0, sent[1 - r]) for r in RANKS}
        assert done.calls("MPI_Waitall", communicator)[0][0] <= MESSAGES
        assert done.calls("MPI_Allreduce", communicator) == dict.fromkeys(RANKS, (SUMS, SUMS * 4, 0))
        assert done.messages(communicator) == {(r, 1 - r): (MESSAGES, sent[r]) for r in RANKS}


def test_waits_of_threads(done: Recording) -> None:
    # Another thread's send may have the same handle as this one's: then it is (several), but never lost.
    assert done.calls("MPI_Waitall") == dict.fromkeys(RANKS, (THREADS * MESSAGES, 0, 0))
    of_threads = {f"W_d{t + 1}" for t in range(THREADS)} | {"(several)"}
    rows = done.rows(
        """SELECT DISTINCT communicators.name FROM calls
           JOIN procedures ON procedures.id = calls.procedure
           JOIN communicators ON communicators.id = calls.communicator
           WHERE procedures.name = 'MPI_Waitall'"""
    )
    assert {name for (name,) in rows} <= of_threads


def test_threads_that_come_and_go(done: Recording) -> None:
    lengths = [i % 100 for i in range(SHORT_LIVED)]
    total = sum(lengths)
    assert done.calls("MPI_Sendrecv") == dict.fromkeys(RANKS, (SHORT_LIVED, total, total))
    assert Counter(done.bins("MPI_Sendrecv")) == Counter(n.bit_length() for n in lengths for _ in RANKS)


def test_completed_by_another_thread(done: Recording) -> None:
    total = sum(range(HANDED_OVER))
    assert done.calls("MPI_Irecv", "W") == {1: (HANDED_OVER, 0, total)}
    assert done.calls("MPI_Wait") == {1: (HANDED_OVER, 0, 0)}
    bins = Counter(i.bit_length() for i in range(HANDED_OVER))
    for thread in range(THREADS):
        bins.update(size.bit_length() for rank in RANKS for size in sizes(thread, rank))
    assert Counter(done.bins("MPI_Irecv")) == bins


def test_nothing_contradicts_itself(done: Recording) -> None:
    assert done.warnings == []
    assert done.dropped == {}
    assert done.rows(
        "SELECT count(*) FROM calls WHERE seconds < 0 OR min > max OR max > seconds * 1.001"
    ) == [(0,)]


@pytest.mark.only_on(lambda mpi: mpi.name != "mpich-debian", "MPICH 4.0.2 hangs in this program by itself")
def test_calls_at_the_end_of_a_thread(record: Record) -> None:
    done = record("thread_ends.c", 1)
    if "not provided" in done.process.stdout:
        pytest.skip("this MPI library does not provide MPI_THREAD_MULTIPLE")
    assert done.calls("MPI_Send", "W") == {0: (8, 800, 0)}
    assert done.calls("MPI_Recv", "W") == {0: (8, 0, 800)}
    assert done.calls("MPI_Iprobe", "W") == {0: (8, 0, 0)}
    assert done.dropped == {}


def test_handles_that_other_threads_get(record: Record) -> None:
    done = record("same_handles.c", 1)
    if "not provided" in done.process.stdout:
        pytest.skip("this MPI library does not provide MPI_THREAD_MULTIPLE")
    threads, rounds = 6, 10000
    for t in range(threads):
        total = rounds << t
        assert done.calls("MPI_Isend", f"W_d{t + 1}") == {0: (rounds, total, 0)}
        assert done.calls("MPI_Irecv", f"W_d{t + 1}") == {0: (rounds, 0, total)}
    assert Counter(done.bins("MPI_Irecv")) == Counter({t + 1: rounds for t in range(threads)})
    assert done.dropped == {}
    assert done.warnings == []
