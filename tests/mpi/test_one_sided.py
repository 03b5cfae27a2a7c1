"""One-sided communication: each call, byte and pair of programs/one_sided*.c, on every MPI."""

from __future__ import annotations

import subprocess

import libraries
import pytest
from libraries import Mpi
from recording import Compile, Record, Recording

pytestmark = pytest.mark.each_family

SIZE, WINDOWS, ROUNDS = 4, 2000, 3
INT, LONG = 4, 8
EVERYONE = range(SIZE)

Pairs = dict[tuple[int, int], tuple[int, int]]

RECORDED: dict[str, Recording] = {}  # once for all tests here, because it takes seconds


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.family == "mpich" and not libraries.HAS_SHARED_MEMORY:
        pytest.skip("told to do without shared memory, MPICH has no windows of it")
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("one_sided.c", SIZE)
    return RECORDED[mpi.name]


def right_of(rank: int) -> int:
    return (rank + 1) % SIZE


def moved(done: Recording, procedure: str, communicator: str) -> Pairs:
    return done.messages(communicator, "one-sided", procedure)


def ints(calls: int, sent: int, received: int) -> tuple[int, int, int]:
    return calls, sent * INT, received * INT


def everyone(calls: int, sent: int = 0, received: int = 0) -> dict[int, tuple[int, int, int]]:
    """The same for each rank; sizes in ints."""
    return dict.fromkeys(EVERYONE, ints(calls, sent, received))


def test_fence(done: Recording) -> None:
    w = "W_d1_w1"
    assert done.calls("MPI_Win_create", "W_d1") == done.calls("MPI_Win_free", w) == everyone(1)
    assert done.calls("MPI_Win_fence", w) == everyone(3)
    # One with a derived datatype, one of nothing, one to nobody.
    assert done.calls("MPI_Put", w) == {r: ints(4, 10 * (r + 1) + 10, 0) for r in EVERYONE}
    assert moved(done, "MPI_Put", w) == {(r, right_of(r)): (3, (10 * (r + 1) + 10) * INT) for r in EVERYONE}
    assert done.calls("MPI_Accumulate", w) == everyone(2, 3)
    assert moved(done, "MPI_Accumulate", w) == {(r, 0): (1, 3 * INT) for r in EVERYONE}
    assert done.calls("MPI_Get", w) == {r: ints(2, 0, 6 + r) for r in EVERYONE}
    assert moved(done, "MPI_Get", w) == {(right_of(r), r): (1, (6 + r) * INT) for r in EVERYONE}


def test_post_start_complete_wait(done: Recording) -> None:
    w = "W_d2_w1"
    often = ints(ROUNDS, 0, 0)
    assert done.calls("MPI_Win_allocate", "W_d2") == done.calls("MPI_Win_free", w) == everyone(1)
    for procedure, ranks in {"start": (0, 2), "complete": (0, 2), "post": (1, 3), "wait": (1,)}.items():
        assert done.calls(f"MPI_Win_{procedure}", w) == dict.fromkeys(ranks, often)
    assert set(done.calls("MPI_Win_test", w)) == {3}
    assert done.calls("MPI_Win_test", w)[3][0] >= ROUNDS
    assert done.calls("MPI_Put", w) == dict.fromkeys((0, 2), ints(ROUNDS, 4 * ROUNDS, 0))
    assert moved(done, "MPI_Put", w) == dict.fromkeys(((0, 1), (2, 3)), (ROUNDS, 4 * INT * ROUNDS))


def test_lock_and_what_goes_both_ways(done: Recording) -> None:
    w = "W_d3_w1"
    assert done.calls("MPI_Win_lock", w) == done.calls("MPI_Win_unlock", w) == everyone(2)
    assert done.calls("MPI_Win_flush", w) == everyone(2)
    assert done.calls("MPI_Win_flush_local", w) == everyone(1)
    # One with MPI_NO_OP, which sends nothing, and one to nobody. To rank 3 and back, also by rank 3 itself.
    assert done.calls("MPI_Fetch_and_op", w) == everyone(3, 1, 2)
    assert moved(done, "MPI_Fetch_and_op", w) == forth_and_back((1, 1), (2, 2))
    assert done.calls("MPI_Get_accumulate", w) == everyone(3, 5, 5 + 7)
    assert moved(done, "MPI_Get_accumulate", w) == forth_and_back((1, 5), (2, 5 + 7))
    assert done.calls("MPI_Get", w) == everyone(1, 0, 12)


def forth_and_back(forth: tuple[int, int], back: tuple[int, int]) -> Pairs:
    """Everybody's (messages, ints) to rank 3 and from it, as messages and bytes."""
    pairs = {(r, 3): (forth[0], forth[1] * INT) for r in (0, 1, 2)}
    pairs |= {(3, r): (back[0], back[1] * INT) for r in (0, 1, 2)}
    return pairs | {(3, 3): (forth[0] + back[0], (forth[1] + back[1]) * INT)}


def test_requests(done: Recording) -> None:
    w = "W_d4_w1"
    for procedure in ("lock_all", "unlock_all", "flush_all", "flush_local_all", "sync"):
        assert done.calls(f"MPI_Win_{procedure}", w) == everyone(1)
    assert done.calls("MPI_Rput", w) == everyone(1, 20)
    assert done.calls("MPI_Raccumulate", w) == everyone(1, 8)
    assert done.calls("MPI_Rget", w) == everyone(2, 0, 9)  # one from nobody
    assert done.calls("MPI_Rget_accumulate", w) == everyone(2, 6, 6 + 4)
    assert moved(done, "MPI_Rput", w) == {(r, right_of(r)): (1, 20 * INT) for r in EVERYONE}
    assert moved(done, "MPI_Rget", w) == {(right_of(r), r): (1, 9 * INT) for r in EVERYONE}
    exchanged = {(r, right_of(r)): (1, 6 * INT) for r in EVERYONE}
    exchanged |= {(right_of(r), r): (2, 10 * INT) for r in EVERYONE}
    assert moved(done, "MPI_Rget_accumulate", w) == exchanged
    assert done.calls("MPI_Waitall", w) == everyone(1)
    assert done.calls("MPI_Wait", w) == everyone(4)
    assert done.calls("MPI_Waitall") == everyone(1)
    assert done.calls("MPI_Wait") == everyone(4)


def test_windows_outlive_their_communicators(done: Recording) -> None:
    for left, right in ((2, 0), (3, 1)):
        comm = f"W_s5.{left}"
        w = f"{comm}_w1"
        both = (left, right)
        for name in (comm, w):
            assert done.communicators()[name] in (f"{left},{right}", f"{left}-{right}:-2")
        freed = "SELECT freed FROM communicators WHERE name = ?"
        [(comm_freed,)], [(window_freed,)] = done.rows(freed, comm), done.rows(freed, w)
        assert isinstance(comm_freed, float)
        assert isinstance(window_freed, float)
        assert comm_freed < window_freed
        assert done.calls("MPI_Win_fence", w) == dict.fromkeys(both, ints(2, 0, 0))
        assert done.calls("MPI_Win_free", w) == dict.fromkeys(both, ints(1, 0, 0))
        assert done.calls("MPI_Put", w) == {left: ints(1, 11, 0)}
        assert moved(done, "MPI_Put", w) == {(left, right): (1, 11 * INT)}
        assert moved(done, "MPI_Get", w) == {(left, left): (1, 2 * INT)}


def test_dynamic(done: Recording) -> None:
    w = "W_d6_w1"
    assert done.calls("MPI_Win_create_dynamic", "W_d6") == done.calls("MPI_Win_free", w) == everyone(1)
    assert done.calls("MPI_Put", w) == everyone(1, 16)
    assert moved(done, "MPI_Put", w) == {(r, right_of(r)): (1, 16 * INT) for r in EVERYONE}


def test_shared(done: Recording) -> None:
    w = "W_t7.0_w1"
    assert done.calls("MPI_Win_allocate_shared", "W_t7.0") == done.calls("MPI_Win_free", w) == everyone(1)
    assert done.calls("MPI_Put", w) == everyone(1, 2)
    assert moved(done, "MPI_Put", w) == {(r, 0): (1, 2 * INT) for r in EVERYONE}


def test_many(done: Recording) -> None:
    names = {f"S.{rank}_w{i + 1}": (rank, i % 10) for rank in EVERYONE for i in range(WINDOWS)}
    for rank in EVERYONE:
        assert done.calls("MPI_Win_create", f"S.{rank}") == {rank: ints(WINDOWS, 0, 0)}
    called = done.rows(
        "SELECT procedures.name, communicators.name, rank, SUM(calls), SUM(bytes_sent) FROM calls"
        " JOIN procedures ON procedures.id = calls.procedure"
        " JOIN communicators ON communicators.id = calls.communicator"
        " WHERE communicators.family GLOB 'S_w*' GROUP BY procedures.id, communicators.id, rank"
    )
    expected: dict[str, list[tuple[object, ...]]] = {"MPI_Win_free": [], "MPI_Win_fence": [], "MPI_Put": []}
    for name, (rank, sent) in names.items():
        expected["MPI_Win_free"].append((name, rank, 1, 0))
        expected["MPI_Win_fence"].append((name, rank, 2, 0))
        expected["MPI_Put"].append((name, rank, 1, sent * INT))
    assert set(called) == {(procedure, *row) for procedure, rows in expected.items() for row in rows}
    assert len(called) == 3 * len(names)
    moved_there = done.rows(
        "SELECT communicators.name, source, destination, messages, bytes FROM messages"
        " JOIN communicators ON communicators.id = communicator"
        " WHERE communicators.family GLOB 'S_w*' AND kind = 'one-sided'"
    )
    assert set(moved_there) == {(name, rank, rank, 1, sent * INT) for name, (rank, sent) in names.items()}


def test_nothing_else(done: Recording) -> None:
    booked = done.rows(
        """SELECT DISTINCT communicators.family FROM calls JOIN procedures ON procedures.id = calls.procedure
           JOIN communicators ON communicators.id = calls.communicator
           WHERE class IN ('window', 'one-sided', 'one-sided synchronisation')"""
    )
    on = {"W_d1", "W_d2", "W_d3", "W_d4", "W_s5", "W_d6", "W_t7"}
    expected = {"S", "S_w*", *on, *(f"{name}_w1" for name in on)}
    assert {name for (name,) in booked} == expected
    assert done.rows("SELECT DISTINCT kind FROM messages WHERE kind <> 'in-collective'") == [("one-sided",)]
    assert done.rows("SELECT not_covered FROM run") == [("[]",)]
    assert done.warnings == []
    assert done.dropped == {}


def test_compare_and_swap(record: Record) -> None:
    done = record("one_sided_swap.c", SIZE)
    # Two elements go (the new one, the one to compare with), and what was there comes. One to nobody.
    assert done.calls("MPI_Compare_and_swap", "W_w1") == dict.fromkeys(EVERYONE, (2, 2 * LONG, LONG))
    assert done.bins("MPI_Compare_and_swap") == {(2 * LONG).bit_length(): SIZE, 0: SIZE}
    pairs = {(rank, 0): (1, 2 * LONG) for rank in (1, 2, 3)} | {(0, rank): (1, LONG) for rank in (1, 2, 3)}
    assert done.messages("W_w1", "one-sided") == pairs | {(0, 0): (2, 3 * LONG)}


def test_threads(record: Record) -> None:
    threads, rounds = 4, 100
    done = record("one_sided_threads.c", 2)
    if "not provided" in done.process.stdout:
        pytest.skip("this MPI library does not provide MPI_THREAD_MULTIPLE")
    for t in range(threads):
        w = f"W_d{t + 1}_w1"
        put, got = (t + 1) * rounds, (t + 2) * rounds
        for procedure in ("lock", "flush", "unlock"):
            assert done.calls(f"MPI_Win_{procedure}", w) == dict.fromkeys((0, 1), (rounds, 0, 0))
        assert done.calls("MPI_Put", w) == dict.fromkeys((0, 1), ints(rounds, put, 0))
        assert done.calls("MPI_Get", w) == dict.fromkeys((0, 1), ints(rounds, 0, got))
        assert moved(done, "MPI_Put", w) == dict.fromkeys(((0, 1), (1, 0)), (rounds, put * INT))
        assert moved(done, "MPI_Get", w) == dict.fromkeys(((0, 1), (1, 0)), (rounds, got * INT))


@pytest.mark.only_on(lambda mpi: mpi.mpifort, "no Fortran bindings here")
def test_fortran(record: Record) -> None:
    done = record("fortran_one_sided.f90", SIZE)
    assert done.calls("MPI_Put", "W_w1") == dict.fromkeys(EVERYONE, (2, 80, 0))
    assert done.calls("MPI_Win_fence", "W_w1") == everyone(2)
    assert moved(done, "MPI_Put", "W_w1") == {(r, right_of(r)): (1, 80) for r in EVERYONE}


def test_errors_are_those_of_mpi(mpi: Mpi, compiled: Compile, record: Record) -> None:
    words = mpi.launch(1, compiled(mpi, "one_sided_errors.c"))
    plain = subprocess.run(words, capture_output=True, text=True, timeout=60, env=mpi.env())
    done = record("one_sided_errors.c", 1, status=plain.returncode)
    assert done.process.stdout == plain.stdout
    assert done.messages(kind="one-sided") == {}
