"""Regions inside one another: programs/regions.c, on every MPI."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from libraries import Mpi
from recording import RANKWISE, Record, Recording

from golden import assert_complaint

RANKS = range(2)

# Path: entries of a rank, and the bytes of each broadcast in it.
TREE = {
    "setup": (1, [1]),
    "setup/exchange": (1, [2]),
    "solve": (3, [3, 3, 3]),
    "solve/exchange": (3, [5, 5, 5]),
    "solve/exchange/pack": (3, [7, 7, 7]),
    "walk": (2, [11, 19]),
    "walk/step": (1, []),
    "walk/step/walk": (1, [13]),
    "walk/step/walk/step": (1, [17]),
    "late": (2, [31]),
    "late/inner": (2, []),
    "late/inner/innermost": (2, [23]),
    "last": (1, []),
    "last/exchange": (1, [37]),
}
OUTSIDE = [29]
ONLY_ON_1 = ("only here", "only here/exchange")
TOLERANCE = 1e-6  # seconds: times are added up in another order

RECORDED: dict[str, Recording] = {}  # once for all tests of the tree


@pytest.fixture
def done(record: Record, mpi: Mpi) -> Recording:
    if mpi.name not in RECORDED:
        RECORDED[mpi.name] = record("regions.c", len(RANKS))
    return RECORDED[mpi.name]


def broadcasts(done: Recording) -> dict[tuple[int, str], tuple[int, int]]:
    """Calls of MPI_Bcast and what they contribute, by rank and path."""
    rows = done.rows(
        """SELECT rank, regions.path, sum(calls), sum(bytes_sent) FROM calls
           JOIN procedures ON procedures.id = calls.procedure JOIN regions ON regions.id = calls.region
           WHERE procedures.name = 'MPI_Bcast' GROUP BY rank, regions.id"""
    )
    return {(int(str(rank)), str(path)): (calls, sent) for rank, path, calls, sent in rows}  # type: ignore[misc]


def expected(places: dict[str, list[int]]) -> dict[tuple[int, str], tuple[int, int]]:
    """The same, where the sizes of rank 0's broadcasts are known; the root alone contributes."""
    return {
        (rank, path): (len(sizes), 0 if rank else sum(sizes))
        for rank in RANKS
        for path, sizes in places.items()
        if sizes
    }


def times(done: Recording) -> dict[tuple[int, str], tuple[int, float, float]]:
    """Entries, inclusive and exclusive seconds by rank and path."""
    rows = done.rows(
        """SELECT rank, path, entries, seconds, exclusive FROM region_times
           JOIN regions ON regions.id = region"""
    )
    return {(int(str(r)), str(path)): (n, all_in, alone) for r, path, n, all_in, alone in rows}  # type: ignore[misc]


def test_a_name_inside_of_another_region_is_another_region(done: Recording) -> None:
    places = {path: sizes for path, (_, sizes) in TREE.items()} | {"(whole program)": OUTSIDE}
    assert broadcasts(done) == expected(places)
    entries = {(rank, path): times for rank in RANKS for path, (times, _) in TREE.items()}
    entries |= {(rank, "(whole program)"): 1 for rank in RANKS} | {(1, path): 1 for path in ONLY_ON_1}
    assert {key: row[0] for key, row in times(done).items()} == entries
    assert done.dropped == {}


def test_parents(done: Recording) -> None:
    rows = done.rows(
        """SELECT regions.path, regions.name, around.path FROM regions
           LEFT JOIN regions AS around ON around.id = regions.parent"""
    )
    paths = {*TREE, *ONLY_ON_1}
    assert {path for path, _, _ in rows} == paths | {"(whole program)", "(other)"}
    for path, name, around in rows:
        if path in paths:
            outer, _, last = str(path).rpartition("/")
            assert (name, around) == (last, outer or "(whole program)")
        else:
            assert (name, around) == (path, None)


def test_times_are_inclusive_and_exclusive(done: Recording) -> None:
    figures = times(done)
    for (rank, path), (_, inclusive, exclusive) in figures.items():
        nested = [
            seconds
            for (r, other), (_, seconds, _) in figures.items()
            if r == rank and other.rpartition("/")[0] == ("" if path == "(whole program)" else path) != other
            if other != "(whole program)"
        ]
        assert exclusive == pytest.approx(inclusive - sum(nested), abs=TOLERANCE)
    for rank in RANKS:
        assert figures[rank, "setup/exchange"][1] >= 0.02
        assert figures[rank, "setup"][2] >= 0.01
        assert figures[rank, "setup"][1] >= 0.03
        assert figures[rank, "walk"][2] >= 0.01  # counted once, though it was entered inside itself
        [(wall,)] = done.rows("SELECT wall FROM ranks WHERE rank = ?", rank)
        assert sum(row[2] for (r, _), row in figures.items() if r == rank) == pytest.approx(
            wall, abs=TOLERANCE
        )


def test_the_view_is_a_tree(done: Recording) -> None:
    [header, *lines] = done.shown("--by", "region", "--limit", "0").split("region  ", 1)[1].splitlines()
    assert header.split("  ")[-1] == "% of run"
    lines = lines[: next(number for number, line in enumerate(lines) if line.startswith("total"))]
    above: list[str] = []
    shown = []
    for line in lines:
        depth = (len(line) - len(line.lstrip())) // 2
        above = [*above[:depth], line.strip().split("  ")[0]]
        shown.append("/".join(above))
    assert len(shown) == len(TREE) + len(ONLY_ON_1) + 1
    assert {*shown} == {*TREE, *ONLY_ON_1, "(outside)"}
    data = json.loads(done.shown("--by", "region", "--json"))["regions"]
    rows = {row["path"]: row for row in data}
    assert set(rows) == {*TREE, *ONLY_ON_1, "(whole program)"}
    numbers = {row["region"]: row for row in data}
    for path, row in rows.items():
        below = [child for child in data if child["parent"] == row["region"]]
        inclusive = row["seconds"] + sum(child["inclusive_mpi_seconds"] for child in below)
        assert row["inclusive_mpi_seconds"] == pytest.approx(inclusive, abs=TOLERANCE)
        assert 0 <= row["percent_in_mpi"] <= 100
        assert row["depth"] == path.count("/")
        assert row["parent"] is None or row["depth"] in (0, numbers[row["parent"]]["depth"] + 1)


@pytest.mark.parametrize(
    ("wanted", "paths"),
    [
        ("exchange", ["setup/exchange", "solve/exchange", "last/exchange"]),
        ("solve/exchange", ["solve/exchange"]),
        ("solve", ["solve"]),
        ("solve/", ["solve", "solve/exchange", "solve/exchange/pack"]),
        ("walk", ["walk", "walk/step/walk"]),
        ("solve/exchange,(outside)", ["solve/exchange", "(outside)"]),
    ],
)
def test_filters_take_names_and_paths(done: Recording, wanted: str, paths: list[str]) -> None:
    calls = json.loads(done.shown("--by", "call", "--region", wanted, "--call", "Bcast", "--json"))["calls"]
    sizes = [size for path in paths for size in (OUTSIDE if path == "(outside)" else TREE[path][1])]
    assert [(row["procedure"], row["calls"], row["bytes_sent"]) for row in calls] == [
        ("MPI_Bcast", 2 * len(sizes), sum(sizes))
    ]
    rows = json.loads(done.shown("--by", "region", "--region", wanted, "--json"))["regions"]
    found_paths = {row["path"] for row in rows if row["entries"]} - set(ONLY_ON_1)
    assert found_paths == {"(whole program)" if path == "(outside)" else path for path in paths}


def test_a_name_that_is_none_is_refused(done: Recording) -> None:
    command = [str(RANKWISE), "show", str(done.path), "--by", "call", "--region", "exchange/solve"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ})
    assert answer.returncode != 0
    assert_complaint(answer.stderr, "'exchange/solve' .. --by region")


def test_more_regions_than_there_is_room_for(record: Record) -> None:
    done = record("regions.c", len(RANKS), "full")
    kept = 4094 - 1  # without "all"
    lost = 5000 - kept
    places = {"all": [1] * lost + [2, 2, 3], "(whole program)": [4, 5]}
    places |= {f"all/part {number}": [1] for number in range(kept)}
    assert broadcasts(done) == expected(places)
    assert done.dropped == {"regions": len(RANKS) * (lost + 3)}


def test_deeper_than_there_is_room_for(record: Record) -> None:
    done = record("regions.c", len(RANKS), "deep")
    levels, room = 300, 256
    names = ["odd" if level % 2 else "even" for level in range(room)]
    places = {"/".join(names[: level + 1]): [1, 2] for level in range(room)}
    del places["/".join(names)]
    # Going in: its own broadcast and those of the levels without a record; going out: those of the latter.
    places["/".join(names)] = [1] * (1 + levels - room) + [2] * (levels - room)
    places |= {"(whole program)": [2, 5], "after": [3], "itself": [4]}
    assert broadcasts(done) == expected(places)
    assert done.dropped == {"regions": len(RANKS) * (levels - room)}
    assert {row[0] for (_, path), row in times(done).items() if path == "itself"} == {1000}
