"""Fortran: the same program in the three bindings; its counts, bytes, pairs and results."""

from __future__ import annotations

import subprocess

import libraries
import pytest
from libraries import Mpi
from recording import Compile, Record, Recording

from rankwise.profile.join.members import parse

RANKS = 4
DOUBLE, INTEGER = 8, 4
BINDINGS = ["fortran_mpifh.f90", "fortran_mpi.f90", "fortran_mpi_f08.f90"]


# Every MPI library of this machine that has Fortran bindings.
mpi = libraries.in_turn([mpi for mpi in libraries.ALL if mpi.mpifort])


@pytest.fixture(scope="module")
def finished() -> dict[tuple[str, str], Recording]:
    return {}


@pytest.fixture(params=BINDINGS, ids=[name.removesuffix(".f90") for name in BINDINGS])
def source(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def done(mpi: Mpi, source: str, record: Record, finished: dict[tuple[str, str], Recording]) -> Recording:
    """One run of each binding with each MPI, shared by the tests."""
    if (mpi.name, source) not in finished:
        finished[mpi.name, source] = record(source, RANKS)
    return finished[mpi.name, source]


def ring(rank: int) -> tuple[int, int, int]:
    """The rank before, the rank itself, the rank after."""
    return (rank - 1) % RANKS, rank, (rank + 1) % RANKS


def test_point_to_point(done: Recording) -> None:
    posted, received, exchanged = {}, {}, {}
    for rank in range(RANKS):
        before, _, _ = ring(rank)
        posted[rank] = (2, DOUBLE * (100 + rank + 10), 0)
        received[rank] = (2, 0, DOUBLE * (100 + before + 10))
        exchanged[rank] = (2, DOUBLE * (20 + rank + 5), DOUBLE * (20 + before + 5))
    assert done.calls("MPI_Isend", "W") == posted
    assert done.calls("MPI_Irecv", "W") == received
    assert done.calls("MPI_Waitall", "W") == dict.fromkeys(range(RANKS), (1, 0, 0))
    assert done.calls("MPI_Sendrecv", "W") == exchanged
    # From and to MPI_BOTTOM.
    assert done.calls("MPI_Send") == {0: (1, 25 * DOUBLE, 0)}
    assert done.calls("MPI_Recv") == {1: (1, 0, 25 * DOUBLE)}


def test_pairs(done: Recording) -> None:
    pairs = {}
    for rank in range(RANKS):
        before, _, after = ring(rank)
        pairs[rank, after] = (2, DOUBLE * (100 + rank + 20 + rank))
        pairs[rank, before] = (2, DOUBLE * (10 + 5))
    messages, size = pairs[0, 1]
    pairs[0, 1] = (messages + 1, size + 25 * DOUBLE)
    assert done.messages() == pairs


def test_collectives(done: Recording) -> None:
    others = RANKS - 1
    assert done.calls("MPI_Bcast") == {
        0: (2, 25 * DOUBLE * others, 0),
        1: (2, 7 * INTEGER * others, 0),
        **dict.fromkeys([2, 3], (2, 0, 0)),
    }
    assert done.calls("MPI_Allreduce", "W") == dict.fromkeys(range(RANKS), (1, 3 * DOUBLE, 0))
    assert done.calls("MPI_Allreduce", "W_s1.2") == dict.fromkeys([0, 2], (1, 2 * DOUBLE, 0))
    assert done.calls("MPI_Allreduce", "W_s1.3") == dict.fromkeys([1, 3], (1, 2 * DOUBLE, 0))
    assert done.calls("MPI_Allreduce", "W_a2_u1.0") == dict.fromkeys([0, 1], (1, DOUBLE, 0))
    assert done.calls("MPI_Allreduce", "W_a2_u1.2") == dict.fromkeys([2, 3], (1, DOUBLE, 0))


def test_communicators(done: Recording) -> None:
    assert {name: parse(text) for name, text in done.communicators().items()} == {
        "W": [0, 1, 2, 3],
        "W_s1.2": [2, 0],
        "W_s1.3": [3, 1],
        "W_a2": [0, 1, 2, 3],
        "W_a2_u1.0": [0, 1],
        "W_a2_u1.2": [2, 3],
        "W_a2_d2": [0, 1, 2, 3],
    }
    assert set(done.rows("SELECT name, dims, periods FROM communicators WHERE topology = 'cart'")) == {
        ("W_a2", "[2, 2]", "[1, 0]"),
        ("W_a2_u1.0", "[2]", "[0]"),
        ("W_a2_u1.2", "[2]", "[0]"),
        ("W_a2_d2", "[2, 2]", "[1, 0]"),
    }
    assert done.rows("SELECT name FROM communicators WHERE user_name = 'half of all' ORDER BY name") == [
        ("W_s1.2",),
        ("W_s1.3",),
    ]
    freed = done.rows("SELECT name FROM communicators WHERE freed IS NOT NULL ORDER BY name")
    assert freed == [("W_a2_d2",), ("W_a2_u1.0",), ("W_a2_u1.2",)]


def test_environment_and_pause(done: Recording) -> None:
    once = dict.fromkeys(range(RANKS), (1, 0, 0))
    assert done.calls("MPI_Init") == once
    assert done.calls("MPI_Finalize") == once
    assert done.calls("MPI_Comm_free", "W_a2_d2") == once
    # A third barrier and a send to nobody came between MPI_Pcontrol(0) and (1).
    assert done.calls("MPI_Barrier", "W_a2_d2") == dict.fromkeys(range(RANKS), (2, 0, 0))
    assert done.calls("MPI_Ssend") == {}
    assert done.rows("SELECT name FROM regions WHERE id NOT IN (0, 4095)") == []


def test_nothing_contradicts_itself(done: Recording) -> None:
    assert done.warnings == []
    assert done.dropped == {}
    assert done.rows("SELECT partial, ranks_seen, ranks_expected FROM run") == [(0, RANKS, RANKS)]


def test_results_are_the_same_to_the_last_bit(
    mpi: Mpi, source: str, compiled: Compile, done: Recording
) -> None:
    words = mpi.launch(RANKS, compiled(mpi, source))
    plain = subprocess.run(words, capture_output=True, text=True, timeout=60, env=mpi.env(), check=True)
    assert plain.stdout.count("\n") == 9 * RANKS
    assert sorted(done.process.stdout.splitlines()) == sorted(plain.stdout.splitlines())


def test_duplicate_that_completes_later(mpi: Mpi, source: str, compiled: Compile, record: Record) -> None:
    words = mpi.launch(RANKS, compiled(mpi, source), "idup")
    plain = subprocess.run(words, capture_output=True, text=True, timeout=60, env=mpi.env(), check=True)
    done = record(source, RANKS, "idup")
    assert sorted(done.process.stdout.splitlines()) == sorted(plain.stdout.splitlines())
    assert done.communicators()["W_i3"] == "0-3"
    everyone = range(RANKS)
    assert done.calls("MPI_Comm_idup", "W") == dict.fromkeys(everyone, (1, 0, 0))
    assert done.calls("MPI_Allreduce", "W_i3") == dict.fromkeys(everyone, (1, 3 * DOUBLE, 0))
    assert done.calls("MPI_Comm_free", "W_i3") == dict.fromkeys(everyone, (1, 0, 0))
