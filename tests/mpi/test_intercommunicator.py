"""Collectives on an intercommunicator, on every MPI. Numbers: programs/intercommunicator.c."""

from __future__ import annotations

from recording import Record

INT = 4

# Bytes that the world ranks contribute, by procedure: 0 and 1 are one group, 2 to 4 the other.
CONTRIBUTED = {
    "Barrier": (1, [0, 0, 0, 0, 0]),
    "Bcast": (2, [3 * 5, 0, 0, 2 * 6, 0]),
    "Gather": (1, [7, 7, 0, 0, 0]),
    "Gatherv": (1, [0, 0, 1, 2, 3]),
    "Scatter": (1, [3 * 8, 0, 0, 0, 0]),
    "Scatterv": (1, [0, 0, 1 + 2, 0, 0]),
    "Allgather": (1, [9, 9, 2, 2, 2]),
    "Allgatherv": (1, [1, 2, 1, 2, 3]),
    "Alltoall": (1, [3 * 3, 3 * 3, 2 * 3, 2 * 3, 2 * 3]),
    "Alltoallv": (1, [1 + 2 + 3, 1 + 2 + 3, 1 + 1, 1 + 1, 1 + 1]),
    "Reduce": (1, [0, 0, 10, 10, 10]),
    "Allreduce": (1, [11, 11, 11, 11, 11]),
    "Reduce_scatter_block": (1, [3, 3, 2, 2, 2]),
    "Ibcast": (1, [0, 3 * 12, 0, 0, 0]),
}


def test_contributions(record: Record) -> None:
    done = record("intercommunicator.c", 5)
    ((name, size, remote),) = done.rows(
        "SELECT name, size, remote_size FROM communicators WHERE remote_size <> 0"
    )
    assert {size, remote} == {2, 3}
    for procedure, (calls, elements) in CONTRIBUTED.items():
        expected = {rank: (calls, sent * INT, 0) for rank, sent in enumerate(elements)}
        assert done.calls(f"MPI_{procedure}", str(name)) == expected, procedure
    assert done.calls("MPI_Wait", str(name)) == dict.fromkeys(range(5), (1, 0, 0))
    assert done.warnings == []
