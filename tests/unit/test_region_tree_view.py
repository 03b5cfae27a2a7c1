"""Nested regions of profiles that were made by hand: joined over ranks, old, damaged."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from assembled import made, rows
from synthetic import FREQUENCY, call, small_world

from rankwise.__main__ import main
from rankwise.analysis.calls.regions import regions
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.store.database import open_profile

NESTED = "SELECT id, name, parent, path FROM regions WHERE id BETWEEN 1 AND 4094"


def region(name: str, parent: int, seconds: float, **members: int) -> dict[str, object]:
    ticks = int(seconds * FREQUENCY)
    return {"name": name.encode(), "entries": 1, "ticks": ticks, "parent": parent, **members}


def nested(tmp_path: Path) -> Path:
    """Two ranks that number the same regions differently; MPI_Barrier takes 0.5 s in each region."""
    processes = small_world(2)
    processes[0].regions += [region("a", 0, 4), region("b", 1, 1), region("b", 0, 2)]
    processes[1].regions += [region("b", 0, 2), region("a", 0, 4), region("b", 2, 3)]
    for process in processes:
        process.calls[0] += [call("MPI_Barrier", region=index, seconds=0.5) for index in (1, 2, 3)]
    return made(tmp_path, processes).path


def test_ranks_are_joined_by_path(tmp_path: Path) -> None:
    path = nested(tmp_path)
    assert rows(path, NESTED) == [(1, "a", 0, "a"), (2, "b", 1, "a/b"), (3, "b", 0, "b")]
    assert rows(path, "SELECT rank, region, seconds, exclusive FROM region_times WHERE region > 0") == [
        (0, 1, 4, 3),
        (0, 2, 1, 1),
        (0, 3, 2, 2),
        (1, 1, 4, 1),
        (1, 2, 3, 3),
        (1, 3, 2, 2),
    ]
    assert rows(path, "SELECT exclusive FROM region_times WHERE region = 0") == [(4.0,), (4.0,)]


def test_inclusive_and_exclusive(tmp_path: Path) -> None:
    with closing(open_profile(nested(tmp_path))) as connection:
        by_path = {row.path: row for row in regions(connection)}
    assert list(by_path)[-3:] == ["a", "a/b", "b"]
    a, b, whole = by_path["a"], by_path["a/b"], by_path["(whole program)"]
    assert (a.wall_seconds, a.exclusive_wall_seconds, b.exclusive_wall_seconds) == (8, 4, 4)
    assert (a.totals.seconds, a.inclusive_mpi_seconds) == (1, 2)
    assert (a.percent_in_mpi, a.exclusive_percent_in_mpi) == (25, 25)
    assert (a.depth, b.depth, a.parent, b.parent) == (0, 1, 0, 1)
    assert whole.inclusive_mpi_seconds == pytest.approx(whole.totals.seconds + 3)
    assert sum(row.exclusive_wall_seconds or 0 for row in by_path.values()) == whole.wall_seconds == 20


def test_no_region_holds_init_and_finalize(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two ranks of 10 s: 2 s in MPI_Init and MPI_Finalize, 6 s in regions, 2 s outside of them."""
    path = nested(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE ranks SET init_finalize = 2")
        connection.execute("DELETE FROM system_counters")
        connection.execute(
            "INSERT INTO system_counters (rank, region, voluntary_switches, scaled)"
            " SELECT rank, region, 1, 0 FROM region_times"
        )
    times = []
    for view, kind in (("region", "regions"), ("counter", "region_counters")):
        assert main(["show", str(path), "--by", view, "--json"]) == 0
        listed = json.loads(capsys.readouterr().out)[kind]
        times.append({row["region"]: row.get("exclusive_wall_seconds", row.get("counted")) for row in listed})
    times[1] = {region: counted["seconds"] for region, counted in times[1].items()}
    assert times[0] == pytest.approx(times[1])
    with closing(open_profile(path)) as connection:
        whole = next(row for row in regions(connection) if row.region == 0)
    assert (whole.wall_seconds, whole.exclusive_wall_seconds) == pytest.approx((16, 4))
    # As the legend has it: the time in MPI of the wall time.
    assert whole.exclusive_percent_in_mpi == pytest.approx(100 * whole.totals.seconds / 4)


def test_damaged_parents_are_taken_for_the_whole_program(tmp_path: Path) -> None:
    processes = small_world(1)
    deep = CONSTANTS["MOST_NESTED_REGIONS"]
    processes[0].regions += [region("later", 2, 1), region("itself", 2, 1), region("none", 99, 1)]
    processes[0].regions += [region(f"r{index}", index + 3 if index else 0, 0) for index in range(deep + 1)]
    stored = rows(made(tmp_path, processes).path, NESTED)
    assert [(name, parent) for _, name, parent, _ in stored[:4]] == [
        ("later", 0),
        ("itself", 0),
        ("none", 0),
        ("r0", 0),
    ]
    assert [path.count("/") for _, _, _, path in stored[3:]] == [*range(deep), 0]


def test_a_profile_whose_parents_are_a_circle_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = nested(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE regions SET parent = 3 - id WHERE id IN (1, 2)")
        connection.execute("UPDATE regions SET parent = 77 WHERE id = 3")
    assert main(["show", str(path), "--by", "region", "--json"]) == 0
    by_path = {row["path"]: row for row in json.loads(capsys.readouterr().out)["regions"]}
    assert {path: row["parent"] for path, row in by_path.items()} == {
        "(whole program)": None,
        "a": None,
        "a/b": 1,
        "b": None,
    }
    assert main(["show", str(path), "--by", "call", "--region", "a/"]) == 0


def test_the_tree_has_names_to_the_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    path = nested(tmp_path)
    assert main(["show", str(path), "--by", "region", "--rank", "0,1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split("   ")[0] for line in lines if line.lstrip().startswith(("a  ", "b  "))]
    assert names == ["a", "  b", "b"]
    assert main(["show", str(path), "--by", "region", "--region", "a/b"]) == 0
    assert [line.split("  ")[0] for line in capsys.readouterr().out.splitlines() if "a/b " in line][-1:] == [
        "a/b"
    ]


def test_thousands_of_regions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The time to show them grows as their number does: more is taken for a damaged profile."""
    processes = small_world(4)
    for process in processes:
        process.regions += [{"name": f"r{i}".encode(), "entries": 1, "ticks": 10} for i in range(3000)]
    path = made(tmp_path, processes).path
    assert main(["show", str(path), "--by", "region", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["regions"]) == 3001
