"""Two processes sample messages by time, each for itself: whatever their numbers are, the same ones."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from rankwise.profile.collect import layout
from rankwise.profile.collect.side_sample import NOT_BY_TIME, TimeSample, common, thinned_out

SHIFT = layout.CONSTANTS["SIDE_AFTER_SHIFT"]


@pytest.mark.reported("verdict/drift")
def test_calls_are_known_whatever_the_numbers_of_their_messages_are(tmp_path: Path) -> None:
    compiler = os.environ.get("CXX") or shutil.which("c++") or "g++"
    program = tmp_path / "time_sample"
    flags = ["-std=c++20", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror"]
    source = Path(__file__).with_name("time_sample.cpp")
    subprocess.run([*compiler.split(), *flags, "-o", program, source], check=True, timeout=120)
    done = subprocess.run([program], check=True, capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert len(lines) == 42
    long_waits = known_long_waits = 0
    for line in lines:
        calls, known, long, known_long, stretches = map(int, line.partition(":")[2].split())
        assert calls >= 64, line
        assert known >= 0.97 * calls, line
        assert stretches >= 4 or stretches == 1, line  # in one there is everything
        long_waits += long
        known_long_waits += known_long
    # Whoever waits at the end of a stretch waits for a message after it, however late that comes.
    assert known_long_waits >= 0.9 * long_waits > 0


def test_the_sample_of_all_is_in_that_of_each() -> None:
    ticks = np.arange(2**20, dtype=np.uint64) * np.uint64(97)
    first, other = TimeSample(14, 20), TimeSample(12, 17)
    inside = common([first, other, TimeSample()]).stretches(ticks) >= 0
    assert 0 < inside.sum() < min(first.keeps(ticks).sum(), other.keeps(ticks).sum())
    for sample in (first, other):
        assert (sample.stretches(ticks)[inside] >= 0).all()
        assert sample.keeps(ticks)[inside].all()


def test_readers_thin_out_as_processes_do() -> None:
    threads = np.zeros(1, layout.STRUCTS["thread"])
    sides = np.zeros(4096, layout.STRUCTS["side"])
    sides["number"] = np.arange(4096)
    sides["posted"] = 2**40 + 12345 + np.arange(4096) * 1000
    few, kept = thinned_out(threads, sides, 200)
    assert 50 < len(kept) <= 200
    sample = TimeSample(int(few["stretch"][0]), int(few["period"][0]))
    by_time = kept["flags"] >> SHIFT != NOT_BY_TIME
    assert sample.keeps(kept["posted"])[by_time].all()
    assert 0.2 < by_time.mean() < 0.8
    assert not threads["halved"].any()  # what was given stays as it was
    same_threads, same = thinned_out(threads, sides, 4096)
    assert len(same) == 4096
    assert same_threads is threads
