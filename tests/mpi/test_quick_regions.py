"""Regions that are entered often cost no system calls; counters are open to access where they are real."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import Compile, Recording, run_on

TIMES = 100_000

mpi = libraries.in_turn(libraries.ONE_OF_EACH)


@pytest.fixture
def done(mpi: Mpi, compiled: Compile, counted_calls: Path, tmp_path: Path) -> Recording:
    program = compiled(mpi, "quick_regions.c")
    preloading = replace(mpi, environment={**mpi.environment, "LD_PRELOAD": str(counted_calls)})
    done = run_on(preloading, mpi.launch(1, program, str(TIMES)), tmp_path / "a.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    return done


@pytest.mark.reported("recording/map64")
def test_what_a_region_costs(done: Recording) -> None:
    *counted, memory = done.process.stdout.splitlines()
    numbers = [[int(number) for number in re.findall(r"\d+", line)] for line in counted]
    assert [(times, copies) for times, _, copies in numbers] == [(100, 0), (TIMES, 0), (100, 0)]
    # Eight stays in each region are read, and then two in about 10 ms.
    (_, first, _), (_, many, _), _ = numbers
    assert first >= 16
    assert many < TIMES / 20
    entries = dict(done.rows("SELECT name, entries FROM region_times JOIN regions ON regions.id = region"))  # type: ignore[arg-type]
    assert (entries["a literal"], entries["made up"]) == (100 + TIMES, 100)
    regions = dict(
        done.rows("SELECT name, task_clock FROM system_counters JOIN regions ON regions.id = region")  # type: ignore[arg-type]
    )
    assert all(seconds > 0 for seconds in regions.values())
    assert regions.keys() >= {"a literal", "made up"}

    mapped, readable, there = map(int, re.findall(r"\d+", memory))
    assert mapped == 64 << 20
    assert 0 < readable <= there
