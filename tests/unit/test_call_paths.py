"""Through which functions calls are made: samples joined, shares, their errors, and who calls a library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from assembled import made, rows
from paths_made import made_paths
from synthetic import IDS, Process, loaded_object, small_world

from golden import assert_complaint, assert_facts
from rankwise.__main__ import main
from rankwise.analysis.calls.paths import Branch, Frame, call_trees, callers, paths
from rankwise.analysis.selection import Selection, select
from rankwise.findings.places import where
from rankwise.profile.collect.layout import CONSTANTS, PATH
from rankwise.profile.collect.path_sample import few_paths, possible_paths
from rankwise.text.paths import share_text, way_text

PROGRAM = loaded_object(b"/home/me/solver", b"\x01\x02", 1)
LIBRARY = loaded_object(b"/usr/lib/libways.so.1", b"\xab" * 20)
ALLREDUCE = IDS["MPI_Allreduce"]
KEPT = CONSTANTS["MOST_CALLERS"]
WHOLE, NO_ROOM = CONSTANTS["PATH_WHOLE"], CONSTANTS["PATH_NO_ROOM"]


def path(key: int, frames: list[int], calls: float) -> dict[str, Any]:
    """A row of a process; all of its calls are in the sample."""
    return {
        "key": key,
        "samples": round(calls),
        "calls": calls,
        "ticks": 1000 * calls,
        "site": CONSTANTS["FIRST_SITE"],
        "procedure": ALLREDUCE,
        "flags": WHOLE,
        "frame_count": len(frames),
        "frames": np.array(frames + [0] * (8 - len(frames)), np.uint16),
    }


def with_paths(process: Process, turned: bool) -> None:
    """Let a process have a site in a library that two functions call; each process numbers on its own."""
    process.objects = [LIBRARY, PROGRAM] if turned else [PROGRAM, LIBRARY]
    process.sites = [{"offset": 0x1234, "object": 0 if turned else 1}]
    own = 1 if turned else 0
    places = [{"offset": offset, "object": own} for offset in (0x10, 0x20, 0x30)]
    process.frames = places[::-1] if turned else places
    near, far, outer = (3, 2, 1) if turned else (1, 2, 3)
    process.paths = [[path(7, [near, outer], 6), path(8, [far, outer], 2)], [path(9, [near, outer], 4)]]


def test_samples_of_all_processes_and_threads_are_added_up(tmp_path: Path) -> None:
    processes = small_world()
    for number, process in enumerate(processes):
        with_paths(process, bool(number % 2))
    profile = made(tmp_path, processes).path
    frames = dict(rows(profile, "SELECT id, offset FROM frames"))
    sampled = {
        tuple(frames[int(frame)] for frame in str(through).split(",")): numbers
        for through, *numbers in rows(profile, "SELECT frames, ends, ranks, samples, calls FROM paths")
    }
    assert sampled == {(0x10, 0x30): ["whole", 4, 40, 40.0], (0x20, 0x30): ["whole", 4, 8, 8.0]}


@pytest.mark.parametrize(
    "damage",
    [
        {"frame_count": KEPT + 1},
        {"calls": float("nan")},
        {"ticks": float("inf")},
        {"calls_spread": -1.0},
        {"key": 0},
        {"site": 99},
        {"procedure": 2047},
    ],
)
def test_damaged_rows_are_passed_over(tmp_path: Path, damage: dict[str, Any]) -> None:
    processes = small_world()
    for process in processes:
        with_paths(process, turned=False)
        process.paths[0].append(path(10, [1], 100) | damage)
    profile = made(tmp_path, processes).path
    assert rows(profile, "SELECT SUM(samples) FROM paths") == [(48,)]


def test_a_path_with_a_frame_that_has_no_record_is_not_known(tmp_path: Path) -> None:
    processes = small_world()
    for process in processes:
        with_paths(process, turned=False)
        process.paths[0].append(path(10, [1, 99], 5))
    profile = made(tmp_path, processes).path
    assert rows(profile, "SELECT frames, samples FROM paths WHERE ends = 'unknown'") == [("", 20)]


def test_few_paths_keep_the_heaviest_and_lose_no_call() -> None:
    table = np.zeros(6, PATH)
    table["key"], table["site"], table["samples"] = np.arange(6) + 1, [1, 1, 1, 2, 2, 2], 1
    table["calls"], table["ticks"] = [5, 4, 3, 2, 1, 1], [50, 40, 30, 20, 10, 60]
    table["frame_count"] = 2
    kept = few_paths(possible_paths(table), 3)
    assert sorted(kept["ticks"].tolist()) == [30, 30, 40, 50, 60]
    assert kept["calls"].sum() == table["calls"].sum()
    others = kept[kept["flags"] == NO_ROOM]
    assert sorted(others["site"].tolist()) == [1, 2]
    assert not others["frame_count"].any()
    assert few_paths(table, 6) is table


def test_exact_numbers_are_divided_by_the_shares() -> None:
    ways = paths(made_paths().connection)
    assert [row.functions for row in ways] == [
        ["reduce", "gather", name, "main"] for name in ("solve", "norm", "output")
    ]
    assert [round(row.calls) for row in ways] == [600, 300, 100]
    assert [row.seconds for row in ways] == pytest.approx([1.2, 0.6, 0.2])
    assert [row.percent_of_mpi for row in ways] == pytest.approx([60, 30, 10])
    for row, share in zip(ways, (60, 30, 10), strict=True):
        assert row.share_of_time.percent == pytest.approx(share)
        assert row.share_of_time.low < share < row.share_of_time.high
        assert row.share_of_time.error == pytest.approx(row.share_of_calls.error)
    assert way_text(ways[0]) == "reduce < gather < solve < main"


def test_the_error_is_that_of_the_number_of_calls() -> None:
    # 100 calls that stand for 4 each, of 400: the variance of a share of 60 % is 0.6 x 0.4 / 100 x 3 / 4.
    [first, *_] = paths(made_paths(4.0).connection)
    assert (first.share_of_calls.high - first.share_of_calls.low) / 2 == pytest.approx(
        100 * 1.96 * (0.6 * 0.4 / 100 * 3 / 4) ** 0.5, rel=0.03
    )
    [first, *_] = paths(made_paths(1.0).connection)
    assert (first.share_of_calls.low, first.share_of_calls.high) == pytest.approx((60, 60))
    assert share_text(first.share_of_calls) == "60.0"


def test_one_way_in_the_sample_is_not_certain_to_be_the_only_one() -> None:
    profile = made_paths(4.0)
    profile.connection.execute("DELETE FROM paths WHERE id > 1")
    [row] = paths(profile.connection)
    assert row.share_of_calls.percent == row.share_of_calls.high == 100
    assert 90 < row.share_of_calls.low < 100


def test_the_caller_is_the_program_s_innermost_call() -> None:
    [(place, procedure)] = callers(made_paths().connection)
    assert (place.library, procedure) == ("libways", "MPI_Allreduce")
    callers_of_place = callers(made_paths().connection)[place, procedure]
    assert [caller.frame.function for caller in callers_of_place] == ["solve", "norm", "output"]
    assert callers_of_place[0].frame == Frame(
        "s.c:1", "/home/me/solver", "solver", True, "solve", "/s.c", 1, None
    )


def test_beyond_what_is_kept_the_caller_is_in_another_library() -> None:
    profile = made_paths()
    profile.insert("objects", id=3, path="/usr/lib/libother.so.2")
    profile.insert("frames", id=6, object=3, offset=0x55, function="other")
    profile.connection.execute("UPDATE paths SET frames = '5,6,5', ends = 'more'")
    [callers_of_place] = callers(profile.connection).values()
    assert [(caller.frame.function, caller.share.percent) for caller in callers_of_place] == [
        ("other", pytest.approx(100))
    ]
    profile.connection.execute("UPDATE paths SET frames = '5'")
    [callers_of_place] = callers(profile.connection).values()
    assert [caller.frame.library for caller in callers_of_place] == ["libways"]


def test_a_caller_without_a_name_is_named_by_what_it_calls() -> None:
    """As in a library that exports what programs call, and that a stripped extension of Python calls."""
    profile = made_paths()
    profile.insert("objects", id=3, path="/usr/lib/extension.so")
    profile.insert("frames", id=6, object=3, offset=0x55)
    profile.connection.execute("UPDATE paths SET frames = '5,6', ends = 'python'")
    assert [caller.frame.library for caller in next(iter(callers(profile.connection).values()))] == [
        "libways"
    ]
    profile.connection.execute("UPDATE frames SET function = NULL")
    assert [caller.frame.library for caller in next(iter(callers(profile.connection).values()))] == [
        "extension"
    ]


def test_what_is_not_known_is_nobody_s() -> None:
    profile = made_paths()
    profile.connection.execute("UPDATE paths SET frames = '', ends = 'unknown' WHERE id = 1")
    [callers_of_place] = callers(profile.connection).values()
    assert [round(caller.share.percent) for caller in callers_of_place] == [30, 10]
    texts = [way_text(row) for row in paths(profile.connection)]
    assert texts[0] == "reduce < (not known)"
    profile.connection.execute("UPDATE paths SET ends = 'cut' WHERE id = 1")
    assert way_text(paths(profile.connection)[0]) == "reduce < ?"


def outline(branches: list[Branch]) -> list[str]:
    """Each caller, or why there is none, and the share of the time, with dots for what lies between."""
    lines = []
    for branch in branches:
        name = (branch.frame.function if branch.frame else None) or branch.ends
        lines.append(f"{name} {branch.share_of_time.percent:.0f}")
        lines += [f".{line}" for line in outline(branch.callers)]
    return lines


def test_ways_with_callers_in_common_are_one_tree() -> None:
    profile = made_paths()
    profile.connection.execute("UPDATE paths SET frames = '5,1,4' WHERE id = 2")  # another one through solve
    [(key, tree)] = call_trees(profile.connection).items()
    assert (key[0].function, key[1], tree.samples) == ("reduce", "MPI_Allreduce", 100)
    assert outline(tree.callers) == ["gather 100", ".solve 90", "..main 90", ".output 10", "..main 10"]
    # The error is that of all calls that came through it, not a sum of errors.
    [gather] = tree.callers
    solve = gather.callers[0]
    assert tree.caller is not None and tree.caller.share == solve.share_of_time
    assert solve.samples == 90
    low, high = solve.share_of_calls.low, solve.share_of_calls.high
    assert (high - low) / 2 == pytest.approx(100 * 1.96 * (0.9 * 0.1 / 100 * 3 / 4) ** 0.5, rel=0.05)


def test_trees_say_where_callers_are_not_known() -> None:
    profile = made_paths()
    profile.connection.execute("UPDATE paths SET frames = '5', ends = 'cut' WHERE id = 1")
    profile.connection.execute("UPDATE paths SET frames = '', ends = 'unknown' WHERE id = 2")
    profile.connection.execute("UPDATE paths SET frames = '5,3', ends = 'more' WHERE id = 3")
    [tree] = call_trees(profile.connection).values()
    assert outline(tree.callers) == ["gather 70", ".cut 60", ".output 10", "..more 10", "unknown 30"]


def test_a_beginning_is_told_only_beside_callers() -> None:
    profile = made_paths()
    profile.connection.execute("UPDATE paths SET frames = '5' WHERE id = 1")
    [tree] = call_trees(profile.connection).values()
    assert outline(tree.callers)[:2] == ["gather 100", ".whole 60"]
    profile.connection.execute("UPDATE paths SET frames = ''")
    [tree] = call_trees(profile.connection).values()
    assert (tree.callers, tree.caller, tree.samples) == ([], None, 100)


def test_a_finding_names_who_calls_the_library() -> None:
    place = where(made_paths(1.0).connection, ["MPI_Allreduce"])
    assert place.text == " (libways.so.1+0x99, called by solve, s.c:1)"
    [fact] = place.facts
    assert fact.value == "solve, s.c:1 (60.0 %); norm, s.c:2 (30.0 %); output, s.c:3 (10.0 %)"
    # Not with certainty more than half of the time.
    profile = made_paths(4.0)
    profile.connection.execute("UPDATE paths SET seconds_spread = 20 * seconds_spread")
    assert where(profile.connection, ["MPI_Allreduce"]).text == " (libways.so.1+0x99)"


def test_the_program_s_own_places_need_no_caller() -> None:
    profile = made_paths()
    profile.connection.execute("UPDATE sites SET object = 1")
    assert callers(profile.connection) == {}
    assert where(profile.connection, ["MPI_Allreduce"]).facts == ()


def test_a_part_of_the_run_has_the_paths_of_whole_procedures_only() -> None:
    profile = made_paths()
    select(profile.connection, Selection(call="Allreduce"))
    assert len(paths(profile.connection)) == 3
    for part in (Selection(call="Send"), Selection(rank="0")):
        profile = made_paths()
        select(profile.connection, part)
        assert paths(profile.connection) == []


def test_views(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(made_paths().write(tmp_path / "made.rankwise"))
    assert main(["show", file, "--by", "path"]) == 0
    assert_facts(capsys.readouterr().out, "Allreduce .. 60.0 +- 8.5 .. libways.so.1+0x99 .. 600")
    assert main(["show", file, "--by", "site"]) == 0
    shown = capsys.readouterr().out
    first = shown.split("\n\n")[1]
    for word in ("time (sum)", "% of MPI", "called by", "solve 60 +- "):
        assert word in first
    assert main(["show", file, "--by", "path", "--json"]) == 0
    [row, *_] = json.loads(capsys.readouterr().out)["paths"]
    assert [frame["function"] for frame in row["frames"]] == ["gather", "solve", "main"]
    assert main(["show", file, "--by", "path", "--rank", "0"]) != 0
    assert_complaint(capsys.readouterr().err, "--rank .. --by path")
