"""Traits of collectives: operations and buffers of programs/traits.c and fortran_traits.f90, on every MPI."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from libraries import Mpi
from recording import Record, Recording

from rankwise.analysis.collectives.traits import CallTraits, traits
from rankwise.profile.store.database import open_profile

RANKS = 3

NOTHING = CallTraits(not_commutative=False, rounds=False, in_place=False)
IN_PLACE = CallTraits(not_commutative=False, rounds=False, in_place=True)
ROUNDS = CallTraits(not_commutative=False, rounds=True, in_place=False)
NOT_COMMUTATIVE = CallTraits(not_commutative=True, rounds=True, in_place=False)
ALL = CallTraits(not_commutative=True, rounds=True, in_place=True)

REDUCTIONS = ("Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan")
MOVES = ("Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall", "Alltoallv")
MOVES = (*MOVES, "Alltoallw")

ALLREDUCE = {
    "whole numbers": NOTHING,
    "exact": NOTHING,
    "float": ROUNDS,
    "double": ROUNDS,
    "long double": ROUNDS,
    "float complex": ROUNDS,
    "double complex": ROUNDS,
    "in between": ROUNDS,
    "first of the handle": ROUNDS,
    "second of the handle": NOT_COMMUTATIVE,
    "third of the handle": ROUNDS,
    "commutes": ROUNDS,
    "paused": NOT_COMMUTATIVE,
    "failing": NOTHING,
}

# Of moves and of reductions.
EVERY = {
    "plain": (NOTHING, NOTHING),
    "in place": (IN_PLACE, IN_PLACE),
    "not commutative": (NOTHING, NOT_COMMUTATIVE),
    "all": (IN_PLACE, ALL),
}


def known(recording: Recording) -> dict[tuple[str, str], CallTraits]:
    """The traits by the communicator's own name, and the procedure's without MPI_."""
    names = dict(recording.rows("SELECT id, user_name FROM communicators"))
    procedures = dict(recording.rows("SELECT id, name FROM procedures"))
    with closing(open_profile(recording.path)) as connection:
        by_call = traits(connection)
    return {
        (str(names[communicator]), str(procedures[procedure]).removeprefix("MPI_")): value
        for (communicator, procedure), value in by_call.items()
    }


RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("traits.c", RANKS)
    return RECORDED[mpi.name]


def test_of_every_call(done: Recording) -> None:
    expected = {(name, "Allreduce"): value for name, value in ALLREDUCE.items()}
    for name, (of_moves, of_reductions) in EVERY.items():
        expected |= {(name, procedure): NOTHING for procedure in ("Barrier", "Bcast")}
        expected |= {(name, procedure): of_moves for procedure in MOVES}
        expected |= {(name, procedure): of_reductions for procedure in REDUCTIONS}
    # (Neither of the non-blocking call nor on MPI_COMM_SELF.)
    assert known(done) == expected
    assert done.warnings == []


def test_the_library_has_the_types(done: Recording, mpi: Mpi) -> None:
    match = re.search(r"whole numbers: (\d+)", done.process.stdout)
    assert match
    assert int(match[1]) >= 21, mpi.name


def test_no_more_records(record: Record) -> None:
    done = record("traits.c", RANKS, "many")
    assert known(done) == {(str(number), "Barrier"): NOTHING for number in range(256)}
    assert len(done.rows("SELECT id FROM communicators WHERE user_name <> ''")) >= 300


def test_of_fortran(record: Record) -> None:
    done = record("fortran_traits.f90", RANKS)
    assert known(done) == {
        ("whole", "Allreduce"): NOTHING,
        ("fraction", "Allreduce"): ROUNDS,
        ("exact", "Allreduce"): NOTHING,
        ("in place", "Allreduce"): IN_PLACE,
        ("not commutative", "Allreduce"): NOT_COMMUTATIVE,
        ("commutes", "Allreduce"): ROUNDS,
    }
