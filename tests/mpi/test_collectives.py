"""Collectives: calls, bytes of each rank, sums and size bins of programs/collectives.c, on every MPI.

INVOCATIONS has the program's list; what each call must be booked with follows from the definitions in
docs/reference/profile-format.md, "Bytes", and the sums from the lower bounds that every process's share adds
up to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from libraries import Mpi
from recording import Record, Recording

from rankwise.profile.join.members import parse

pytestmark = pytest.mark.each_family

INT, DOUBLE, PAIR = 4, 8, 8
RANKS = 5

Booked = tuple[int, int]  # the message that the size bin goes by, and the bytes that this process contributes
Invocation = Callable[[int, int], Booked]  # of the rank and the number of processes


def same(message: int) -> Invocation:
    """Everybody contributes a block of this size."""
    return lambda _r, _p: (message, message)


def own(size: Callable[[int], int]) -> Invocation:
    """Everybody contributes a block of its own size."""
    return lambda r, _p: (size(r), size(r))


def bcast(message: int, root: Callable[[int], int]) -> Invocation:
    return lambda r, p: (message, message * (p - 1) if r == root(p) else 0)


def scatter(size: Callable[[int], int], root: Callable[[int], int]) -> Invocation:
    """The root contributes all blocks, and its message is their mean; the others' is their own block."""

    def booked(r: int, p: int) -> Booked:
        total = sum(size(i) for i in range(p))
        return (total // p, total) if r == root(p) else (size(r), 0)

    return booked


def alltoall(size: Callable[[int, int], int]) -> Invocation:
    """size(i, j) bytes go from i to j."""

    def booked(r: int, p: int) -> Booked:
        total = sum(size(r, j) for j in range(p))
        return total // p, total

    return booked


def scan(message: int) -> Invocation:
    """The last process's data goes nowhere."""
    return lambda r, p: (message, message if r < p - 1 else 0)


def first(_p: int) -> int:
    return 0


def second(_p: int) -> int:
    return 1


def last(p: int) -> int:
    return p - 1


INVOCATIONS: dict[str, list[Invocation]] = {
    "barrier": [same(0)],
    "bcast": [bcast(100 * INT, last), bcast(3 * PAIR, second), bcast(0, first)],
    "gather": [same(10 * INT), same(7 * INT)],
    "gatherv": [own(lambda r: 3 * r * INT)] * 2,
    "scatter": [scatter(lambda _: 6 * INT, last), scatter(lambda _: 4 * INT, second)],
    "scatterv": [scatter(lambda r: 2 * r * INT, second), scatter(lambda r: 2 * r * INT, last)],
    "allgather": [same(5 * INT), same(9 * INT)],
    "allgatherv": [own(lambda r: 2 * r * INT)] * 2,
    "alltoall": [alltoall(lambda _i, _j: 3 * INT), alltoall(lambda _i, _j: 2 * INT)],
    "alltoallv": [
        alltoall(lambda i, j: (2 * i + j) % 4 * INT),
        alltoall(lambda i, j: (i + j) % 3 * INT),
    ],
    "alltoallw": [
        alltoall(lambda i, j: (i + 2 * j) % 3 * (PAIR if j % 2 else INT)),
        alltoall(lambda i, j: (i + j) % 3 * PAIR),
    ],
    "reduce": [same(8 * DOUBLE), same(20 * DOUBLE)],
    "allreduce": [same(DOUBLE), same(1000 * DOUBLE), same(0)],
    "reduce_scatter": [own(lambda r: 2 * r * INT)] * 2,
    "reduce_scatter_block": [same(4 * INT), same(50 * INT)],
    "scan": [scan(3 * DOUBLE), scan(30 * DOUBLE)],
    "exscan": [scan(2 * DOUBLE), scan(16 * DOUBLE)],
}


def both(name: str) -> list[str]:
    """The blocking procedure and the one that starts it."""
    return [f"MPI_{name.capitalize()}", f"MPI_I{name}"]


def lower_bounds(p: int) -> dict[str, int]:
    """What the bytes of all processes must add up to, written out from the formulas."""
    v = sum(range(p))
    pairs = [(i, j) for i in range(p) for j in range(p)]
    return {
        "barrier": 0,
        "bcast": (p - 1) * (400 + 24 + 0),
        "gather": p * (40 + 28),
        "gatherv": 2 * 12 * v,
        "scatter": p * (24 + 16),
        "scatterv": 2 * 8 * v,
        "allgather": p * (20 + 36),
        "allgatherv": 2 * 8 * v,
        "alltoall": p * p * (12 + 8),
        "alltoallv": sum((2 * i + j) % 4 * 4 + (i + j) % 3 * 4 for i, j in pairs),
        "alltoallw": sum((i + 2 * j) % 3 * (8 if j % 2 else 4) + (i + j) % 3 * 8 for i, j in pairs),
        "reduce": p * (64 + 160),
        "allreduce": p * (8 + 8000),
        "reduce_scatter": 2 * 8 * v,
        "reduce_scatter_block": p * (16 + 200),
        "scan": (p - 1) * (24 + 240),
        "exscan": (p - 1) * (16 + 128),
    }


RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("collectives.c", RANKS)
    return RECORDED[mpi.name]


def test_bytes_sums_and_bins(done: Recording) -> None:
    members = {name: parse(text) for name, text in done.communicators().items()}
    assert sorted(members.values()) == [list(range(RANKS)), [1, 3], [4, 2, 0]]
    bins: dict[str, Counter[int]] = {}
    for name, invocations in INVOCATIONS.items():
        for procedure in both(name):
            for communicator, ranks in members.items():
                p = len(ranks)
                booked = {world: [call(r, p) for call in invocations] for r, world in enumerate(ranks)}
                expected = {w: (len(calls), sum(b for _, b in calls), 0) for w, calls in booked.items()}
                measured = done.calls(procedure, communicator)
                assert measured == expected, (procedure, communicator)
                total = sum(sent for _, sent, _ in measured.values())
                assert total == lower_bounds(p)[name], (procedure, communicator)
                sizes = [message for calls in booked.values() for message, _ in calls]
                bins.setdefault(procedure, Counter()).update(size.bit_length() for size in sizes)
    assert {procedure: Counter(done.bins(procedure)) for procedure in bins} == bins


def test_waits_are_on_the_communicator_of_the_collective(done: Recording) -> None:
    a_rank = sum(map(len, INVOCATIONS.values()))
    for communicator, text in done.communicators().items():
        assert done.calls("MPI_Wait", communicator) == dict.fromkeys(sorted(parse(text)), (a_rank, 0, 0))
    assert done.calls("MPI_Wait") == dict.fromkeys(range(RANKS), (2 * a_rank, 0, 0))


def test_nothing_contradicts_itself(done: Recording) -> None:
    assert done.messages() == {}
    assert done.warnings == []
    assert done.dropped == {}
