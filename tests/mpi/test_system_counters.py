"""What the system counts in each region: programs/system_counters.c, on every MPI."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from libraries import Mpi
from recording import Compile, Record, Recording, run_on

RANKS = range(2)
PAGES, SLEEPS, SECONDS = 3000, 50, 0.5
FAULTS_OF_EVENTS = 5  # that RANKWISE_COUNTERS=test makes of a page fault: events of weights 4 and 1
REGIONS = ("touch", "sleep", "outer", "outer/burn", "threads", "nothing")

RECORDED: dict[str, Recording] = {}  # once for all tests here


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("system_counters.c", len(RANKS))
    return RECORDED[mpi.name]


def counted(done: Recording, counter: str) -> dict[tuple[int, str], Any]:
    """Value by rank and region ('' = in none)."""
    rows = done.rows(
        f"""SELECT rank, CASE region WHEN 0 THEN '' ELSE path END, {counter} FROM system_counters
            JOIN regions ON regions.id = region"""
    )
    return {(rank, region): value for rank, region, value in rows}  # type: ignore[misc]


def test_every_region_of_every_rank_is_there(done: Recording) -> None:
    assert set(counted(done, "rank")) == {(rank, region) for rank in RANKS for region in ("", *REGIONS)}


def test_page_faults_are_those_of_the_region_that_touches_pages(done: Recording) -> None:
    faults = counted(done, "minor_faults")
    for rank in RANKS:
        assert faults[rank, "touch"] >= PAGES
        assert all(faults[rank, region] < PAGES / 2 for region in REGIONS[1:])


def test_sleeping_is_a_voluntary_switch(done: Recording) -> None:
    """But for a sleep that is over before the kernel has got to it: then the processor was taken away."""
    switches = counted(done, "voluntary_switches")
    for rank in RANKS:
        assert switches[rank, "sleep"] >= 0.8 * SLEEPS
        assert switches[rank, "threads"] >= 1  # it waits for the other thread
        # (A thread of the MPI library may wait meanwhile, but no region is long.)
        assert switches[rank, "nothing"] < 0.8 * SLEEPS


def test_the_task_clock_is_of_all_threads(done: Recording) -> None:
    clock = counted(done, "task_clock")
    for rank in RANKS:
        assert clock[rank, "outer/burn"] >= SECONDS
        assert clock[rank, "threads"] >= SECONDS
        assert clock[rank, "outer"] < SECONDS  # what is in `burn` is in no other region
        assert clock[rank, "nothing"] < SECONDS


def test_nothing_absent_is_zero(done: Recording) -> None:
    absent = {
        str(counter): str(ranks) for counter, ranks in done.rows("SELECT counter, ranks FROM absent_counters")
    }
    for counter in ("migrations", "instructions", "cycles", "floating_point_operations"):
        there = {value is not None for value in counted(done, counter).values()}
        assert there == ({False} if counter in absent else {True})
        assert absent.get(counter, "0-1") == "0-1"
    assert not absent.keys() & {"voluntary_switches", "minor_faults", "task_clock"}


def test_ranks_on_one_core_take_it_from_one_another(record: Record) -> None:
    done = record("system_counters.c", len(RANKS), str(min(os.sched_getaffinity(0))))
    taken = counted(done, "involuntary_switches")
    assert sum(taken[rank, "outer/burn"] for rank in RANKS) > 0
    [shown] = json.loads(done.shown("--by", "counter", "--json", "--rank", "1"))["rank_counters"]
    assert shown["counted"]["counts"]["involuntary_switches"] == sum(
        value for (rank, _), value in taken.items() if rank == 1
    )


@pytest.fixture
def program(mpi: Mpi, compiled: Compile) -> list[str]:
    return mpi.launch(len(RANKS), compiled(mpi, "system_counters.c"))


def test_events_of_the_processor(
    mpi: Mpi, program: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By events that every kernel has in their place: clocks, and page faults counted five times."""
    monkeypatch.setenv("RANKWISE_COUNTERS", "test")
    done = run_on(mpi, program, tmp_path / "a.rankwise")
    absent = dict(done.rows("SELECT counter, reason FROM absent_counters"))  # type: ignore[arg-type]
    if absent:
        pytest.skip(f"perf_event_open does not work here: {absent}")
    instructions, operations = counted(done, "instructions"), counted(done, "floating_point_operations")
    for rank in RANKS:
        # Threads that were started after MPI_Init are counted, too.
        assert instructions[rank, "outer/burn"] >= 0.9 * SECONDS * 1e9
        assert instructions[rank, "threads"] >= 0.9 * SECONDS * 1e9
        assert operations[rank, "touch"] >= FAULTS_OF_EVENTS * PAGES
        assert all(operations[rank, region] < FAULTS_OF_EVENTS * PAGES / 2 for region in REGIONS[1:])
        assert all(operations[rank, region] % FAULTS_OF_EVENTS == 0 for region in REGIONS)
    assert set(counted(done, "scaled").values()) == {0}


def test_switched_off(mpi: Mpi, program: list[str], tmp_path: Path) -> None:
    done = run_on(mpi, program, tmp_path / "a.rankwise", "--no-counters")
    assert done.process.returncode == 0
    assert done.rows("SELECT * FROM system_counters") == []
    absent = done.rows("SELECT DISTINCT reason, ranks FROM absent_counters")
    assert absent == [("switched off (--no-counters)", "0-1")]
