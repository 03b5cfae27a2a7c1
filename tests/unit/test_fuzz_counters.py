"""Damaged counters files and planted ones: the whole is read, what is lost is said, and nothing blocks."""

from __future__ import annotations

import os
import random
import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from synthetic import small_world, stamp, write_world

from exhaustive import repeated
from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.profile.assemble import assemble
from rankwise.profile.collect import layout
from rankwise.profile.collect.counters import read_counters

ORIGINAL = small_world()[0].to_bytes()


def test_cut_at_every_byte(tmp_path: Path) -> None:
    path = tmp_path / "cut.counters"
    path.write_bytes(ORIGINAL)
    whole = read_counters(path)
    rows = [len(whole.calls)]
    for length in range(len(ORIGINAL) - 1, -1, -1):
        os.truncate(path, length)
        if length < layout.HEADER.itemsize:
            with pytest.raises(RankwiseError, match=r"cut\.counters"):
                read_counters(path)
            continue
        counters = read_counters(path)
        # What is left is as it was, and whatever is missing is said.
        assert np.isin(counters.calls["key"], whole.calls["key"]).all()
        rows.append(len(counters.calls))
        complete = rows[-1] == rows[0] and len(counters.messages) == len(whole.messages)
        assert complete or counters.losses
    assert rows == sorted(rows, reverse=True)
    assert set(rows) == set(range(rows[0] + 1))


@repeated(1000, 3000)
def test_thousands_of_flipped_bits(tmp_path: Path, times: int) -> None:
    generator = random.Random(2026)
    path = tmp_path / "flipped.counters"
    used = [place for place, byte in enumerate(ORIGINAL) if byte]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused = with_losses = 0
    for _ in range(times):
        data = bytearray(ORIGINAL)
        for _ in range(generator.choice((1, 2, 16, 200))):
            data[generator.choice((generator.choice(used), generator.randrange(len(data))))] ^= (
                1 << generator.randrange(8)
            )
        path.write_bytes(data)
        try:
            with_losses += bool(read_counters(path).losses)
        except RankwiseError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > times / 30
    assert with_losses > times / 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # KiB


def test_a_huge_file_of_nothing(tmp_path: Path) -> None:
    data = bytearray(ORIGINAL)
    directory = np.frombuffer(data, layout.SECTION, 6, layout.HEADER.itemsize)
    for member in ("capacity", "used"):
        directory[member] = 2**32 - 1
    path = tmp_path / "huge.counters"
    path.write_bytes(data)
    os.truncate(path, 1 << 40)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    losses = " ".join(read_counters(path).losses)
    assert losses.count("huge.counters: ") == len(read_counters(path).losses) > 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20  # KiB


def test_what_was_planted_in_a_run_directory_is_not_touched(tmp_path: Path) -> None:
    run = write_world(tmp_path / "run", small_world(2))
    secret = tmp_path / "secret.counters"
    secret.write_bytes(ORIGINAL)
    (run / "link.counters").symlink_to(secret)
    (run / "zero.counters").symlink_to("/dev/zero")
    os.mkfifo(run / "pipe.counters")
    (run / "directory.counters").mkdir()
    (run / "launch.json").symlink_to("/dev/zero")
    made = assemble(run, tmp_path / "x.rankwise", exit_status=0)
    assert (made.ranks_seen, made.ranks_expected) == (2, 2)
    with closing(sqlite3.connect(made.path)) as profile:
        warnings = [text for (text,) in profile.execute("SELECT text FROM warnings")]
    for name in ("link", "zero", "pipe", "directory"):
        assert sum(f"{name}.counters " in text for text in warnings) == 1
    assert sum("launch.json" in text for text in warnings) == 1


def test_the_clock_steps_back(tmp_path: Path) -> None:
    # An hour back, on rank 1 in the middle of the run.
    processes = small_world(2)
    for name, seconds in (("stopping", 9.5), ("stopped", 10.0)):
        ticks, monotonic, realtime = stamp(seconds)
        processes[1].header[name] = (ticks, monotonic, realtime - 3600 * 10**9)
    made = assemble(write_world(tmp_path / "run", processes), tmp_path / "x.rankwise", exit_status=0)
    assert not made.partial
    with closing(sqlite3.connect(made.path)) as profile:
        assert (
            profile.execute("SELECT wall FROM run UNION ALL SELECT wall FROM ranks").fetchall()
            == [(10.0,)] * 3
        )
        assert profile.execute("SELECT count(DISTINCT started) FROM ranks").fetchone() == (1,)
        assert profile.execute("SELECT count(*) FROM warnings").fetchone() == (0,)


def test_ticks_that_go_back_are_told(tmp_path: Path, golden: Golden) -> None:
    processes = small_world(2)
    for name, seconds in (("started", 0.5), ("latest", 9.0), ("stopping", 9.5), ("stopped", 10.0)):
        _, monotonic, realtime = stamp(seconds)
        processes[1].header[name] = (1000, monotonic, realtime)
    counters = read_counters(processes[1].write(tmp_path / "one", "x"))
    [loss] = counters.losses
    golden.says(loss, "x.counters: ")
