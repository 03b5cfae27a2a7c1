"""System counters of recorded processes: joined, added up, shown; what is absent is never 0."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from assembled import made, rows
from profiles import write_profile
from synthetic import Process, small_world

from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.profile.collect.layout import CONSTANTS

VALUES = {
    "VOLUNTARY_SWITCHES": 10,
    "INVOLUNTARY_SWITCHES": 900,
    "MINOR_FAULTS": 300,
    "MAJOR_FAULTS": 1,
    "TASK_CLOCK": 4_500_000_000,
    "MIGRATIONS": 7,
    "INSTRUCTIONS": 20_000_000_000,
    "CYCLES": 10_000_000_000,
    "FLOATING_POINT_OPERATIONS": 18_000_000_000,
}
ALWAYS = ("VOLUNTARY_SWITCHES", "INVOLUNTARY_SWITCHES", "MINOR_FAULTS", "MAJOR_FAULTS", "TASK_CLOCK")


def record(region: int, values: Mapping[str, int], scaled: tuple[str, ...] = ()) -> dict[str, Any]:
    """Make a record of what was counted in a region; what is not in `values` was not."""
    numbers = np.zeros(CONSTANTS["MOST_SYSTEM_COUNTERS"], np.uint64)
    for name, value in values.items():
        numbers[CONSTANTS[f"COUNTER_{name}"]] = value
    present, extrapolated = (
        sum(1 << CONSTANTS[f"COUNTER_{name}"] for name in names) for names in (values, scaled)
    )
    return {"region": region, "present": present, "scaled": extrapolated, "values": numbers}


def absent(**why: int) -> np.ndarray:
    """Make the member of the header that says why counters are absent."""
    numbers = np.zeros(CONSTANTS["MOST_SYSTEM_COUNTERS"], np.int16)
    for name, number in why.items():
        numbers[CONSTANTS[f"COUNTER_{name}"]] = number
    return numbers


def world() -> list[Process]:
    """Make four ranks of 9 s; rank 3 has no counters of the processor, and a region of its own."""
    processes = small_world(4)
    for process in processes:
        process.system_counters = [record(0, VALUES)]
    processes[3].regions.append({"name": b"solve", "entries": 1, "ticks": 2 * 10**9})
    processes[3].system_counters = [
        record(0, {name: VALUES[name] for name in ALWAYS}),
        record(1, dict.fromkeys(ALWAYS, 3)),
    ]
    processes[3].header["absent"] = absent(
        MIGRATIONS=errno.EACCES,
        INSTRUCTIONS=errno.ENOENT,
        CYCLES=errno.ENOENT,
        FLOATING_POINT_OPERATIONS=CONSTANTS["ABSENT_NOT_KNOWN"],
    )
    return processes


def shown(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    assert main(["show", str(path), *words]) == 0
    return capsys.readouterr().out


def test_rows_of_the_profile(tmp_path: Path) -> None:
    path = made(tmp_path, world()).path
    assert rows(path, "SELECT * FROM system_counters ORDER BY rank, region") == [
        *((rank, 0, 10, 900, 300, 1, 4.5, 7, 20 * 10**9, 10**10, 18 * 10**9, 0) for rank in range(3)),
        (3, 0, 10, 900, 300, 1, 4.5, None, None, None, None, 0),
        (3, 1, 3, 3, 3, 3, 3e-9, None, None, None, None, 0),
    ]
    assert rows(path, "SELECT counter, ranks FROM absent_counters") == [
        ("migrations", "3"),
        ("instructions", "3"),
        ("cycles", "3"),
        ("floating_point_operations", "3"),
    ]


def test_rates_are_of_the_time_between_init_and_finalize(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path, world()).path
    answer = json.loads(shown(capsys, path, "--by", "counter", "--json"))
    first, *_, last = (row["counted"] for row in answer["rank_counters"])
    assert first["seconds"] == pytest.approx(9.0)
    assert first["cpu_percent"] == pytest.approx(50.0)
    assert first["involuntary_switches_per_second"] == pytest.approx(100.0)
    assert first["instructions_per_cycle"] == 2.0
    assert first["gflop_per_second"] == pytest.approx(2.0)
    assert last["counts"]["involuntary_switches"] == 903
    assert (last["instructions_per_cycle"], last["gflop_per_second"]) == (None, None)
    # A sum in which a rank is missing is not known.
    assert answer["counter_totals"]["gflop_per_second"] is None
    assert answer["counter_totals"]["counted"]["counts"]["instructions"] is None
    assert answer["counter_totals"]["counted"]["counts"]["minor_faults"] == 1203
    assert sorted(answer["shortages"]["preempted"]["ranks"]) == [0, 1, 2, 3]


def test_of_a_part_of_the_ranks_more_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = made(tmp_path, world()).path
    part = json.loads(shown(capsys, path, "--by", "counter", "--json", "--rank", "0-2"))
    assert part["counter_totals"]["gflop_per_second"] == pytest.approx(6.0)
    assert part["counter_totals"]["counted"]["counts"]["cycles"] == 3 * 10**10
    region = json.loads(shown(capsys, path, "--by", "counter", "--json", "--region", "solve"))
    [row] = region["rank_counters"]
    assert row["counted"]["counts"]["voluntary_switches"] == 3


def test_the_terminal_tells_what_is_absent_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    path = made(tmp_path, world()).path
    text = shown(capsys, path, "--by", "counter")
    assert_facts(text, "0-3 .. 100/s")
    golden.says(text, "3")
    [line] = [line.split() for line in text.splitlines() if line.split()[:2] == ["3", "node1"]]
    assert line[-2:] == ["-", "-"]  # IPC, gflop/s
    summary = shown(capsys, path)
    golden.says(summary, "0-3 .. 100")


def test_extrapolated_counters_are_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    processes = small_world(1)
    processes[0].system_counters = [record(0, VALUES, scaled=("CYCLES",))]
    path = made(tmp_path, processes).path
    assert rows(path, "SELECT scaled FROM system_counters") == [(1,)]
    text = shown(capsys, path, "--by", "counter")
    assert "2.00~" in text
    assert "~: extrapolated" in text
    assert "2.00 gflop/s" in shown(capsys, path, "-v")


def test_a_profile_without_counters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    path = write_profile(tmp_path / "a.rankwise")
    golden.says(shown(capsys, path, "--by", "counter"))
    assert "\nsystem " not in shown(capsys, path)


@pytest.mark.parametrize("number", [errno.EIO, -99])
def test_any_reason_makes_a_sentence(tmp_path: Path, number: int, golden: Golden) -> None:
    processes = small_world(1)
    processes[0].header["absent"] = absent(CYCLES=number)
    [(counter, why)] = rows(made(tmp_path, processes).path, "SELECT counter, reason FROM absent_counters")
    assert counter == "cycles"
    golden.says(why, os.strerror(number) if number > 0 else "")


def test_nobody_knows_for_how_long_a_lost_rank_was_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    processes = world()
    processes[1].header["state"] = CONSTANTS["STATE_RUNNING"]
    path = made(tmp_path, processes).path
    counters = json.loads(shown(capsys, path, "--by", "counter", "--json"))["rank_counters"]
    assert [row["counted"]["seconds"] is None for row in counters] == [False, True, False, False]
    assert counters[1]["counted"]["cpu_percent"] is None
    assert counters[1]["counted"]["counts"]["task_clock_seconds"] == 4.5
