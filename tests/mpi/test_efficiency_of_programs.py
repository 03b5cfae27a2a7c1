"""Efficiency and findings of programs that are late by construction, as their own clocks tell it."""

from __future__ import annotations

import pytest
from recording import Record, Recording

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.timing.efficiency import Efficiency
from rankwise.findings.search import findings

RANKS = 3
NEAR = 0.02  # that efficiencies may differ by


NEAR_IDEAL = 0.1  # that shares of the run time on an ideal network may differ by
BESIDE = 0.05  # that they may be beside the range that is told: the programs' own sums are in the run, too


def printed(done: Recording) -> tuple[float, float, float]:
    """Parallel efficiency, load balance and communication efficiency, by the clocks of the program."""
    lines = [line.split() for line in done.process.stdout.splitlines()]
    assert sorted(int(rank) for rank, *_ in lines) == list(range(RANKS))
    runs = [float(run) for _, run, _ in lines]
    useful = [float(run) - float(mpi) for _, run, mpi in lines]
    mean, most, longest = sum(useful) / RANKS, max(useful), max(runs)
    return mean / longest, mean / most, most / longest


def efficiency_of(done: Recording) -> Efficiency:
    with done.database as database:
        efficiency = Evidence(database).efficiency
    assert efficiency is not None
    return efficiency


def assert_as_told(efficiency: Efficiency, done: Recording) -> None:
    assert (efficiency.parallel, efficiency.load_balance, efficiency.communication) == pytest.approx(
        printed(done), abs=NEAR
    )
    assert efficiency.parallel == pytest.approx(efficiency.load_balance * efficiency.communication)


def test_work_that_is_shared_out_unevenly(record: Record) -> None:
    """Ranks compute for 1, 2 and 3 units, and the last one hardly waits."""
    done = record("efficient.c", RANKS, "uneven")
    efficiency = efficiency_of(done)
    assert_as_told(efficiency, done)
    assert efficiency.useful_most_rank == RANKS - 1
    assert efficiency.split is not None, efficiency.why_no_split
    assert efficiency.split.serialisation * efficiency.split.transfer == pytest.approx(
        efficiency.communication
    )
    # It is no serialisation that they wait for rank 2: who has the most to do waits for nobody.
    assert efficiency.split.serialisation > 0.7


def test_ranks_that_compute_one_after_another(record: Record) -> None:
    """Each computes while the other two wait, in their receives or in the barrier."""
    done = record("efficient.c", RANKS, "chain")
    efficiency = efficiency_of(done)
    assert_as_told(efficiency, done)
    assert efficiency.split is not None, efficiency.why_no_split
    assert efficiency.split.serialisation < 0.5  # it is a third
    assert efficiency.split.transfer > efficiency.split.serialisation


@pytest.mark.reported("verdict/pop")
@pytest.mark.parametrize("how", ["moving", "bulk", "both", "ring", "wave"])
def test_run_time_on_an_ideal_network(record: Record, how: str) -> None:
    """Waiting for work is serialisation, waiting for those whom transfer has made late is transfer."""
    done = record("ideal.c", RANKS, how)
    [line] = done.process.stdout.splitlines()
    ideal = float(line.removeprefix("IDEAL "))
    split = efficiency_of(done).split
    assert split is not None
    assert split.transfer == pytest.approx(ideal, abs=NEAR_IDEAL)
    assert split.transfer_low - BESIDE <= ideal <= split.transfer_high + BESIDE


def test_regions_contain_those_nested_in_them(record: Record) -> None:
    done = record("efficient.c", RANKS, "nested")
    with done.database as database:
        regions = {region.region: region for region in Evidence(database).regions}
    outer, inner = regions["outer"], regions["outer/inner"]
    assert (outer.ranks, inner.ranks) == (RANKS, RANKS)
    # All is in the outer region, all that is MPI in the inner one.
    parallel, balance, communication = printed(done)
    assert (outer.parallel, outer.load_balance, outer.communication) == pytest.approx(
        (parallel, balance, communication), abs=2 * NEAR
    )
    assert inner.parallel < 0.2


def test_the_late_rank_is_found(record: Record) -> None:
    done = record("waiting.c", RANKS, "one")
    with done.database as database:
        answer = findings(Evidence(database))
    [late] = [entry.finding for entry in answer.found if entry.finding.rule == "late-ranks"]
    assert late.title.startswith("Rank 1 arrives late")
    # What the others waited for it, as the program has noted; and in a few other calls.
    caused = {int(line.split()[2]): float(line.split()[6]) for line in done.process.stdout.splitlines()}
    assert late.saved_seconds == pytest.approx(caused[1], rel=0.2, abs=0.05)
