"""Persistent collectives: the contribution of every start, on every MPI that has them.

The numbers are those of programs/persistent_collectives.c.
"""

from __future__ import annotations

import pytest
from libraries import Mpi
from recording import Record, Recording

pytestmark = pytest.mark.each_family

P, ROUNDS, INT = 3, 3, 4
RANKS = range(P)

# What each process contributes with one start.
WORLD = {
    "Barrier": [0, 0, 0],
    "Bcast": [0, (P - 1) * 5 * INT, 0],
    "Gather": [6 * INT] * P,
    "Gatherv": [(rank + 1) * INT for rank in RANKS],
    "Scatter": [P * 7 * INT, 0, 0],
    "Scatterv": [(1 + 2 + 3) * INT, 0, 0],
    "Allgather": [8 * INT] * P,
    "Allgatherv": [(rank + 1) * INT for rank in RANKS],
    "Alltoall": [P * 9 * INT] * P,
    "Alltoallv": [(1 + 2 + 3) * INT] * P,
    "Alltoallw": [(1 + 2 + 3) * INT] * P,
    "Reduce": [10 * INT] * P,
    "Allreduce": [11 * INT] * P,
    "Reduce_scatter": [(rank + 1) * INT for rank in RANKS],
    "Reduce_scatter_block": [12 * INT] * P,
    "Scan": [13 * INT, 13 * INT, 0],
    "Exscan": [14 * INT, 14 * INT, 0],
}
RING = {
    "Neighbor_allgather": 2 * 3 * INT,
    "Neighbor_allgatherv": 2 * 3 * INT,
    "Neighbor_alltoall": 2 * 4 * INT,
    "Neighbor_alltoallv": (1 + 2) * INT,
    "Neighbor_alltoallw": (1 + 2) * INT,
}

RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("persistent_collectives.c", P)
    if "none" in RECORDED[mpi.name].process.stdout:
        pytest.skip(f"{mpi.name} has no persistent collectives")
    return RECORDED[mpi.name]


def large(done: Recording) -> bool:
    return "large" in done.process.stdout


def test_contributions(done: Recording) -> None:
    # One Allreduce more by its large-count binding. The scatter is started once.
    started = dict.fromkeys(RANKS, 16 * INT * ROUNDS if large(done) else 0)
    for name, sent in WORLD.items():
        calls = 2 if name == "Allreduce" and large(done) else 1
        assert done.calls(f"MPI_{name}_init", "W") == dict.fromkeys(RANKS, (calls, 0, 0)), name
        for rank in RANKS:
            started[rank] += sent[rank] * (1 if name == "Scatter" else ROUNDS)
    assert done.calls("MPI_Startall", "W") == {rank: (ROUNDS, started[rank], 0) for rank in RANKS}
    for name in RING:
        assert done.calls(f"MPI_{name}_init", "W_a1") == dict.fromkeys(RANKS, (1, 0, 0)), name
    ring = (ROUNDS * len(RING), ROUNDS * sum(RING.values()), 0)
    assert done.calls("MPI_Start", "W_a1") == dict.fromkeys(RANKS, ring)


def test_a_start_has_the_size_of_its_operation(done: Recording) -> None:
    rows = done.rows(
        """SELECT size_bin, sum(calls), sum(bytes_sent) FROM calls
           JOIN procedures ON procedures.id = calls.procedure
           WHERE procedures.name = 'MPI_Start' GROUP BY size_bin"""
    )
    each = P * ROUNDS
    # Blocks of 4 and 8 bytes in the mean, of 12 bytes, of 16 bytes.
    assert rows == [(3, 2 * each, 2 * 12 * each), (4, 2 * each, 2 * 24 * each), (5, each, 32 * each)]


def test_calls_of_starting_and_completion(done: Recording) -> None:
    assert done.calls("MPI_Waitall", "W") == dict.fromkeys(RANKS, (ROUNDS, 0, 0))
    assert done.calls("MPI_Wait", "W_a1") == {rank: (ROUNDS * len(RING), 0, 0) for rank in RANKS}
    operations = len(WORLD) + large(done)
    assert done.calls("MPI_Request_free", "W") == dict.fromkeys(RANKS, (operations, 0, 0))
    assert done.calls("MPI_Request_free", "W_a1") == {rank: (len(RING), 0, 0) for rank in RANKS}


def test_nothing_is_in_doubt(done: Recording) -> None:
    assert done.messages() == {}
    assert done.dropped == {}
    assert done.warnings == []
