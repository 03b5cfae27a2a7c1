"""Cells of profiles whose every figure is known: sizes, times, waiting, what is side by side."""

from __future__ import annotations

import pytest
from made_profile import WORLD, Made

from rankwise.tuning.cells.cell import Cell, Traits
from rankwise.tuning.cells.find import cells

RANKS = 4


def _collective(
    made: Made, procedure: str, size: int, instances: int, waits: float, transfer: float, first: int = 1
) -> None:
    """Instances in which rank 3 comes `waits` late, and all leave `transfer` after that."""
    for number in range(first, first + instances):
        arrivals = [float(number)] * (RANKS - 1) + [number + waits]
        made.instance(procedure, number, arrivals, number + waits + transfer, size=size)
    for rank in range(RANKS):
        seconds = instances * (transfer + (waits if rank < RANKS - 1 else 0))
        made.call(rank, procedure, seconds, calls=instances, size_bin=size.bit_length())


def _only(made: Made) -> Cell:
    (cell,) = cells(made.connection)
    return cell


def test_waiting_is_not_tunable() -> None:
    made = Made(RANKS)
    _collective(made, "MPI_Allreduce", 4096, 10, waits=0.03, transfer=0.01)
    cell = _only(made)
    assert (cell.procedure, cell.processes, cell.calls) == ("MPI_Allreduce", RANKS, 10)
    assert (cell.low, cell.size, cell.high) == (4096, 4096, 4096)
    assert cell.seconds == pytest.approx(10 * (3 * 0.04 + 0.01))
    assert cell.tunable_seconds == pytest.approx(10 * 4 * 0.01)
    assert not cell.uneven


def test_how_late_ranks_come_is_kept_but_not_without_end() -> None:
    made = Made(RANKS)
    _collective(made, "MPI_Allreduce", 64, 10, waits=0.03, transfer=0.01)
    (grouping,) = _only(made).groupings
    assert dict(grouping.late) == pytest.approx({3: 0.03})
    made = Made(RANKS)
    _collective(made, "MPI_Allreduce", 64, 10, waits=0.5, transfer=0.01)
    (grouping,) = _only(made).groupings
    assert dict(grouping.late) == pytest.approx({3: 0.2})  # 20 calls


def test_who_shares_processors_comes_late_by_chance() -> None:
    made = Made(RANKS, cpus="0-1")
    _collective(made, "MPI_Allreduce", 64, 10, waits=0.03, transfer=0.01)
    (grouping,) = _only(made).groupings
    assert grouping.late == ()


def test_sizes_between_powers_of_two_are_one_cell() -> None:
    made = Made(RANKS)
    for place, size in enumerate((4096, 5000, 8191)):
        for number in range(1 + 10 * place, 11 + 10 * place):
            made.instance(
                "MPI_Bcast", number, [float(number)] * RANKS, number + 0.01 * (place + 1), size=size
            )
    for rank in range(RANKS):
        made.call(rank, "MPI_Bcast", 0.6, calls=30, size_bin=13)
    made.connection.execute("UPDATE arrivals SET root = 2")
    cell = _only(made)
    assert (cell.low, cell.size, cell.high, cell.calls) == (4096, 8191, 8191, 30)
    assert cell.groupings[0].root == 2


def test_sizes_that_the_sample_does_not_show() -> None:
    """All of the bin, or those whose messages inside were seen: clocks that differ leave no sample."""
    made = Made(RANKS)
    made.call(0, "MPI_Bcast", 0.1, size_bin=14)
    cell = _only(made)
    assert (cell.low, cell.size, cell.high) == (8192, 8192, 16383)
    made.connection.execute("DELETE FROM patterns")
    (procedure,) = made.connection.execute("SELECT id FROM procedures WHERE name = 'MPI_Bcast'").fetchone()
    for size, calls in ((9000, 2), (10000, 5), (12000, 1), (20000, 9)):
        made.connection.execute(
            "INSERT INTO patterns (communicator, procedure, size, calls, kept_call, complete)"
            " VALUES (?, ?, ?, ?, 1, 1)",
            (WORLD, procedure, size, calls),
        )
    cell = _only(made)
    assert (cell.low, cell.size, cell.high) == (9000, 10000, 12000)


def test_a_sample_stands_for_all_calls() -> None:
    made = Made(RANKS)
    for number in (1, 5):
        made.instance("MPI_Barrier", number, [1.0, 1.0, 1.0, 1.3], 1.4, size=0)
    for rank in range(RANKS):
        made.call(rank, "MPI_Barrier", 100.0, calls=1000)
    cell = _only(made)
    assert cell.seconds == pytest.approx(400)
    assert cell.tunable_seconds == pytest.approx(400 * 0.4 / 1.3)
    assert cell.calls == 1000


def test_communicators_side_by_side() -> None:
    made = Made(RANKS)
    parts = {10: ("0-1", "W_s1.*"), 11: ("2-3", "W_s1.*"), 12: ("0,2", "W_s2.*"), 13: ("1,3", "W_s2.*")}
    for key, (members, family) in parts.items():
        name = f"{family[:-1]}{key}"
        made.communicator(key, name, family=family, size=2, members=members, type="communicator")
    for rank in range(RANKS):
        made.call(rank, "MPI_Alltoall", 3.0, size_bin=4, communicator=10 + rank // 2)
        made.call(rank, "MPI_Alltoall", 1.0, size_bin=4, communicator=12 + rank % 2)
    cell = _only(made)
    assert [grouping.groups for grouping in cell.groupings] == [((0, 1), (2, 3)), ((0, 2), (1, 3))]
    assert [grouping.share for grouping in cell.groupings] == pytest.approx([0.75, 0.25])
    assert cell.tunable_seconds == cell.seconds == pytest.approx(16)


def test_a_communicator_that_is_made_again_and_again_is_one() -> None:
    made = Made(RANKS)
    for key in range(10, 20):
        made.communicator(key, f"W_d{key}", family="W_d*", type="communicator")
        for rank in range(RANKS):
            made.call(rank, "MPI_Allgather", 1.0, size_bin=4, communicator=key)
    cell = _only(made)
    assert [grouping.groups for grouping in cell.groupings] == [((0, 1, 2, 3),)]
    assert cell.calls == 10


def test_traits_come_from_all_communicators() -> None:
    made = Made(RANKS)
    _collective(made, "MPI_Allreduce", 64, 2, waits=0.0, transfer=0.01)
    assert _only(made).traits == Traits()  # everything is possible
    number = made.connection.execute("SELECT id FROM procedures WHERE name = 'MPI_Allreduce'").fetchone()[0]
    made.insert("collective_traits", communicator=WORLD, procedure=number, rounds=1)
    assert _only(made).traits == Traits(True, not_commutative=False, rounds=True, in_place=False)
    made.communicator(10, "W_d1", type="communicator")
    made.call(0, "MPI_Allreduce", 1.0, size_bin=7, communicator=10)
    assert _only(made).traits == Traits()


def test_what_rules_do_not_touch_is_no_cell() -> None:
    made = Made(RANKS)
    made.communicator(10, "W_s1.3", size=1, members="3", type="communicator")
    made.communicator(11, "W_i1", size=2, members="0-1", remote_size=2, type="communicator")
    for procedure, key in (("MPI_Allreduce", 10), ("MPI_Allreduce", 11), ("MPI_Iallreduce", WORLD)):
        made.call(3, procedure, 1.0, size_bin=4, communicator=key)
    made.call(0, "MPI_Send", 1.0, size_bin=4)
    assert cells(made.connection) == []
