"""What is lost to transfer, of programs whose run time on an ideal network follows from what they do."""

from __future__ import annotations

from collections.abc import Container

import pytest
from made_run import MadeRun

from golden import Golden
from rankwise.analysis.timing.efficiency import Split

STEPS, RANKS = 24, 4
WORK = 1.0
SOME = range(1, STEPS, 3)
"""Steps of a sample: each rank has its turn in as many of them."""


def assert_ideal(split: Split, run: MadeRun, seconds: float) -> None:
    """It tells how long the run would take on an ideal network, and its range holds that."""
    truth = seconds / max(run.clocks)
    assert split.transfer == pytest.approx(truth, abs=0.02)
    assert split.transfer_low - 1e-9 <= truth <= split.transfer_high + 1e-9
    assert split.serialisation_low <= split.serialisation <= split.serialisation_high


@pytest.mark.parametrize("kept", [None, SOME])
def test_who_leaves_late_comes_late(kept: Container[int] | None) -> None:
    """The work is the same; in turns one rank takes longer for the transfer, and the others wait for it."""
    run = MadeRun(RANKS, kept)
    for step in range(STEPS):
        run.compute([WORK] * RANKS)
        run.collective(step, [2.0 if step % RANKS == rank else 0.5 for rank in range(RANKS)])
    split = run.split
    assert_ideal(split, run, STEPS * WORK)
    assert split.serialisation == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("kept", [None, SOME])
def test_work_that_moves_is_serialisation(kept: Container[int] | None) -> None:
    """In turns each rank computes for longer: an ideal network would change nothing about that."""
    run = MadeRun(RANKS, kept)
    for step in range(STEPS):
        run.compute([4 * WORK if step % RANKS == rank else WORK for rank in range(RANKS)])
        run.collective(step, [0.1] * RANKS)
    assert_ideal(run.split, run, STEPS * 4 * WORK)


@pytest.mark.parametrize("kept", [None, SOME])
def test_late_by_both(kept: Container[int] | None) -> None:
    """One rank has more work, and leaves late; without transfer the others would wait for its work alone."""
    run = MadeRun(RANKS, kept)
    for step in range(STEPS):
        run.compute([2 * WORK, WORK, WORK, WORK])
        run.collective(step, [1.5, 0.5, 0.5, 0.5])
    split = run.split
    assert_ideal(split, run, STEPS * 2 * WORK)
    assert split.serialisation == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("kept", [None, SOME])
def test_ranks_that_compute_one_after_another(kept: Container[int] | None) -> None:
    """Each has to have what the one before sends, and transfer takes as long as the work."""
    run = MadeRun(RANKS, kept)
    for step in range(STEPS):
        for rank in range(RANKS):
            if rank:
                run.receive(step, rank, rank - 1, run.clocks[rank - 1], WORK)
            run.clocks[rank] += WORK
        run.collective(step, [0.0] * RANKS, "MPI_Barrier")
    split = run.split
    assert_ideal(split, run, STEPS * RANKS * WORK)
    assert split.serialisation == pytest.approx(1 / RANKS)


def test_a_ring() -> None:
    """The work is the same; in turns a message takes longer, and its receiver comes late with the next."""
    run = MadeRun(RANKS)
    for step in range(STEPS):
        run.compute([WORK] * RANKS)
        run.ring(step, [3.0 if step % RANKS == rank else 0.5 for rank in range(RANKS)])
    run.collective(STEPS, [0.0] * RANKS, "MPI_Barrier")
    assert_ideal(run.split, run, STEPS * WORK)


def test_a_ring_with_work_that_moves() -> None:
    """What each rank waits for the work of the one before it remains."""
    run, ideal = MadeRun(RANKS), [0.0] * RANKS
    for step in range(STEPS):
        work = [3 * WORK if (step * 3) % RANKS == rank else WORK for rank in range(RANKS)]
        run.compute(work)
        run.ring(step, [1.0 if (step * 3 + 1) % RANKS == rank else 0.25 for rank in range(RANKS)])
        ideal = [end + own for end, own in zip(ideal, work, strict=True)]
        ideal = [max(ideal[rank], ideal[rank - 1]) for rank in range(RANKS)]
    run.collective(STEPS, [0.0] * RANKS, "MPI_Barrier")
    assert_ideal(run.split, run, max(ideal))


def test_messages_of_a_sample(golden: Golden) -> None:
    """What was before a call of the sample is not known: it may all be transfer, or none of it."""
    run = MadeRun(RANKS, SOME)
    for step in range(STEPS):
        run.compute([WORK] * RANKS)
        run.ring(step, [3.0 if step % RANKS == rank else 0.5 for rank in range(RANKS)])
    efficiency = run.efficiency
    assert efficiency.split is None
    golden.says(efficiency.why_no_split, "60 % .. MPI .. transfer .. computing")
