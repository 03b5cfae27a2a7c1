"""Partitioned communication, on every MPI that has it. The numbers are those of programs/partitioned.c."""

from __future__ import annotations

import pytest
from libraries import Mpi
from recording import Record, Recording

pytestmark = pytest.mark.each_family

D = "W_d1"
ROUNDS, BYTES = 3, 400

RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("partitioned.c", 2)
    if "none" in RECORDED[mpi.name].process.stdout:
        pytest.skip(f"{mpi.name} has no partitioned communication")
    return RECORDED[mpi.name]


def test_calls_and_bytes(done: Recording) -> None:
    assert done.calls("MPI_Psend_init", D) == {0: (1, 0, 0)}
    assert done.calls("MPI_Precv_init", D) == {1: (1, 0, 0)}
    assert done.bins("MPI_Psend_init") == done.bins("MPI_Precv_init") == {BYTES.bit_length(): 1}
    assert done.calls("MPI_Start", D) == {0: (ROUNDS, ROUNDS * BYTES, 0), 1: (ROUNDS, 0, ROUNDS * BYTES)}
    assert done.bins("MPI_Start") == {BYTES.bit_length(): 2 * ROUNDS}
    for procedure in ("MPI_Pready", "MPI_Pready_range", "MPI_Pready_list"):
        assert done.calls(procedure, D) == {0: (ROUNDS, 0, 0)}
    (line,) = [line.split() for line in done.process.stdout.splitlines() if "Parrived" in line]
    assert done.calls("MPI_Parrived", D) == {1: (int(line[1]), 0, 0)}


def test_completion(done: Recording) -> None:
    assert done.calls("MPI_Wait", D) == {0: (ROUNDS, 0, 0), 1: (ROUNDS, 0, 0)}
    assert done.calls("MPI_Wait", "(none)") == {0: (1, 0, 0), 1: (1, 0, 0)}
    assert done.calls("MPI_Request_free", D) == {0: (1, 0, 0), 1: (1, 0, 0)}


def test_a_start_is_one_message(done: Recording) -> None:
    assert done.messages(D) == {(0, 1): (ROUNDS, ROUNDS * BYTES)}
    assert done.messages(D, procedure="MPI_Start") == done.messages(D)
    assert done.dropped == {}
    assert done.warnings == []
