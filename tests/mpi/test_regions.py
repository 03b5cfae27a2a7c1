"""Regions and pauses by MPI_Pcontrol: programs/pcontrol.c, on every MPI."""

from __future__ import annotations

import pytest
from libraries import Mpi
from recording import Record, Recording

RANKS = range(2)

# Region: times entered, size of the broadcasts in it and their number, and the least seconds inside.
REGIONS = {
    "outer": (1, {1: 1, 4: 1}, 0.07),
    "inner": (1, {2: 2}, 0.05),
    "again and again": (3, {8: 3}, 0),
    "recursive": (2, {16: 1}, 0.03),
    "outside": (1, {32: 1}, 0),
    "not left": (1, {64: 1}, 0),
    "to the end": (1, {128: 1}, 0.01),
}

NAMES = "SELECT name FROM regions WHERE id NOT IN (0, 4095)"  # not the whole program, not (other)

RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("pcontrol.c", len(RANKS))
    return RECORDED[mpi.name]


def calls_in_regions(done: Recording, procedure: str) -> dict[tuple[int, str, str], tuple[int, int, int]]:
    """(calls, bytes sent, bytes received) by rank, region and communicator; region '' = none."""
    rows = done.rows(
        """SELECT rank, CASE region WHEN 0 THEN '' ELSE regions.name END, communicators.name,
                  sum(calls), sum(bytes_sent), sum(bytes_received)
           FROM calls JOIN procedures ON procedures.id = calls.procedure
           JOIN communicators ON communicators.id = calls.communicator
           JOIN regions ON regions.id = calls.region
           WHERE procedures.name = ? GROUP BY rank, region, calls.communicator""",
        procedure,
    )
    return {(rank, region, on): (calls, sent, got) for rank, region, on, calls, sent, got in rows}  # type: ignore[misc]


def test_calls_are_in_the_innermost_region(done: Recording) -> None:
    expected = {}
    for region, (_, sizes, _) in REGIONS.items():
        calls, sent = sum(sizes.values()), sum(size * times for size, times in sizes.items())
        expected[0, region, "W"] = (calls, sent, 0)
        expected[1, region, "W"] = (calls, 0, 0)
    assert calls_in_regions(done, "MPI_Bcast") == expected
    # Two around "outer", one behind the regions, one behind the calls without an argument; none while paused.
    # It first closes "to the end".
    assert calls_in_regions(done, "MPI_Finalize") == {(rank, "", "(none)"): (1, 0, 0) for rank in RANKS}
    assert calls_in_regions(done, "MPI_Barrier") == {(rank, "", "W"): (4, 0, 0) for rank in RANKS}


def test_entries_and_times(done: Recording) -> None:
    assert {name for (name,) in done.rows(NAMES)} == REGIONS.keys()
    rows = done.rows(
        """SELECT rank, name, entries, seconds FROM region_times JOIN regions ON regions.id = region
           WHERE region <> 0"""
    )
    assert {(rank, name): entries for rank, name, entries, _ in rows} == {
        (rank, name): entries for rank in RANKS for name, (entries, _, _) in REGIONS.items()
    }
    walls = dict(done.rows("SELECT rank, wall FROM ranks"))
    seconds = {(rank, name): float(str(time)) for rank, name, _, time in rows}
    for (rank, name), time in seconds.items():
        assert REGIONS[str(name)][2] <= time < float(str(walls[rank]))  # type: ignore[index]
    for rank in RANKS:
        assert seconds[rank, "inner"] < seconds[rank, "outer"]
        whole = done.rows("SELECT entries, seconds FROM region_times WHERE region = 0 AND rank = ?", rank)
        assert whole[0][0] == 1
        outermost = sum(
            time for (r, name), time in seconds.items() if r == rank and name not in ("inner", "not left")
        )
        assert outermost < float(str(whole[0][1])) <= float(str(walls[rank]))  # type: ignore[index]


def test_pauses(done: Recording) -> None:
    # Sent in the pause: not counted. Posted before it: counted, with what came in it. Posted in it: not.
    assert calls_in_regions(done, "MPI_Send") == {(0, "", "W"): (1, 200, 0)}
    assert calls_in_regions(done, "MPI_Irecv") == {(1, "", "W"): (1, 0, 100)}
    assert done.messages() == {(0, 1): (1, 200)}
    # The second wait is for a receive that was posted in the pause: it knows its communicator all the same.
    assert calls_in_regions(done, "MPI_Wait") == {(1, "", "W"): (1, 0, 0)}
    # A communicator that is made in a pause has its name, though the call isn't counted.
    assert done.calls("MPI_Comm_dup") == {}
    assert calls_in_regions(done, "MPI_Allreduce") == {(rank, "", "W_d1"): (1, 3, 0) for rank in RANKS}
    assert done.dropped == {}


def test_absent_argument_behind_a_name(record: Record) -> None:
    assert record("pcontrol.c", 1, "behind").rows(NAMES) == []
