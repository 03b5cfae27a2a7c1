"""Neighbourhood collectives: each call and byte of programs/neighbourhood.c, on every MPI.

Every process contributes what it sends to the neighbours that exist: nothing goes to MPI_PROC_NULL.
"""

from __future__ import annotations

from collections import Counter

import pytest
from libraries import Mpi
from recording import Record, Recording

RANKS = range(4)
INT, PAIR = 4, 8

# Real destinations of each rank, by communicator; a destination that is a neighbour twice counts twice.
GRAPH = {0: [1, 2, 3], 1: [2], 2: [0, 2], 3: []}
ROW = {0: [1], 1: [0, 2], 2: [1, 3], 3: [2]}
DESTINATIONS = {
    "W_a1": {0: [2, 1], 1: [3, 0], 2: [0, 3], 3: [1, 2]},
    "W_a2": {r: [*to, r, r] for r, to in ROW.items()},
    "W_a3": {r: [(r - 1) % 4, (r + 1) % 4] for r in RANKS},
    "W_j4": GRAPH,
    "W_r5": GRAPH,
    "W_h6": {0: [1, 2, 3], 1: [0, 2], 2: [0, 1], 3: [0]},
    "W_a7_d1": ROW,
}
TOPOLOGIES = {
    "W_a1": "cart",
    "W_a2": "cart",
    "W_a3": "cart",
    "W_j4": "dist_graph",
    "W_r5": "dist_graph",
    "W_h6": "graph",
    "W_a7": "cart",
    "W_a7_d1": "cart",
}


def booked(name: str, rank: int, to: list[int]) -> tuple[int, int]:
    """The message that the size bin goes by, and the bytes sent."""
    if name == "allgather":
        return 5 * INT, 5 * INT * len(to)
    if name == "allgatherv":
        return 2 * rank * INT, 2 * rank * INT * len(to)
    if name == "alltoall":
        return (3 * INT if to else 0), 3 * INT * len(to)
    counts = [(rank + 2 * d) % 4 for d in to]
    if name == "alltoallv":
        total = sum(counts) * INT
    else:
        total = sum(count * (PAIR if d % 2 else INT) for count, d in zip(counts, to, strict=True))
    return (total // len(to) if to else 0), total


RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("neighbourhood.c", len(RANKS))
    return RECORDED[mpi.name]


def test_bytes_and_bins(done: Recording) -> None:
    for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"):
        for procedure in (f"MPI_Neighbor_{name}", f"MPI_Ineighbor_{name}"):
            bins: Counter[int] = Counter()
            for communicator, destinations in DESTINATIONS.items():
                expected = {rank: booked(name, rank, to) for rank, to in destinations.items()}
                measured = done.calls(procedure, communicator)
                assert measured == {r: (1, sent, 0) for r, (_, sent) in expected.items()}, (
                    procedure,
                    communicator,
                )
                bins.update(message.bit_length() for message, _ in expected.values())
            assert Counter(done.bins(procedure)) == bins, procedure


def test_formulas(done: Recording) -> None:
    for communicator, destinations in DESTINATIONS.items():
        edges = sum(map(len, destinations.values()))
        for name, message in (("allgather", 5 * INT), ("alltoall", 3 * INT)):
            for procedure in (f"MPI_Neighbor_{name}", f"MPI_Ineighbor_{name}"):
                assert (
                    sum(sent for _, sent, _ in done.calls(procedure, communicator).values())
                    == edges * message
                )


def test_topologies(done: Recording) -> None:
    assert dict(done.rows("SELECT name, topology FROM communicators WHERE id > 3")) == TOPOLOGIES
    dims = "SELECT name, dims, periods FROM communicators WHERE topology = 'cart' ORDER BY name"
    assert done.rows(dims) == [
        ("W_a1", "[2, 2]", "[0, 0]"),
        ("W_a2", "[4, 1]", "[0, 1]"),
        ("W_a3", "[1, 4]", "[0, 1]"),
        ("W_a7", "[4, 1]", "[0, 0]"),
        ("W_a7_d1", "[4, 1]", "[0, 0]"),
    ]


def test_nothing_contradicts_itself(done: Recording) -> None:
    for communicator in DESTINATIONS:
        assert done.calls("MPI_Wait", communicator) == dict.fromkeys(RANKS, (5, 0, 0))
    assert done.warnings == []
    assert done.dropped == {}


@pytest.mark.only_on(lambda mpi: mpi.family == "openmpi", "it does not accept MPI_DATATYPE_NULL here")
def test_no_type_for_nobody(record: Record) -> None:
    done = record("neighbourhood.c", len(RANKS), "no type")
    assert done.calls("MPI_Neighbor_alltoallv") == {r: (1, 0 if r else 3 * INT, 0) for r in RANKS}


def test_graph_of_a_grid(record: Record) -> None:
    done = record("neighbourhood.c", len(RANKS), "graph")
    rows = done.rows("SELECT name, topology, dims FROM communicators WHERE id > 3 ORDER BY id")
    assert rows == [("W_a1", "cart", "[2, 2]"), ("W_a1_j1", "dist_graph", "[]")]
    assert done.dropped == {}
