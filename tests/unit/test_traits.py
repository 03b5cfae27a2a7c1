"""Traits of collectives joined over the members, of counters and profiles that may not have them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from assembled import made, rows
from synthetic import IDS, NONE, OTHER, PART, WORLD, Process, small_world

from rankwise.__main__ import main
from rankwise.analysis.collectives.traits import CallTraits, traits
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.store.database import open_profile

KNOWN = CONSTANTS["TRAITS_KNOWN"]
NOT_COMMUTATIVE = CONSTANTS["TRAITS_NOT_COMMUTATIVE"]
ROUNDS = CONSTANTS["TRAITS_ROUNDS"]
IN_PLACE = CONSTANTS["TRAITS_IN_PLACE"]


def recorded(procedure: str, bits: int, communicator: int = WORLD) -> dict[str, int]:
    """Make the record of a collective on a process."""
    return {"communicator": communicator, "procedure": IDS[procedure], "traits": bits}


def world(*of_ranks: Sequence[dict[str, int]]) -> list[Process]:
    """Make a run of processes with these records."""
    processes = small_world(len(of_ranks))
    for process, records in zip(processes, of_ranks, strict=True):
        process.arrival_tables += records
    return processes


def known(path: Path) -> Mapping[tuple[str, str], CallTraits]:
    """Read the traits by the names of communicator and procedure."""
    with closing(open_profile(path)) as connection:
        communicators = dict(connection.execute("SELECT id, name FROM communicators").fetchall())
        procedures = dict(connection.execute("SELECT id, name FROM procedures").fetchall())
        by_ids = traits(connection)
    return {
        (communicators[communicator], procedures[procedure]): value
        for (communicator, procedure), value in by_ids.items()
    }


def test_any_member_counts(tmp_path: Path) -> None:
    path = made(
        tmp_path,
        world(
            [recorded("MPI_Gather", KNOWN), recorded("MPI_Reduce", KNOWN | ROUNDS)],
            [recorded("MPI_Gather", KNOWN | IN_PLACE), recorded("MPI_Reduce", KNOWN | ROUNDS)],
            # In another order.
            [recorded("MPI_Reduce", KNOWN | ROUNDS | NOT_COMMUTATIVE), recorded("MPI_Gather", KNOWN)],
        ),
    ).path
    assert known(path) == {
        ("W", "MPI_Gather"): CallTraits(not_commutative=False, rounds=False, in_place=True),
        ("W", "MPI_Reduce"): CallTraits(not_commutative=True, rounds=True, in_place=False),
    }
    assert rows(path, "SELECT not_commutative, rounds, in_place FROM collective_traits ORDER BY rounds") == [
        (0, 0, 1),
        (1, 1, 0),
    ]


def test_communicators_are_apart(tmp_path: Path) -> None:
    # Ranks 0 and 2 have one of the parts, 1 and 3 the other.
    bits = (KNOWN, KNOWN | ROUNDS, KNOWN, KNOWN | IN_PLACE)
    path = made(tmp_path, world(*([recorded("MPI_Allreduce", flags, PART)] for flags in bits))).path
    nothing = CallTraits(not_commutative=False, rounds=False, in_place=False)
    both = CallTraits(not_commutative=False, rounds=True, in_place=True)
    assert known(path) == {("W_s1.0", "MPI_Allreduce"): nothing, ("W_s1.1", "MPI_Allreduce"): both}


@pytest.mark.parametrize(
    "second",
    [
        [],
        [recorded("MPI_Bcast", KNOWN)],
        [recorded("MPI_Allreduce", 0)],
        [recorded("MPI_Allreduce", ROUNDS)],
        [recorded("MPI_Allreduce", KNOWN), recorded("MPI_Allreduce", 0)],
        [recorded("MPI_Allreduce", KNOWN, OTHER)],
    ],
    ids=["no-record", "other-procedure", "older-counters", "damaged", "one-of-two", "other-communicator"],
)
def test_what_a_member_does_not_tell_is_not_known(tmp_path: Path, second: list[dict[str, int]]) -> None:
    path = made(tmp_path, world([recorded("MPI_Allreduce", KNOWN)], second)).path
    assert known(path) == {}


def test_a_member_is_lost(tmp_path: Path) -> None:
    processes = world(*[[recorded("MPI_Gather", KNOWN)]] * 3)
    assert known(made(tmp_path, processes[:2]).path) == {}


def test_a_member_has_switched_itself_off(tmp_path: Path) -> None:
    processes = world(*[[recorded("MPI_Gather", KNOWN)]] * 3)
    processes[1].header["state"] = CONSTANTS["STATE_SWITCHED_OFF"]
    assert known(made(tmp_path, processes).path) == {}


def test_damaged_records_are_passed_over(tmp_path: Path) -> None:
    damaged = [
        recorded("MPI_Send", KNOWN),
        {"communicator": WORLD, "procedure": 65535, "traits": KNOWN},
        recorded("MPI_Barrier", KNOWN, 4711),
        recorded("MPI_Barrier", KNOWN, NONE),
    ]
    sound = recorded("MPI_Barrier", 2**64 - 1 - NOT_COMMUTATIVE)
    path = made(tmp_path, world([*damaged, sound], [sound, *damaged])).path
    assert known(path) == {
        ("W", "MPI_Barrier"): CallTraits(not_commutative=False, rounds=True, in_place=True)
    }


def test_a_profile_that_lacks_the_table_is_damaged(tmp_path: Path) -> None:
    path = made(tmp_path, world([])).path
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE collective_traits")
    assert main(["show", str(path)]) != 0
