"""Persistent point-to-point: bytes and messages of every start, on every MPI.

The numbers are those of programs/persistent.c.
"""

from __future__ import annotations

import json
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import Compile, Record, Recording, run

pytestmark = pytest.mark.each_family

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


def test_initialising_calls_have_no_bytes(done: Recording) -> None:
    assert done.calls("MPI_Send_init", W) == {0: (1, 0, 0)}
    # One each: alone, to nobody, many, freed while active.
    assert done.calls("MPI_Send_init", D) == {0: (3 + MANY, 0, 0), 1: (1, 0, 0)}
    for mode in ("Ssend", "Rsend", "Bsend"):
        assert done.calls(f"MPI_{mode}_init", D) == {0: (1, 0, 0)}
    assert done.calls("MPI_Recv_init", W) == {1: (1 + 1, 0, 0)}
    assert done.calls("MPI_Recv_init", D) == {0: (1, 0, 0), 1: (3 + 1 + 1 + 1 + MANY + 2, 0, 0)}
    posted = {0: 2, ROOM.bit_length(): 4 + 1 + 2 + MANY + 2}
    assert done.bins("MPI_Recv_init") == posted


def test_bytes_are_where_they_are_started(done: Recording) -> None:
    # Several communicators at once: the call is on (several), the bytes are on each.
    assert done.calls("MPI_Startall", W) == {0: (0, 100 * ROUNDS, 0), 1: (0, 0, 100 * ROUNDS + 30)}
    modes = (200 + 300 + 400) * ROUNDS
    assert done.calls("MPI_Startall", D) == {
        0: (ROUNDS + 2, modes + TWICE_MANY, 0),
        1: (ROUNDS + 2, 0, modes + 31 + TWICE_MANY),
    }
    assert done.calls("MPI_Start", D) == {0: (2, 500 + 80, 0), 1: (1 + 3, 0, 500 + 70)}
    assert done.calls("MPI_Startall", "(several)") == {0: (ROUNDS + BUFFERED, 0, 0), 1: (ROUNDS + 1, 0, 0)}


def test_size_bins_are_those_of_the_operation(done: Recording) -> None:
    rows = done.rows(
        """SELECT procedures.name, rank, size_bin, sum(calls), sum(bytes_sent), sum(bytes_received) FROM calls
           JOIN procedures ON procedures.id = calls.procedure
           WHERE procedures.name IN ('MPI_Start', 'MPI_Startall') GROUP BY 1, 2, 3
           HAVING sum(calls) + sum(bytes_sent) + sum(bytes_received) > 0"""
    )
    total, room = BUFFERED * BUFFERED_BYTES, ROOM.bit_length()
    sent = {0: 0, 7: 100 * ROUNDS, 8: 200 * ROUNDS, 9: 700 * ROUNDS, BUFFERED_BYTES.bit_length(): 2 * total}
    for size in range(MANY):
        sent[size.bit_length()] = sent.get(size.bit_length(), 0) + 2 * size
    received = 1000 * ROUNDS + 30 + 31 + TWICE_MANY
    expected = {("MPI_Startall", 0, size_bin): (0, amount, 0) for size_bin, amount in sent.items()}
    expected |= {
        ("MPI_Startall", 0, 0): (2 * ROUNDS + BUFFERED + 2, 0, 0),
        ("MPI_Startall", 1, 0): (2 * ROUNDS + 1 + 2, 0, 0),
        ("MPI_Startall", 1, room): (0, 0, received),
        ("MPI_Start", 0, 9): (1, 500, 0),
        ("MPI_Start", 0, 7): (1, 80, 0),
        ("MPI_Start", 0, BUFFERED_BYTES.bit_length()): (BUFFERED, total, 0),
        ("MPI_Start", 1, room): (1 + 3, 0, 500 + 70),
    }
    assert {row[:3]: row[3:] for row in rows} == expected


def test_messages(done: Recording) -> None:
    rows = done.rows(
        """SELECT communicators.name, procedures.name, source, destination, messages, bytes FROM messages
           JOIN communicators ON communicators.id = messages.communicator
           JOIN procedures ON procedures.id = messages.procedure
           WHERE procedures.name LIKE 'MPI_Start%' AND communicators.name IN (?, ?) ORDER BY 1, 2""",
        W,
        D,
    )
    assert rows == [
        (W, "MPI_Startall", 0, 1, ROUNDS, 100 * ROUNDS),
        (D, "MPI_Start", 0, 1, 2, 500 + 80),
        (D, "MPI_Startall", 0, 1, 3 * ROUNDS + 2 * MANY, 900 * ROUNDS + TWICE_MANY),
    ]
    initialised = "SELECT * FROM messages JOIN procedures ON id = procedure WHERE name LIKE '%_init'"
    assert done.rows(initialised) == []


def test_bytes_are_in_the_region_of_the_start(done: Recording) -> None:
    rows = done.rows(
        """SELECT procedures.name, sum(calls), sum(bytes_sent), sum(bytes_received) FROM calls
           JOIN procedures ON procedures.id = calls.procedure JOIN regions ON regions.id = calls.region
           WHERE regions.name = 'loop' AND (procedures.name LIKE '%_init' OR class = 'starting') GROUP BY 1"""
    )
    assert rows == [("MPI_Startall", 2 * ROUNDS, 1000 * ROUNDS, 1000 * ROUNDS)]


def test_the_bytes_are_on_the_screen(done: Recording) -> None:
    rows = {row["procedure"]: row for row in json.loads(done.shown("--by", "call", "--json"))["calls"]}
    sent = 1000 * ROUNDS + TWICE_MANY + 2 * BUFFERED * BUFFERED_BYTES
    assert rows["MPI_Startall"]["bytes_sent"] == sent
    assert rows["MPI_Start"]["bytes_sent"] == 580 + BUFFERED * BUFFERED_BYTES
    assert rows["MPI_Send_init"]["bytes_sent"] == rows["MPI_Recv_init"]["bytes_received"] == 0
    cells = json.loads(done.shown("--matrix", "--call", "Start,Startall", "--json"))["matrix"]["cells"]
    [there] = [cell for cell in cells if (cell["source"], cell["destination"]) == (0, 1)]
    assert there["bytes"] == rows["MPI_Startall"]["bytes_sent"] + rows["MPI_Start"]["bytes_sent"]
    assert "Startall" in done.shown("-v")


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


def test_handles_that_change_with_a_start(done: Recording) -> None:
    total = BUFFERED * BUFFERED_BYTES
    assert done.calls("MPI_Bsend_init", B1) == done.calls("MPI_Bsend_init", B2) == {0: (1, 0, 0)}
    for communicator, procedure in ((B1, "MPI_Start"), (B1, "MPI_Startall"), (B2, "MPI_Startall")):
        assert done.messages(communicator, procedure=procedure) == {(0, 1): (BUFFERED, total)}
    assert done.calls("MPI_Startall", B1) == done.calls("MPI_Startall", B2) == {0: (0, total, 0)}
    assert done.calls("MPI_Recv", B1) == {1: (2 * BUFFERED, 0, 2 * total)}
    assert done.calls("MPI_Start", B1) == {0: (BUFFERED, total, 0)}
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
    assert done.calls("MPI_Send_init") == {0: (1, 0, 0)}
    assert done.calls("MPI_Recv_init") == {1: (1, 0, 0)}
    assert done.calls("MPI_Start") == {0: (2, 2 * 8, 0), 1: (2, 0, 2 * 8)}
