"""Persistent point-to-point: bytes and messages of every start, on every MPI.

The numbers are those of programs/persistent.c.
"""

from __future__ import annotations

from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import Compile, Record, Recording, run

W, D = "W", "W_d1"
ROUNDS, MANY, ROOM = 5, 300, 1000
BUFFERED, BUFFERED_BYTES = 8, 16384
B1, B2 = "W_d2", "W_d3"
TWICE_MANY = 2 * sum(range(MANY))  # of the many, each started twice

RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("persistent.c", 2)
    return RECORDED[mpi.name]


def asked(done: Recording) -> dict[str, int]:
    """How often rank 1 says that it called what it had to repeat."""
    lines = [line.split() for line in done.process.stdout.splitlines() if line.startswith("MPI_")]
    return {procedure: int(calls) for procedure, calls in lines}


def by_communicator(done: Recording, procedure: str, rank: int) -> dict[str, int]:
    rows = done.rows(
        """SELECT communicators.name, sum(calls) FROM calls JOIN procedures ON procedures.id = calls.procedure
           JOIN communicators ON communicators.id = calls.communicator
           WHERE procedures.name = ? AND rank = ? AND calls > 0 GROUP BY communicators.name""",
        procedure,
        rank,
    )
    return dict(rows)  # type: ignore[arg-type]


def test_calls_and_bytes_of_sends(done: Recording) -> None:
    assert done.calls("MPI_Send_init", W) == {0: (1, 100 * ROUNDS, 0)}
    # One each: alone, to nobody, many, freed while active.
    assert done.calls("MPI_Send_init", D) == {0: (3 + MANY, 500 + TWICE_MANY + 80, 0), 1: (1, 0, 0)}
    assert done.calls("MPI_Ssend_init", D) == {0: (1, 200 * ROUNDS, 0)}
    assert done.calls("MPI_Rsend_init", D) == {0: (1, 300 * ROUNDS, 0)}
    assert done.calls("MPI_Bsend_init", D) == {0: (1, 400 * ROUNDS, 0)}


def test_calls_and_bytes_of_receives(done: Recording) -> None:
    assert done.calls("MPI_Recv_init", W) == {1: (1 + 1, 0, 100 * ROUNDS + 30)}
    received = (200 + 300 + 400) * ROUNDS + 500 + 31 + TWICE_MANY + 70
    assert done.calls("MPI_Recv_init", D) == {0: (1, 0, 0), 1: (3 + 1 + 1 + 1 + MANY + 2, 0, received)}


def test_size_bins_are_those_of_the_operation(done: Recording) -> None:
    received = done.rows(
        """SELECT size_bin, sum(calls), sum(bytes_received) FROM calls
           JOIN procedures ON procedures.id = calls.procedure WHERE procedures.name = 'MPI_Recv_init'
           GROUP BY size_bin"""
    )
    total = 100 * ROUNDS + 30 + (200 + 300 + 400) * ROUNDS + 500 + 31 + TWICE_MANY + 70
    assert received == [(0, 2, 0), (ROOM.bit_length(), 4 + 1 + 2 + MANY + 2, total)]
    sent = done.rows(
        """SELECT size_bin, sum(calls), sum(bytes_sent) FROM calls
           JOIN procedures ON procedures.id = calls.procedure WHERE procedures.name = 'MPI_Send_init'
           GROUP BY size_bin"""
    )
    expected = {0: [2, 0], 7: [2, 100 * ROUNDS + 80], 9: [1, 500]}
    for size in range(MANY):
        row = expected.setdefault(size.bit_length(), [0, 0])
        row[0] += 1
        row[1] += 2 * size
    assert {size_bin: [calls, sent_] for size_bin, calls, sent_ in sent} == expected


def test_messages(done: Recording) -> None:
    rows = done.rows(
        """SELECT communicators.name, procedures.name, source, destination, messages, bytes FROM messages
           JOIN communicators ON communicators.id = messages.communicator
           JOIN procedures ON procedures.id = messages.procedure
           WHERE procedures.name LIKE '%_init' AND communicators.name IN (?, ?) ORDER BY 1, 2""",
        W,
        D,
    )
    assert rows == [
        (W, "MPI_Send_init", 0, 1, ROUNDS, 100 * ROUNDS),
        (D, "MPI_Bsend_init", 0, 1, ROUNDS, 400 * ROUNDS),
        (D, "MPI_Rsend_init", 0, 1, ROUNDS, 300 * ROUNDS),
        (D, "MPI_Send_init", 0, 1, 1 + 2 * MANY + 1, 500 + TWICE_MANY + 80),
        (D, "MPI_Ssend_init", 0, 1, ROUNDS, 200 * ROUNDS),
    ]


def test_bytes_are_in_the_region_of_the_start(done: Recording) -> None:
    rows = done.rows(
        """SELECT procedures.name, sum(calls), sum(bytes_sent), sum(bytes_received) FROM calls
           JOIN procedures ON procedures.id = calls.procedure JOIN regions ON regions.id = calls.region
           WHERE regions.name = 'loop' AND procedures.name LIKE '%_init' GROUP BY 1 ORDER BY 1"""
    )
    assert rows == [
        ("MPI_Bsend_init", 0, 400 * ROUNDS, 0),
        ("MPI_Recv_init", 0, 0, (100 + 200 + 300 + 400) * ROUNDS),
        ("MPI_Rsend_init", 0, 300 * ROUNDS, 0),
        ("MPI_Send_init", 0, 100 * ROUNDS, 0),
        ("MPI_Ssend_init", 0, 200 * ROUNDS, 0),
    ]


def test_communicators(done: Recording) -> None:
    repeated = asked(done)
    assert by_communicator(done, "MPI_Startall", 0) == {"(several)": ROUNDS + BUFFERED, D: ROUNDS + 2}
    assert by_communicator(done, "MPI_Startall", 1) == {"(several)": ROUNDS + 1, D: ROUNDS + 2}
    assert by_communicator(done, "MPI_Start", 0) == {D: 2, B1: BUFFERED}
    assert by_communicator(done, "MPI_Start", 1) == {D: 1 + 3}
    assert by_communicator(done, "MPI_Waitall", 0) == {"(several)": ROUNDS, D: ROUNDS + 2}
    assert by_communicator(done, "MPI_Wait", 0) == {D: 1, "(none)": 1, B1: 2 * BUFFERED, B2: BUFFERED}
    assert by_communicator(done, "MPI_Wait", 1) == {D: 2, "(none)": 1}
    assert by_communicator(done, "MPI_Test", 1) == {D: repeated["MPI_Test"]}
    assert by_communicator(done, "MPI_Waitany", 1) == {"(several)": 1, W: 1, "(none)": 1}
    assert by_communicator(done, "MPI_Waitsome", 1) == {D: repeated["MPI_Waitsome"]}
    assert by_communicator(done, "MPI_Request_get_status", 1) == {D: 1}
    assert by_communicator(done, "MPI_Request_free", 0) == {W: 1, D: 3 + 1 + 2 + MANY + 1, B1: 1, B2: 1}
    assert by_communicator(done, "MPI_Request_free", 1) == {W: 2, D: 3 + 1 + 2 + 1 + MANY + 2}


def test_starting_books_no_bytes(done: Recording) -> None:
    rows = done.rows(
        """SELECT DISTINCT class FROM calls JOIN procedures ON procedures.id = calls.procedure
           WHERE procedures.name IN ('MPI_Start', 'MPI_Startall')
           AND bytes_sent = 0 AND bytes_received = 0 AND size_bin = 0"""
    )
    assert rows == [("starting",)]


def test_handles_that_change_with_a_start(done: Recording) -> None:
    total = BUFFERED * BUFFERED_BYTES
    assert done.calls("MPI_Bsend_init", B1) == {0: (1, 2 * total, 0)}
    assert done.calls("MPI_Bsend_init", B2) == {0: (1, total, 0)}
    assert done.messages(B1, procedure="MPI_Bsend_init") == {(0, 1): (2 * BUFFERED, 2 * total)}
    assert done.messages(B2, procedure="MPI_Bsend_init") == {(0, 1): (BUFFERED, total)}
    assert done.calls("MPI_Recv", B1) == {1: (2 * BUFFERED, 0, 2 * total)}
    assert done.calls("MPI_Start", B1) == {0: (BUFFERED, 0, 0)}
    assert done.calls("MPI_Wait", B1) == {0: (2 * BUFFERED, 0, 0)}
    assert done.calls("MPI_Wait", B2) == {0: (BUFFERED, 0, 0)}
    assert done.calls("MPI_Request_free", B1) == {0: (1, 0, 0)}
    assert done.calls("MPI_Request_free", B2) == {0: (1, 0, 0)}


def test_only_the_freed_receive_is_missing(done: Recording) -> None:
    assert done.dropped == {"receives": 1}
    (warning,) = done.warnings
    assert D in warning


def test_a_start_in_a_pause_is_not_booked(compiled: Compile, tmp_path: Path) -> None:
    mpi = libraries.ALL[0]
    output = tmp_path / "pause.rankwise"
    done = run(mpi.launch(2, compiled(mpi, "persistent.c"), "pause"), output, mpi.env())
    assert done.process.returncode == 0, done.process.stderr
    assert done.calls("MPI_Send_init") == {0: (1, 2 * 8, 0)}
    assert done.calls("MPI_Recv_init") == {1: (1, 0, 2 * 8)}
    assert done.calls("MPI_Start") == {0: (2, 0, 0), 1: (2, 0, 0)}
