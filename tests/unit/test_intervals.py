"""Time lines: of the threads of a process, and of all processes on one axis."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from synthetic import call, message

from rankwise.profile.collect import layout
from rankwise.profile.collect.clock import Clock, Stamp
from rankwise.profile.collect.lifetime import Lifetime
from rankwise.profile.collect.time_line import COLUMNS, TimeLine, time_line
from rankwise.profile.join.intervals import Axis, Intervals, join_intervals
from rankwise.profile.join.node_clocks import NodeClock

SECOND = 1 << 30  # ticks
IN_COLLECTIVE = 1


def record(shift: int, first: int, counts: list[tuple[int, ...]]) -> np.ndarray:
    """A record of struct rankwise_time_line; counts in the order of COLUMNS."""
    made = np.zeros(1, layout.TIME_LINE)
    made["shift"], made["first"], made["used"] = shift, first, len(counts)
    for number, row in enumerate(counts):
        made["intervals"][0, number] = row
    return made


def rows(dtype: np.dtype[Any], *made: dict[str, int]) -> np.ndarray:
    table = np.zeros(len(made), dtype)
    for place, fields in enumerate(made):
        for name, value in fields.items():
            table[name][place] = value
    return table


def line(shift: int, first: int, *calls: int) -> TimeLine:
    """A time line whose intervals have so many calls, and ten times as many ticks."""
    sums = np.zeros((len(calls), len(COLUMNS)), np.int64)
    sums[:, COLUMNS.index("calls")] = calls
    sums[:, COLUMNS.index("ticks")] = np.array(calls) * 10
    return TimeLine(shift, first, sums)


def calls_of(series: TimeLine | None) -> list[int]:
    assert series
    counted: list[int] = series.sums[:, COLUMNS.index("calls")].tolist()
    return counted


def test_what_no_interval_has_belongs_to_the_latest() -> None:
    calls = rows(layout.CALLS, call("MPI_Send", calls=9, sent=70, received=5), call("MPI_Init", calls=1))
    messages = rows(
        layout.MESSAGES,
        message("MPI_Send", 1, 6, 70),
        message("MPI_Put", 1, 2, 1, kind=2),
        message("MPI_Bcast", 1, 100, 1, kind=IN_COLLECTIVE),
    )
    made = record(4, 3, [(0, 40, 5, 3, 2), (0, 0, 0, 0, 0), (0, 10, 0, 1, 3)])
    series, damaged = time_line([(0, made)], [(0, calls)], [(0, messages)])
    assert damaged == 0
    assert series is not None
    assert (series.shift, series.first) == (4, 3)
    assert series.sums.tolist() == [[0, 40, 5, 3, 2], [0, 0, 0, 0, 0], [0, 30, 0, 5, 7]]


def test_threads_are_added_up_at_the_wider_of_their_widths() -> None:
    narrow, wide = record(4, 5, [(1, 0, 0, 0, 1)] * 4), record(5, 4, [(8, 0, 0, 0, 0)])
    calls = rows(layout.CALLS, call("MPI_Send", calls=4))
    none = rows(layout.CALLS)
    series, _ = time_line([(0, narrow), (1, wide)], [(0, calls), (1, none)], [])
    # Intervals 5 to 8 of 16 ticks are in 2 (half of it), 3 and 4 of 32 ticks.
    assert series is not None
    assert (series.shift, series.first) == (5, 2)
    assert series.sums[:, 0].tolist() == [1, 2, 1 + 8]
    assert calls_of(series) == [1, 2, 1]


def test_threads_far_apart_do_not_fill_the_memory() -> None:
    early, late = record(4, 1, [(1, 0, 0, 0, 0)]), record(4, 1 << 40, [(2, 0, 0, 0, 0)])
    series, _ = time_line([(0, early), (1, late)], [], [])
    assert series is not None
    assert len(series.sums) <= 512
    assert (series.sums[0, 0], series.sums[-1, 0], series.sums.sum()) == (1, 2, 3)


@pytest.mark.parametrize(
    "members",
    [{"merges_begun": 1}, {"shift": 60}, {"used": 0}, {"used": 257}, {"first": 2**63}],
    ids=["being-merged", "shift", "nothing-used", "too-many-used", "first"],
)
def test_what_is_damaged_is_no_time_line(members: dict[str, int]) -> None:
    made = record(4, 3, [(1, 1, 1, 1, 1)])
    for name, value in members.items():
        made[name] = value
    assert time_line([(0, made)], [], []) == (None, 1)


def test_impossible_numbers_are_damage() -> None:
    assert time_line([(0, record(4, 3, [(1, 2**62, 1, 1, 1)]))], [], []) == (None, 1)


def test_neighbours_are_merged_an_even_one_with_the_next() -> None:
    merged = line(3, 7, 1, 2, 4, 8, 16).with_shift(4)
    assert (merged.first, calls_of(merged)) == (3, [1, 2 + 4, 8 + 16])
    assert calls_of(line(3, 7, 1, 2, 4, 8, 16).with_shift(6)) == [1, 30]
    assert calls_of(line(0, 0, *[1] * 100).within(32)) == [4] * 25


def joined(lines: dict[int, TimeLine | None], clocks: dict[int, NodeClock], run: float = 8.0) -> Intervals:
    """Lines of processes that came out of MPI_Init 1 s after the run's start, by their own clocks."""
    world = {}
    for rank, series in lines.items():
        started = clocks[rank].ticks + round((1.0 - clocks[rank].seconds) / clocks[rank].seconds_per_tick)
        header = SimpleNamespace(stamps={"started": Stamp(started, 1, 1)}, state="finalized")
        world[rank] = SimpleNamespace(header=header, time_line=series, threads=np.zeros(0, layout.THREAD))
    own = {rank: Clock(1 / clocks[rank].seconds_per_tick, Stamp(0, 0, 0)) for rank in lines}
    lifetimes = {rank: Lifetime(0, 10 * 10**9, run) for rank in lines}
    return join_intervals(world, own, clocks, lifetimes, 10.0)  # type: ignore[arg-type]


def counted(intervals: Intervals) -> dict[int, dict[int, int]]:
    """Calls by rank and interval."""
    by_rank: dict[int, dict[int, int]] = {}
    for rank, interval, _, _, _, _, calls in intervals.rows:
        by_rank.setdefault(rank, {})[interval] = calls
    return by_rank


def test_ranks_of_a_node_are_laid_on_one_another() -> None:
    clock = NodeClock(group=0, ticks=0, seconds=0.0, seconds_per_tick=1 / SECOND)
    # Rank 0 has intervals of a second, from 1 s on, rank 1 of half a second, from 1.5 s on.
    lines = {0: line(30, 1, 1, 2, 3), 1: line(29, 3, 10, 20, 30)}
    intervals = joined(lines, {0: clock, 1: clock})
    assert intervals.axis == Axis(1.0, 1.0, 9)
    assert intervals.spans == {0: (1.0, 9.0), 1: (1.0, 9.0)}
    assert counted(intervals) == {0: {0: 1, 1: 2, 2: 3}, 1: {0: 10, 1: 50}}


def test_another_clock_is_shifted_and_nothing_gets_lost() -> None:
    clock = NodeClock(group=0, ticks=0, seconds=0.0, seconds_per_tick=1 / SECOND)
    # Half a second later by the common clock than by its own, and slower by a thousandth.
    other = NodeClock(group=0, ticks=0, seconds=0.5, seconds_per_tick=1.001 / SECOND)
    lines = {0: line(30, 1, 1, 2, 3), 1: line(30, 2, 101, 200, 7)}
    intervals = joined(lines, {0: clock, 1: other})
    assert intervals.axis is not None
    assert intervals.axis.width == 1.0
    ranks = counted(intervals)
    assert ranks[0] == {0: 1, 1: 2, 2: 3}
    assert sum(ranks[1].values()) == 308
    # From 2.502 s on: half of 101 is before 3 s.
    assert ranks[1][1] == pytest.approx(50, abs=1)
    assert ranks[1][2] == pytest.approx(150, abs=1)


def test_ranks_without_a_line_are_left_out() -> None:
    clock = NodeClock(group=0, ticks=0, seconds=0.0, seconds_per_tick=1 / SECOND)
    intervals = joined({0: None, 1: line(30, 1, 5)}, {0: clock, 1: clock})
    assert counted(intervals) == {1: {0: 5}}
    assert joined({0: None}, {0: clock}).axis is None


def test_many_ranks_have_fewer_intervals() -> None:
    clock = NodeClock(group=0, ticks=0, seconds=0.0, seconds_per_tick=1 / SECOND)
    lines: dict[int, TimeLine | None] = dict.fromkeys(range(2000), line(24, 64, *[1] * 256))
    intervals = joined(lines, dict.fromkeys(lines, clock))
    assert intervals.axis is not None
    assert 64 < intervals.axis.count <= 131
    assert sum(sum(row.values()) for row in counted(intervals).values()) == 2000 * 256


def test_a_call_that_never_returned_counts_to_the_end() -> None:
    clock = NodeClock(group=0, ticks=0, seconds=0.0, seconds_per_tick=1 / SECOND)
    threads = np.zeros(1, layout.THREAD)
    threads["inside_key"], threads["alive"] = call("MPI_Recv")["key"], 1
    threads["inside_since"] = round(4.25 * SECOND)
    header = SimpleNamespace(stamps={"started": Stamp(SECOND, 1, 1)}, state="running")
    world = {0: SimpleNamespace(header=header, time_line=line(30, 1, 1), threads=threads)}
    lifetimes = {0: Lifetime(0, 10 * 10**9, 5.5)}
    clocks = {0: Clock(SECOND, Stamp(0, 0, 0))}
    intervals = join_intervals(world, clocks, {0: clock}, lifetimes, 10.0)  # type: ignore[arg-type]
    seconds = {interval: seconds for _, interval, seconds, *_ in intervals.rows}
    # The run ends after 1 + 5.5 s.
    assert seconds == pytest.approx({0: 10 / SECOND, 3: 0.75, 4: 1.0, 5: 0.5})
