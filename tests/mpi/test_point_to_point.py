"""Point-to-point: each call, byte and pair of programs/point_to_point.c, on every MPI."""

from __future__ import annotations

import pytest
from recording import Record, Recording

pytestmark = pytest.mark.each_family

BLOCKING = [100 * i for i in range(7)]
DERIVED = [800, 2400]
NONBLOCKING = [1000 + i for i in range(10)]
PROBED = [10, 11, 12, 13]


@pytest.fixture
def done(record: Record) -> Recording:
    return record("point_to_point.c", 3)


def test_every_call_and_byte(done: Recording) -> None:
    sends = BLOCKING + DERIVED + PROBED
    assert done.calls("MPI_Send") == {0: (len(sends) + 1, sum(sends), 0), 1: (1, 0, 0)}
    assert done.calls("MPI_Bsend") == {0: (1, 120, 0)}
    assert done.calls("MPI_Ssend") == {0: (1, 40, 0)}
    assert done.calls("MPI_Rsend") == {0: (1, 22, 0)}
    received = sum(BLOCKING) + 120 + 40 + 22 + sum(DERIVED) + 10 + 11
    assert done.calls("MPI_Recv") == {0: (1, 0, 0), 1: (7 + 3 + 2 + 1 + 2, 0, received)}
    assert done.calls("MPI_Isend") == {0: (11, sum(NONBLOCKING), 0), 1: (1, 0, 0)}
    assert done.calls("MPI_Ibsend") == {0: (1, 8, 0)}
    assert done.calls("MPI_Issend") == {0: (1, 80000, 0)}
    assert done.calls("MPI_Irsend") == {0: (1, 3, 0)}
    assert done.calls("MPI_Irecv") == {0: (1, 0, 0), 1: (14, 0, sum(NONBLOCKING) + 8 + 80000 + 3)}
    assert done.calls("MPI_Waitall") == {0: (1, 0, 0), 1: (1, 0, 0)}
    assert done.calls("MPI_Wait") == {0: (2, 0, 0), 1: (3, 0, 0)}
    assert done.calls("MPI_Sendrecv") == {0: (2, 500, 50), 1: (2, 50, 500)}
    assert done.calls("MPI_Sendrecv_replace") == {0: (1, 240, 240), 1: (1, 240, 240)}
    assert done.calls("MPI_Probe") == {1: (1, 0, 0)}
    assert done.calls("MPI_Mprobe") == {1: (1, 0, 0)}
    assert done.calls("MPI_Mrecv", "W") == {1: (1, 0, 12)}
    assert done.calls("MPI_Imrecv", "W") == {1: (1, 0, 13)}
    assert done.calls("MPI_Iprobe")[1][0] >= 1
    assert done.calls("MPI_Improbe")[1][0] >= 1


def test_pairs(done: Recording) -> None:
    forth = [*BLOCKING, 120, 40, 22, *DERIVED, *NONBLOCKING, 8, 80000, 3, 500, 240, *PROBED]
    assert done.messages() == {(0, 1): (len(forth), sum(forth)), (1, 0): (2, 290)}


def test_size_bins_hold_what_was_received(done: Recording) -> None:
    # 1000..1009, 8 and 3 bytes came into larger room; 80000 into 90000, the same bin; two came from nobody.
    assert done.bins("MPI_Irecv") == {0: 2, 2: 1, 4: 1, 10: 10, 17: 1}


def test_nothing_contradicts_itself(done: Recording) -> None:
    assert done.warnings == []
    assert done.dropped == {}
    assert done.rows("SELECT partial, ranks_seen, ranks_expected FROM run") == [(0, 3, 3)]
