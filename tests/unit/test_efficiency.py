"""POP metrics of profiles whose times are made up: every value follows from them by hand."""

from __future__ import annotations

import pytest
from made_profile import Made

from golden import Golden
from rankwise.analysis.timing.efficiency import Efficiency, Split

ALWAYS = 0.03  # that transfer may be off by


def of(made: Made) -> Efficiency:
    efficiency = made.seen.efficiency
    assert efficiency is not None
    return efficiency


def split_of(made: Made) -> Split:
    efficiency = of(made)
    assert efficiency.split is not None, efficiency.why_no_split
    assert efficiency.split.serialisation * efficiency.split.transfer == pytest.approx(
        efficiency.communication
    )
    return efficiency.split


def test_useful_time_shared_out_unevenly() -> None:
    made = Made()
    for rank, seconds in enumerate((8.0, 7.0, 6.0, 1.0)):  # useful: 2, 3, 4, 9 of 10 s
        made.call(rank, "MPI_Allreduce", seconds)
    efficiency = of(made)
    assert (efficiency.region, efficiency.ranks, efficiency.seconds) == ("", 4, 10.0)
    assert efficiency.useful_mean_seconds == pytest.approx(4.5)
    assert (efficiency.useful_most_seconds, efficiency.useful_most_rank) == (pytest.approx(9.0), 3)
    assert efficiency.parallel == pytest.approx(0.45)
    assert efficiency.load_balance == pytest.approx(0.5)
    assert efficiency.communication == pytest.approx(0.9)
    assert efficiency.parallel == pytest.approx(efficiency.load_balance * efficiency.communication)


def test_the_run_is_that_of_the_longest_rank() -> None:
    efficiency = of(Made(2, runs=(5.0, 10.0)))
    assert (efficiency.seconds, efficiency.parallel, efficiency.load_balance) == (10.0, 0.75, 0.75)


def test_time_in_mpi_is_taken_by_threads() -> None:
    made = Made(2, threads=4)
    made.call(0, "MPI_Allreduce", 20.0)  # 5 s on each of 4 threads
    assert of(made).parallel == pytest.approx(0.75)


def test_init_and_finalize_are_left_out() -> None:
    made = Made(2)
    made.call(0, "MPI_Init", 3.0)
    assert of(made).parallel == 1.0


def test_without_time_there_is_none() -> None:
    assert Made(2, runs=(0.0, 0.0)).seen.efficiency is None


def test_imbalance_is_no_serialisation() -> None:
    """Rank 3 computes for 8 s, the others for 4 s and wait for it; all transfer for 2 s."""
    made = Made()
    for rank in range(4):
        made.call(rank, "MPI_Allreduce", 2.0 if rank == 3 else 6.0)
    made.instance("MPI_Allreduce", 1, (4.0, 4.0, 4.0, 8.0), 10.0)
    split = split_of(made)
    assert (split.waiting_seconds, split.transfer_seconds) == (pytest.approx(12.0), pytest.approx(8.0))
    assert split.ideal_seconds == pytest.approx(8.0)
    assert split.serialisation == pytest.approx(1.0)
    assert split.transfer == split.transfer_low == pytest.approx(0.8)  # (rank 3 computes for 8 of 10 s)
    assert split.transfer_high == pytest.approx(0.8 + ALWAYS)


def test_one_after_another_is_serialisation() -> None:
    """Each rank computes for 2.5 s, when the one before has sent: nothing is lost to transfer or balance."""
    made = Made()
    for rank in range(1, 4):
        made.call(rank, "MPI_Recv", 2.5 * rank, size_bin=4)
        made.wait(rank, "MPI_Recv", rank - 1, 0.0, 2.5 * rank, 2.5 * rank)
    for rank in range(3):
        made.call(rank, "MPI_Barrier", 7.5 - 2.5 * rank)
    made.call(3, "MPI_Barrier", 0.0)
    made.instance("MPI_Barrier", 1, (2.5, 5.0, 7.5, 10.0), 10.0)
    split = split_of(made)
    assert of(made).load_balance == pytest.approx(1.0)
    assert split.serialisation == pytest.approx(0.25)
    assert split.transfer == pytest.approx(1.0)


def test_posting_is_transfer() -> None:
    made = Made(2)
    for rank in range(2):
        made.call(rank, "MPI_Isend", 1.5, size_bin=4)
        made.call(rank, "MPI_Ibcast", 0.5, size_bin=4)
    assert split_of(made).transfer == pytest.approx(0.8)


def test_what_is_not_known_is_a_range() -> None:
    """Of 2 s in MPI of each rank half is known: a fourth of it was waiting."""
    made = Made(2)
    for rank in range(2):
        made.call(rank, "MPI_Barrier", 1.0)
        made.call(rank, "MPI_Win_fence", 1.0)
    made.instance("MPI_Barrier", 1, (0.5, 1.0), 1.5)  # 1 s and 0.5 s in it, 0.5 s of them waiting
    split = of(made).split
    assert split is not None
    waited = 0.5  # of 1 s of rank 0
    assert split.waiting_seconds == pytest.approx(waited)
    assert split.unknown_seconds == pytest.approx(2.0)
    assert split.transfer_low == pytest.approx(0.8)  # ranks compute for 8 of 10 s
    assert split.transfer_high == pytest.approx((10 - (2 - waited) / 2) / 10 + ALWAYS)
    assert split.transfer_low < split.transfer < split.transfer_high


def test_what_is_hardly_known_is_not_told(golden: Golden) -> None:
    made = Made(2)
    for rank in range(2):
        made.call(rank, "MPI_Win_fence", 4.0)
    efficiency = of(made)
    assert efficiency.split is None
    golden.says(efficiency.why_no_split, "100 % .. MPI")
    assert efficiency.communication == pytest.approx(0.6)


def test_regions_are_inclusive() -> None:
    made = Made(2)
    made.region(1, "solve", {0: (8.0, 5.0), 1: (6.0, 4.0)})
    made.region(2, "solve/exchange", {0: (3.0, 3.0), 1: (2.0, 2.0)}, parent=1)
    for rank, (outer, inner) in enumerate(((1.0, 2.0), (0.5, 0.5))):
        made.call(rank, "MPI_Allreduce", outer, region=1)
        made.call(rank, "MPI_Waitall", inner, region=2)
        made.call(rank, "MPI_Bcast", 0.25)  # in none of them
    solve, exchange = made.seen.regions
    assert (solve.region, exchange.region) == ("solve", "solve/exchange")
    assert (solve.seconds, exchange.seconds) == (8.0, 3.0)
    # Useful: 8 - 1 - 2 and 6 - 0.5 - 0.5; 3 - 2 and 2 - 0.5.
    assert solve.load_balance == pytest.approx(1.0)
    assert solve.parallel == pytest.approx(5 / 8)
    assert exchange.useful_most_rank == 1
    assert exchange.load_balance == pytest.approx(1.25 / 1.5)
    assert exchange.communication == pytest.approx(1.5 / 3)
    assert solve.split is None
    assert solve.why_no_split


def test_ranks_that_never_enter_a_region_are_not_in_it() -> None:
    made = Made(4)
    made.region(1, "io", {2: (2.0, 2.0)})
    [region] = made.seen.regions
    assert (region.ranks, region.parallel, region.load_balance) == (1, 1.0, 1.0)
