"""The time line: programs/phases.c, which tells what it does when, on every MPI."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from libraries import Mpi
from recording import Compile, Record, Recording, run_on

RANKS = 4
COUNTS = ("calls", "bytes_sent", "bytes_received", "messages")
RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("phases.c", RANKS)
    return RECORDED[mpi.name]


@dataclass
class Phase:
    """What a rank says of a phase; times in seconds after MPI_Init."""

    name: str
    begin: float
    end: float
    counts: Sequence[int]


def phases_of(done: Recording) -> dict[int, list[Phase]]:
    """The phases of each rank, in their order."""
    phases: dict[int, list[Phase]] = {}
    for line in done.process.stdout.splitlines():
        if not re.fullmatch(r"(quiet|reduce|exchange|late)( [0-9.]+){7}", line):
            continue  # the launcher's, on a killed process
        name, rank, begin, end, *counts = line.split()
        phase = Phase(name, float(begin), float(end), [*map(int, counts)])
        phases.setdefault(int(rank), []).append(phase)
    return phases


def axis(done: Recording) -> tuple[float, float, int]:
    [row] = done.rows("SELECT begin, width, intervals FROM time_axis")
    return row  # type: ignore[return-value]


def counted(done: Recording, rank: int, begin: float, end: float) -> list[Any]:
    """Seconds in MPI and COUNTS of the intervals that lie between two instants after the rank's MPI_Init."""
    sums = ", ".join(f"COALESCE(SUM({name}), 0)" for name in ("seconds", *COUNTS))
    [row] = done.rows(
        f"SELECT {sums} FROM intervals JOIN time_lines USING (rank), time_axis WHERE rank = ?"
        " AND time_axis.begin + interval * width >= time_lines.begin + ?"
        " AND time_axis.begin + (interval + 1) * width <= time_lines.begin + ?",
        rank,
        begin,
        end,
    )
    return [*row]


def assert_totals(done: Recording) -> None:
    in_line = {
        rank: row
        for rank, *row in done.rows(
            "SELECT rank, SUM(seconds), SUM(calls), SUM(bytes_sent), SUM(bytes_received)"
            " FROM intervals GROUP BY rank"
        )
    }
    totals = done.rows(
        "SELECT rank, SUM(seconds), SUM(calls), SUM(bytes_sent), SUM(bytes_received) FROM calls"
        " JOIN procedures ON procedures.id = procedure WHERE class <> 'environment' GROUP BY rank"
    )
    assert len(totals) == RANKS
    for rank, seconds, *counts in totals:
        assert in_line[rank][1:] == counts
        assert in_line[rank][0] == pytest.approx(seconds, rel=1e-6)
    sent = done.rows("SELECT rank, SUM(messages) FROM intervals GROUP BY rank")
    kind = "kind = 'point-to-point'"
    assert sent == done.rows(f"SELECT source, SUM(messages) FROM messages WHERE {kind} GROUP BY source")


def test_intervals_add_up_to_the_totals(done: Recording) -> None:
    assert_totals(done)


def assert_phases(done: Recording) -> None:
    phases = phases_of(done)
    assert len(phases) == RANKS
    for rank, own in phases.items():
        assert [phase.name for phase in own[1::2]] == ["reduce", "exchange", "late"]
        for before, phase, after in zip(own[::2], own[1::2], own[2::2], strict=False):
            # From the middle of a quiet phase to that of the next one.
            begin, end = (before.begin + before.end) / 2, (after.begin + after.end) / 2
            seconds, *counts = counted(done, rank, begin, end)
            assert counts == phase.counts, (rank, phase.name)
            assert 0 < seconds < phase.end - phase.begin + 0.05


def test_each_phase_has_what_was_done_in_it(done: Recording) -> None:
    assert_phases(done)


def test_quiet_phases_are_empty(done: Recording) -> None:
    width = axis(done)[1]
    for rank, phases in phases_of(done).items():
        for phase in phases[::2]:
            begin, end = phase.begin + width + 0.01, phase.end - width - 0.01
            assert counted(done, rank, begin, end) == [0, 0, 0, 0, 0]


def test_the_time_of_a_long_call_is_in_all_that_it_went_through(done: Recording) -> None:
    width = axis(done)[1]
    for rank, phases in phases_of(done).items():
        if rank == 0:
            continue  # who is waited for
        [late] = [phase for phase in phases if phase.name == "late"]
        begin, end = late.begin + 0.1, late.end - 0.1
        seconds, calls, *_ = counted(done, rank, begin, end)
        assert calls == 0
        assert end - begin - 2 * width <= seconds <= end - begin + 1e-6


def test_intervals_double_and_stay_in_the_run(done: Recording) -> None:
    begin, width, intervals = axis(done)
    # The first ones are of half a millisecond to a millisecond: these have doubled, a few times.
    assert 1e-3 < width < 0.1
    assert 64 <= intervals <= 256
    for first, last in done.rows("SELECT begin, end FROM time_lines"):
        assert begin <= first < last <= begin + intervals * width + 1e-6  # type: ignore[operator]
    lowest, highest = done.rows("SELECT MIN(interval), MAX(interval) FROM intervals")[0]
    assert (lowest, highest) >= (0, 0)
    assert highest < intervals  # type: ignore[operator]


def test_a_killed_program_has_its_time_line(record: Record) -> None:
    done = record("phases.c", RANKS, "killed", status=None)
    assert done.rows("SELECT partial FROM run") == [(1,)]
    for rank, own in phases_of(done).items():
        for before, phase, after in zip(own[::2], own[1::2], own[2::2], strict=False):
            begin, end = (before.begin + before.end) / 2, (after.begin + after.end) / 2
            assert counted(done, rank, begin, end)[1:] == phase.counts
    # Rank 0 never got what it waited for: the time counts, up to the end.
    [(inside,)] = done.rows("SELECT inside FROM ranks WHERE rank = 0")
    if inside == "MPI_Recv":
        last = phases_of(done)[0][-1].end
        assert counted(done, 0, last + 0.05, last + 0.4)[0] > 0.25


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only there can clocks be shifted")
def test_nodes_are_laid_on_one_another(mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path) -> None:
    skew = "a:0,b:5000000000000,c:-3000000000"  # nanoseconds
    pretended = {"LD_PRELOAD": str(pretender), "PRETEND_NODES": "abca", "RANKWISE_TEST_CLOCKS": skew}
    pretending = replace(mpi, environment={**mpi.environment, **pretended})
    command = pretending.launch(RANKS, compiled(mpi, "phases.c"))
    done = run_on(pretending, command, tmp_path / "nodes.rankwise", "--clock-sync")
    assert done.process.returncode == 0, done.process.stderr
    assert_totals(done)
    assert_phases(done)
    # All leave the long Barrier at once, by the common clock.
    begins = dict(done.rows("SELECT rank, begin FROM time_lines"))
    left = [float(str(begins[rank])) + own[5].end for rank, own in phases_of(done).items()]
    assert max(left) - min(left) < 0.1


def test_threads_have_one_line(record: Record) -> None:
    done = record("phases.c", 1, "threads")
    # Each of them as long as 0.4 s, one after the other, a pause of 0.5 s after two of them.
    begin, width, intervals = axis(done)
    rows = done.rows("SELECT interval, calls, messages FROM intervals ORDER BY interval")
    assert [sum(row[n] for row in rows) for n in (1, 2)] == [160, 160]  # type: ignore[misc]
    places = [begin + interval * width for interval, *_ in rows]  # type: ignore[operator]
    gaps = sorted(after - before for before, after in pairwise(places))
    assert gaps[-1] > 0.35
    assert intervals * width > 2.4
