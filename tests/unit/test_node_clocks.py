"""The clocks of nodes: ticks of several counters become seconds of one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rankwise.profile.collect.arrival_sample import is_kept, thinned_out
from rankwise.profile.collect.clock import Clock, Stamp
from rankwise.profile.collect.counters import Comparison
from rankwise.profile.collect.layout import ARRIVAL, ARRIVAL_TABLE
from rankwise.profile.join.node_clocks import NodeClock, node_clocks

GHZ = 10**9
STARTED_NS = 1_000 * GHZ
NONE = Comparison(0, 0, 0)


def process(
    clock: int,
    ticks: int,
    rate: float = GHZ,
    reference: int = 0,
    at_start: Comparison = NONE,
    at_stop: Comparison = NONE,
    later_ns: int = 0,
) -> tuple[Any, Clock]:
    """A process whose counter showed `ticks` when it began, and its clock."""
    first = Stamp(ticks, 5 * GHZ + later_ns, STARTED_NS + later_ns)
    last = Stamp(ticks + round(100 * rate), 105 * GHZ + later_ns, STARTED_NS + 100 * GHZ + later_ns)
    header = SimpleNamespace(
        clock=clock,
        host=f"n{clock}",
        reference=reference,
        at_start=at_start,
        at_stop=at_stop,
        stamps={"loaded": first, "stopped": last},
    )
    return SimpleNamespace(header=header), Clock(rate, first)


def clocks_of(*processes: tuple[Any, Clock]) -> dict[int, NodeClock]:
    world = {rank: counters for rank, (counters, _) in enumerate(processes)}
    return node_clocks(world, {rank: clock for rank, (_, clock) in enumerate(processes)}, STARTED_NS)


def seconds(clock: NodeClock, ticks: int) -> float:
    return float(clock.of(np.array([ticks], np.uint64))[0])


def test_processes_of_a_node_have_one_clock() -> None:
    ours = clocks_of(process(7, 1000), process(7, 1000 + GHZ, later_ns=GHZ))
    assert ours[0] == ours[1]
    assert seconds(ours[1], 1000 + 3 * GHZ) == pytest.approx(3.0)
    assert ours[0].largest_error == 0
    assert ours[0].ahead == 0


def test_a_clock_that_drifts_between_two_comparisons() -> None:
    """Node 8 counts twice as fast, and 10 ppm more than that; it was compared at 1 s and at 91 s."""
    rate = 2 * GHZ * (1 + 1e-5)
    begin = 5 * 10**15
    start = Comparison(begin, 1 * GHZ, round(4e-6 * rate))
    stop = Comparison(begin + round(90 * rate), 91 * GHZ, round(8e-6 * rate))
    # Its stamps were taken by a wall clock that is wrong, and do not tell of the drift.
    own = process(8, begin - 2 * GHZ, 2 * GHZ, reference=7, at_start=start, at_stop=stop)
    ours = clocks_of(process(7, 0), own)
    for second in (1.0, 46.0, 91.0):
        assert seconds(ours[1], begin + round((second - 1) * rate)) == pytest.approx(second, abs=1e-8)
    assert ours[1].group == ours[0].group
    assert ours[1].error_at(1.0) == pytest.approx(2e-6, rel=1e-3)
    assert ours[1].error_at(46.0) == pytest.approx(3e-6, rel=1e-3)
    assert ours[1].largest_error == pytest.approx(4e-6, rel=1e-3)


def test_a_clock_that_was_compared_once() -> None:
    start = Comparison(10 * GHZ, 1 * GHZ, 4000)
    ours = clocks_of(process(7, 0), process(8, 9 * GHZ, reference=7, at_start=start))
    assert seconds(ours[1], 20 * GHZ) == pytest.approx(11.0)
    # How it drifts is not known.
    assert ours[1].error_at(1.0) == pytest.approx(2e-6)
    assert ours[1].error_at(11.0) == pytest.approx(2e-6 + 1e-4)
    # Its last stamp was 100 s after the first one, which was 1 s before the comparison.
    assert ours[1].largest_error == pytest.approx(2e-6 + 99e-5)


def test_errors_add_up_along_the_tree() -> None:
    eight = process(8, 0, reference=7, at_start=Comparison(1 * GHZ, 1 * GHZ, 4000))
    nine = process(9, 0, reference=8, at_start=Comparison(1 * GHZ, 1 * GHZ, 6000))
    assert clocks_of(process(7, 0), nine, eight)[1].error == pytest.approx(5e-6)


def test_nodes_that_were_not_compared() -> None:
    ours = clocks_of(process(7, 0), process(8, 0), process(7, 0))
    assert ours[0].group == ours[2].group != ours[1].group
    assert ours[1].ahead is None


def test_a_wall_clock_that_is_ahead() -> None:
    counters, clock = process(8, 0, reference=7, at_start=Comparison(1 * GHZ, 1 * GHZ, 4000))
    wrong = replace(clock, anchor=clock.anchor._replace(realtime_ns=STARTED_NS + 3 * GHZ))
    world = {0: process(7, 0)[0], 1: counters}
    ours = node_clocks(world, {0: process(7, 0)[1], 1: wrong}, STARTED_NS)
    assert ours[1].ahead == pytest.approx(3.0)


def test_members_thin_their_samples_out_alike() -> None:
    numbers = np.arange(1, 129, dtype=np.uint64)
    tables, rows = np.zeros(1, ARRIVAL_TABLE), np.zeros(128, ARRIVAL)
    rows["instance"] = numbers
    thinner, kept = thinned_out(tables, rows, 16)
    assert 4 < len(kept) <= 16
    shift = int(thinner["shift"][0])
    assert kept["instance"].tolist() == numbers[is_kept(numbers, np.full(128, shift))].tolist()
    # One that has kept less already comes to the same.
    less = rows[is_kept(numbers, np.full(128, 1))]
    assert set(thinned_out(tables, less, 16)[1]["instance"].tolist()) >= set(kept["instance"].tolist())


def test_few_of_the_longest_stay_beside_a_thinner_sample() -> None:
    numbers = np.arange(1, 129, dtype=np.uint64)
    sample = numbers[is_kept(numbers, np.full(128, 1))]
    beside = numbers[~is_kept(numbers, np.full(128, 1))][:16]
    tables, rows = np.zeros(1, ARRIVAL_TABLE), np.zeros(len(sample) + 16, ARRIVAL)
    tables["shift"] = 1
    rows["instance"] = [*sample, *beside]
    rows["left"][len(sample) :] = np.arange(16)
    thinner, kept = thinned_out(tables, rows, 16)
    in_sample = is_kept(kept["instance"], np.full(len(kept), int(thinner["shift"][0])))
    assert 0 < in_sample.sum() <= 16
    assert sorted(kept["instance"][~in_sample].tolist()) == sorted(beside[-4:].tolist())


def test_half_of_the_numbers_are_kept_whatever_the_stride() -> None:
    for stride in (1, 2, 4, 8, 64):
        numbers = np.arange(1, 1 + 4096 * stride, stride, dtype=np.uint64)
        assert is_kept(numbers, np.full(len(numbers), 1)).mean() == pytest.approx(0.5, abs=0.05)
