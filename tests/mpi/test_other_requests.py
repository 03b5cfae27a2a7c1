"""Requests beside the waiting: generalised, cancelled, buffered, asked for, and very many, on every MPI.

The numbers are those of programs/other_requests.c.
"""

from __future__ import annotations

import pytest
from libraries import ONE_OF_EACH, Mpi
from recording import Record, Recording

pytestmark = pytest.mark.each_family

D = "W_d1"
LOTS = 100_000

RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("other_requests.c", 2)
    return RECORDED[mpi.name]


def said(done: Recording, word: str) -> str:
    """The rest of a line that the program prints if the library has what the line is about."""
    lines = [line for line in done.process.stdout.splitlines() if line.startswith(word)]
    return lines[0] if lines else pytest.skip(f"no {word} in this library's version of MPI")


def test_generalised(done: Recording) -> None:
    assert done.calls("MPI_Grequest_start", "(none)") == {0: (2, 0, 0), 1: (2, 0, 0)}
    assert done.calls("MPI_Grequest_complete", "(none)") == {0: (2, 0, 0), 1: (2, 0, 0)}
    assert done.calls("MPI_Wait", "(none)") == {0: (1, 0, 0), 1: (1, 0, 0)}
    assert done.calls("MPI_Waitall", "(none)") == {0: (1, 0, 0), 1: (1, 0, 0)}


def test_cancelled(done: Recording) -> None:
    assert done.calls("MPI_Cancel") == done.calls("MPI_Cancel", D) == {0: (1, 0, 0), 1: (1, 0, 0)}
    assert done.calls("MPI_Irecv", D)[0] == (1, 0, 0)


def test_buffered(done: Recording) -> None:
    assert done.calls("MPI_Buffer_attach", "(none)") == {0: (1, 0, 0)}
    assert done.calls("MPI_Buffer_detach", "(none)") == {0: (1, 0, 0)}
    assert done.calls("MPI_Ibsend", D) == {0: (1, 200, 0)}
    assert done.calls("MPI_Bsend", D)[0][1] - done.calls("MPI_Recv", D)[1][2] == -200


def test_flushed(done: Recording) -> None:
    said(done, "flushed")
    for procedure in ("attach", "flush", "iflush", "detach"):
        assert done.calls(f"MPI_Comm_{procedure}_buffer", D) == {0: (1, 0, 0)}
    assert done.calls("MPI_Bsend", D) == {0: (2, 300 + 100, 0)}


def test_asked(done: Recording) -> None:
    calls = int(said(done, "MPI_Request_get_status_all").split()[1])
    assert done.calls("MPI_Request_get_status_all", D)[1] == (calls, 0, 0)
    assert done.calls("MPI_Request_get_status_any", D)[1] == (1, 0, 0)
    assert done.calls("MPI_Request_get_status_some", D)[1] == (1, 0, 0)
    # Booked once, by the wait.
    assert done.calls("MPI_Irecv", D)[1] == (1 + 3, 0, 10 + 11 + 12)


def test_exchanges_with_nobody(done: Recording) -> None:
    said(done, "exchanged")
    assert done.calls("MPI_Isendrecv", D) == {0: (1, 20, 0), 1: (1, 0, 20)}
    assert done.calls("MPI_Isendrecv_replace", D) == {0: (1, 21, 0), 1: (1, 0, 21)}


def test_nothing_is_in_doubt(done: Recording) -> None:
    assert done.dropped == {}
    assert done.warnings == []


def test_exchanges_book_what_came_or_say_that_nobody_knows(record: Record, mpi: Mpi) -> None:
    done = record("other_requests.c", 2, "exchange")
    said(done, "exchanged")
    exchanged, replaced = (21, 20), 30
    if mpi.family == "openmpi":
        assert done.dropped == {}
        assert done.warnings == []
    else:  # the status holds 0 or anything
        exchanged, replaced = (0, 0), 0
        assert done.dropped == {"receives": 4}
        [warning] = done.warnings
        assert " 101 bytes were sent point-to-point but 0 bytes were received (4 receives have" in warning
    assert done.calls("MPI_Isendrecv", D) == {0: (1, 20, exchanged[0]), 1: (1, 21, exchanged[1])}
    assert done.calls("MPI_Isendrecv_replace", D) == dict.fromkeys(range(2), (1, 30, replaced))


@pytest.mark.parametrize("mpi", ONE_OF_EACH, ids=lambda mpi: mpi.name)
def test_a_hundred_thousand_at_once(record: Record) -> None:
    done = record("other_requests.c", 2, "lots")
    bytes_ = sum(i % 7 for i in range(LOTS))
    assert done.calls("MPI_Irecv", D) == {1: (LOTS, 0, bytes_)}
    assert done.bins("MPI_Irecv") == {
        size_bin: sum((i % 7).bit_length() == size_bin for i in range(LOTS)) for size_bin in range(4)
    }
    assert done.calls("MPI_Send", D)[0] == (LOTS, bytes_, 0)
    assert done.calls("MPI_Wait", D) == {1: (LOTS // 2, 0, 0)}
    assert done.calls("MPI_Waitall", D) == {1: (1, 0, 0)}
    assert done.dropped == {}
    assert done.warnings == []
