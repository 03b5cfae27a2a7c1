"""Large-count bindings (MPI_Send_c, ...) are booked on the procedure's plain name, with 64-bit sizes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from libraries import Mpi
from recording import Record, Recording

pytestmark = pytest.mark.each_family

LARGE = 3 * 2**20
INT, DOUBLE = 4, 8

PROBE = """
#include <mpi.h>
int main(void) { return MPI_Send_c(0, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD); }
"""


def has_large_counts(mpi: Mpi, place: Path) -> bool:
    """Whether a program that uses them can be compiled and linked."""
    source = place / "probe.c"
    source.write_text(PROBE)
    try:
        mpi.compile(place / "probe", source, options=["-w", "-Werror=implicit-function-declaration"])
    except subprocess.CalledProcessError:
        return False
    return True


@pytest.fixture
def done(record: Record, mpi: Mpi, tmp_path: Path) -> Recording:
    if not has_large_counts(mpi, tmp_path):
        pytest.skip(f"{mpi.name} has no large-count bindings")
    return record("large_count.c", 2)


def test_booked_on_the_plain_names(done: Recording) -> None:
    assert done.calls("MPI_Send") == {0: (4, LARGE + 1000, 0)}
    assert done.calls("MPI_Recv") == {1: (2, 0, LARGE)}
    assert done.calls("MPI_Irecv") == {1: (1, 0, 1000)}
    assert done.bins("MPI_Send") == {0: 2, (1000).bit_length(): 1, LARGE.bit_length(): 1}
    assert done.bins("MPI_Irecv") == {(1000).bit_length(): 1}
    assert done.messages() == {(0, 1): (3, LARGE + 1000)}
    assert done.calls("MPI_Bcast") == {0: (2, 0, 0), 1: (2, LARGE, 0)}
    assert done.calls("MPI_Allreduce") == dict.fromkeys((0, 1), (1, 100 * DOUBLE, 0))
    alltoallv = {rank: sum(rank + d + 1 for d in (0, 1)) * INT for rank in (0, 1)}
    assert done.calls("MPI_Alltoallv") == {rank: (2, 2 * sent, 0) for rank, sent in alltoallv.items()}
    assert done.rows("SELECT name FROM procedures WHERE name LIKE '%\\_c' ESCAPE '\\'") == []
    assert done.rows("SELECT not_covered FROM run") == [("[]",)]
    assert done.warnings == []
    assert done.dropped == {}
