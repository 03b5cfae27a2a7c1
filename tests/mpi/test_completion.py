"""Completion calls: their communicator, and the bytes that they find to have arrived, on every MPI.

The numbers are those of programs/completion.c.
"""

from __future__ import annotations

from collections import Counter

import pytest
from libraries import Mpi
from recording import Record, Recording

pytestmark = pytest.mark.each_family

W, D = "W", "W_d1"
MANY = 300

# Bytes of the messages that rank 1 receives by MPI_Irecv, by communicator, all of them into larger room.
RECEIVED = {
    W: [
        *(10, 12),  # Waitall over two communicators
        *range(0, 2 * MANY, 4),
        60,  # Waitany
        521,  # Testall
    ],
    D: [
        *(100, 101),  # Wait
        *range(200, 205),  # Waitall
        *(11, 13),
        *range(MANY),
        *range(2, 2 * MANY, 4),
        *range(300, 304),  # Waitany
        50,
        *range(400, 404),  # Waitsome
        *range(1, MANY + 1),
        500,  # Test
        *range(510, 513),  # Testall
        520,
        *range(530, 534),  # Testany
        *range(540, 552),  # Testsome
        66,  # Request_get_status
    ],
}
FREED = 64
CANCELLED = 2
POSTED = 1000  # room for a message that did not come, or whose size was never known

# What rank 1 receives by MPI_Recv, from sends of rank 0.
SHARED = {W: [1] * 10 + [2] * 6, D: [1] * 10 + [2] * 5 + [3] * 8}


RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("completion.c", 2)
    return RECORDED[mpi.name]


def counted(done: Recording) -> dict[tuple[str, str], int]:
    """How often rank 1 says that it called what it had to repeat."""
    lines = [line.split() for line in done.process.stdout.splitlines() if line.startswith("MPI_")]
    return {(procedure, D if on == "D" else on): int(calls) for procedure, on, calls in lines}


def by_communicator(done: Recording, procedure: str, rank: int) -> dict[str, int]:
    rows = done.rows(
        """SELECT communicators.name, sum(calls) FROM calls JOIN procedures ON procedures.id = calls.procedure
           JOIN communicators ON communicators.id = calls.communicator
           WHERE procedures.name = ? AND rank = ? GROUP BY communicators.name""",
        procedure,
        rank,
    )
    return dict(rows)  # type: ignore[arg-type]


def test_received_bytes_are_on_the_receive(done: Recording) -> None:
    assert done.calls("MPI_Irecv", W) == {1: (len(RECEIVED[W]), 0, sum(RECEIVED[W]))}
    on_d = len(RECEIVED[D]) + 1 + CANCELLED
    assert done.calls("MPI_Irecv", D) == {1: (on_d, 0, sum(RECEIVED[D]))}
    bins = Counter(size.bit_length() for sizes in RECEIVED.values() for size in sizes)
    bins[POSTED.bit_length()] += 1 + CANCELLED
    assert Counter(done.bins("MPI_Irecv")) == bins
    assert done.calls("MPI_Recv", W)[1] == (len(SHARED[W]), 0, sum(SHARED[W]))
    assert done.calls("MPI_Recv", D)[1] == (len(SHARED[D]) + 1, 0, sum(SHARED[D]) + 65)


def test_sent_bytes(done: Recording) -> None:
    assert done.calls("MPI_Send", W)[0] == (len(RECEIVED[W]), sum(RECEIVED[W]), 0)
    assert done.calls("MPI_Send", D)[0] == (len(RECEIVED[D]) + 1, sum(RECEIVED[D]) + FREED, 0)
    assert done.calls("MPI_Isend", W) == {0: (len(SHARED[W]), sum(SHARED[W]), 0)}
    assert done.calls("MPI_Isend", D) == {0: (len(SHARED[D]) + 1, sum(SHARED[D]) + 65, 0)}


def test_communicators_of_the_receiver(done: Recording) -> None:
    asked = counted(done)
    expected = {
        "MPI_Wait": {D: 2 + 1 + CANCELLED, "(none)": 1},
        "MPI_Waitall": {D: 2, "(several)": 2, "(none)": 2},
        "MPI_Waitany": {D: 4, "(none)": 1, "(several)": 1, W: 1},
        "MPI_Waitsome": {D: 4 + asked["MPI_Waitsome", D], "(none)": 1},
        "MPI_Test": {D: asked["MPI_Test", D], "(none)": 1},
        "MPI_Testall": {
            D: asked["MPI_Testall", D],
            "(several)": asked["MPI_Testall", "(several)"],
            "(none)": 1,
        },
        "MPI_Testany": {D: asked["MPI_Testany", D], "(none)": 1},
        "MPI_Testsome": {D: asked["MPI_Testsome", D], "(none)": 1},
        "MPI_Request_free": {D: 1},
        "MPI_Request_get_status": {D: asked["MPI_Request_get_status", D], "(none)": 1},
    }
    assert {procedure: by_communicator(done, procedure, 1) for procedure in expected} == expected


def test_communicators_of_the_sender(done: Recording) -> None:
    # Sends on W and D may have one handle between them; then nobody knows which of them is waited for.
    waits = by_communicator(done, "MPI_Wait", 0)
    assert sum(waits.values()) == 20
    assert waits in ({W: 10, D: 10}, {"(several)": 20})
    assert by_communicator(done, "MPI_Waitall", 0) == {"(several)": 1, D: 1}
    assert by_communicator(done, "MPI_Request_free", 0) == {D: 1}


def test_completion_calls_book_no_bytes(done: Recording) -> None:
    rows = done.rows(
        """SELECT DISTINCT procedures.name FROM calls JOIN procedures ON procedures.id = calls.procedure
           WHERE class = 'completion' AND (bytes_sent <> 0 OR bytes_received <> 0 OR size_bin <> 0)"""
    )
    assert rows == []


def test_the_freed_receive_is_told(done: Recording) -> None:
    assert done.dropped == {"receives": 1}
    (warning,) = done.warnings
    sent = sum(RECEIVED[D]) + FREED + sum(SHARED[D]) + 65
    assert D in warning
    assert f"{sent} bytes were sent" in warning
    assert f"{sent - FREED} bytes were received" in warning
