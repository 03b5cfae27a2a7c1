"""A part of a profile is as a profile that has nothing else."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import profiles
import pytest
from test_kept_sums import near

from golden import Golden
from rankwise.__main__ import main

ONLY_COUNTED = {"families", "communicators"}  # those that nothing was called on are listed in the whole alone


def shown(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> Any:
    assert main(["show", str(path), *words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def refused(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    assert main(["show", str(path), *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    return err


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return profiles.write_inside(tmp_path / "a.rankwise")


def delete(path: Path, *statements: str) -> Path:
    target = path.with_name("part.rankwise")
    target.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(target)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute(
            "UPDATE ranks SET mpi = (SELECT TOTAL(seconds) FROM calls"
            " WHERE calls.rank = ranks.rank AND procedure NOT IN (1, 8))"
        )
        connection.commit()
    return target


def of_calls(condition: str) -> str:
    return f"DELETE FROM calls WHERE NOT ({condition})"


def of_messages(condition: str) -> str:
    return f"DELETE FROM messages WHERE NOT ({condition})"


REGION_TIMES = "DELETE FROM region_times WHERE NOT (region = 1)"
RANKS = [f"DELETE FROM {table} WHERE rank NOT IN (1, 3)" for table in ("ranks", "region_times")]
OF_CALLS = ["call", "size", "region", "communicator", "rank"]
OF_MESSAGES = ["pair", "node", "collective"]
PARTS: list[tuple[list[str], list[str], list[str]]] = [
    (
        ["--call", "allreduce,MPI_Bcast"],
        [of_calls("procedure IN (2, 7)"), of_messages("procedure IN (2, 7)")],
        [*OF_CALLS, *OF_MESSAGES],
    ),
    (
        ["--communicator", "W_a1_u1.0,column"],
        [of_calls("communicator IN (5, 7, 8)"), of_messages("communicator IN (5, 7, 8)")],
        [*OF_CALLS, *OF_MESSAGES],
    ),
    (
        ["--communicator", "W_a1_u1"],
        [of_calls("communicator IN (5, 6)"), of_messages("communicator IN (5, 6)")],
        [*OF_CALLS, *OF_MESSAGES],
    ),
    (["--region", "solve"], [of_calls("region = 1"), REGION_TIMES], OF_CALLS),
    (["--size", "8-15"], [of_calls("size_bin = 4")], OF_CALLS),
    (["--size", "0-16K"], [of_calls("size_bin < 15")], OF_CALLS),
    (["--size", "8-"], [of_calls("size_bin BETWEEN 4 AND 64")], OF_CALLS),
    (["--rank", "1,3"], [of_calls("rank IN (1, 3)"), *RANKS], ["call", "size", "region", "rank"]),
    (
        ["--rank", "1,3-3", "--call", "Allreduce", "--size", "8"],
        [of_calls("rank IN (1, 3) AND procedure = 2 AND size_bin = 4"), *RANKS],
        ["call", "size", "region", "rank"],
    ),
    (
        ["--node", "nodeb", "--communicator", "W"],
        [
            of_calls("rank IN (2, 3) AND communicator = 3"),
            "DELETE FROM ranks WHERE rank < 2",
            "DELETE FROM region_times WHERE rank < 2",
        ],
        ["call", "size", "region", "rank"],
    ),
]


@pytest.mark.parametrize(("words", "statements", "views"), PARTS, ids=lambda value: "_".join(value)[:30])
def test_a_part_is_as_if_there_were_nothing_else(
    path: Path, capsys: pytest.CaptureFixture[str], words: list[str], statements: list[str], views: list[str]
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE communicators SET user_name = 'column' WHERE id IN (7, 8)")
        connection.commit()
    alone = delete(path, *statements)
    for view in views:
        part, expected = shown(capsys, path, "--by", view, *words), shown(capsys, alone, "--by", view)
        assert part["selected"]["percent_of_mpi"] <= 100
        assert part.keys() - {"selected"} == expected.keys()
        for key in expected.keys() - {"trust"}:
            rows = expected[key]
            if key in ONLY_COUNTED:
                rows = [row for row in rows if row["calls"]]
            assert part[key] == near(rows), (view, key)


@pytest.mark.parametrize("view", ["call", "size", "region", "rank"])
def test_the_ranks_make_up_the_whole(path: Path, capsys: pytest.CaptureFixture[str], view: str) -> None:
    key = {"call": "calls", "size": "sizes", "region": "regions", "rank": "ranks"}[view]

    def seconds(*words: str) -> float:
        return float(sum(row["seconds"] for row in shown(capsys, path, "--by", view, *words)[key]))

    assert sum(seconds("--rank", str(rank)) for rank in range(4)) == pytest.approx(seconds())
    assert sum(seconds("--node", node) for node in ("nodea", "nodeb")) == pytest.approx(seconds())


def test_messages_of_ranks_are_those_from_and_to_them(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = shown(capsys, path, "--by", "pair")["pairs"]
    part = shown(capsys, path, "--by", "pair", "--rank", "3")["pairs"]
    ends = {(row["source"], row["destination"], row["kind"], row["bytes"]) for row in whole}
    assert {(row["source"], row["destination"], row["kind"], row["bytes"]) for row in part} == {
        each for each in ends if 3 in each[:2]
    }
    # Whoever is at the other end has a host.
    assert all(row["source_host"] and row["destination_host"] for row in part)
    cells = shown(capsys, path, "--matrix", "--by", "node", "--node", "nodea", "--call", "Isend")["matrix"][
        "cells"
    ]
    assert {(cell["source"], cell["destination"]) for cell in cells} == {(0, 0), (0, 1), (1, 0)}
    # Of a collective that is what the ranks send.
    [reduce] = [
        row
        for row in shown(capsys, path, "--by", "collective", "--rank", "0")["collectives"]
        if row["procedure"] == "MPI_Allreduce"
    ]
    assert (reduce["messages"], reduce["bytes"]) == (200, 1600)


def test_shares_are_of_the_part_and_its_own_is_told(
    path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    answer = shown(capsys, path, "--by", "call", "--call", "Allreduce")
    assert answer["selected"]["percent_of_mpi"] == pytest.approx(100 * 2.5 / profiles.MPI_TOTAL)
    assert [row["percent_of_mpi"] for row in answer["calls"]] == [100]
    assert main(["show", str(path), "--by", "call", "--call", "Allreduce", "--size", "0-1K"]) == 0
    line = " ".join(capsys.readouterr().out.split()[:26])
    golden.says(line, "Allreduce .. 0 B .. 1.00 KiB .. 46.6 % .. MPI")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--rank", "3"], "Only rank 3:"),
        (["--rank", "0-1"], "Only ranks 0-1:"),
        (["--rank", "0,3", "--node", "nodea"], "Only ranks 0,3, node nodea:"),
        (["--call", "Bcast,Allreduce"], "Only calls Bcast,Allreduce:"),
        (["--communicator", "W,W_a1"], "Only communicators W,W_a1:"),
    ],
)
def test_one_or_several(
    path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str, golden: Golden
) -> None:
    assert main(["show", str(path), "--by", "call", *words]) == 0
    out = capsys.readouterr().out
    assert out.startswith(told)
    assert "all ranks'" not in out
    golden.says(out, "MPI .. MPI")


@pytest.mark.parametrize(
    "words",
    [
        ["--by", "call", "--call", "Alltoall"],
        ["--by", "communicator", "--call", "Alltoall"],
        ["--by", "pair", "--call", "Alltoall"],
        ["--by", "collective", "--call", "Isend"],
        ["--by", "file", "--rank", "0"],
    ],
)
def test_nothing_in_the_part_says_nothing_of_the_whole(
    path: Path, capsys: pytest.CaptureFixture[str], words: list[str], golden: Golden
) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT OR IGNORE INTO procedures VALUES (99, 'MPI_Alltoall', 'collective')")
    assert main(["show", str(path), *words]) == 0
    said = " ".join(capsys.readouterr().out.split())
    golden.says(said)


def test_nobody_spends_the_most_of_nothing(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(path), "--by", "rank", "--region", "(outside)", "--call", "Isend"]) == 0
    assert "the most" not in capsys.readouterr().out


def test_opens_of_files_are_those_of_the_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = profiles.write_with_files(tmp_path / "a.rankwise")

    def opens(*words: str) -> dict[str, int]:
        rows = shown(capsys, files, "--by", "file", *words)["files"]
        return {row["file"]: row["opens"] for row in rows}

    assert opens() == {"out.dat": 8, "log": 2}
    assert opens("--rank", "2-3") == {"out.dat": 4}
    assert opens("--node", "nodea") == {"out.dat": 4, "log": 0}  # (log was opened in a pause)
    assert opens("--call", "File_read_at") == {"out.dat": 0}
    assert opens("--communicator", "W") == {"out.dat": 8}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ["--by", "pair", "--size", "1K-2K"],
            "--size .. --by",
        ),
        (["--matrix", "--region", "solve"], "--region .. --matrix"),
        (["--by", "algorithm", "--rank", "0"], "--rank .. --by"),
        (["--by", "file", "--size", "0"], "--size .. --by"),
        (["--call", "Bcast"], "--call .. --by .. --matrix"),
        (["--by", "call", "--rank", "4"], "4 .. 0 .. 3"),
        (["--by", "call", "--rank", "3-1"], "'3-1' .. 0-3,7"),
        (["--by", "call", "--rank", "a"], "'a' .. 0-3,7"),
        (["--by", "call", "--rank", "0-999999999"], "999999999 .. 0 .. 3"),
        (
            ["--by", "call", "--communicator", "W,X"],
            "'X' .. `rankwise .. F --by",
        ),
        (["--by", "call", "--call", "Bcasts"], "there is no MPI procedure 'Bcasts'"),
        (["--by", "call", "--region", "solved"], "'solved' .. --by"),
        (["--by", "call", "--node", "nodec"], "'nodec' .. --by"),
    ],
)
def test_what_can_not_be_told_is_one_line(
    path: Path, capsys: pytest.CaptureFixture[str], words: list[str], why: str, golden: Golden
) -> None:
    golden.says(refused(capsys, path, *words), why)


@pytest.mark.parametrize("size", ["1000-2000", "2K-1K", "x", "1K-x", "-5", ""])
def test_sizes_are_powers_of_two(path: Path, capsys: pytest.CaptureFixture[str], size: str) -> None:
    assert "--size" in refused(capsys, path, "--by", "call", f"--size={size}")


def test_export_of_a_part(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    def exported(*words: str) -> dict[str, list[dict[str, str]]]:
        target = tmp_path / "-".join(["out", *words])
        assert main(["export", str(path), "--format", "csv", "-o", str(target), *words]) == 0
        tables = {}
        for file in target.iterdir():
            with file.open(newline="") as stream:
                tables[file.stem] = list(csv.DictReader(stream))
        return tables

    whole, part = exported(), exported("--rank", "3", "--call", "Allreduce")
    expected = [
        row for row in whole["calls"] if row["rank"] == "3" and row["procedure_name"] == "MPI_Allreduce"
    ]
    assert part["calls"] == expected
    assert {row["rank"] for row in part["ranks"]} == {"3"}
    assert all("3" in (row["source"], row["destination"]) for row in part["messages"])
    assert whole.keys() - part.keys() == {
        "paths",
        "patterns",
        "pattern_messages",
        "network_ports",
        "network_samples",
        "region_times",
        "intervals",
    }
    assert part.keys() <= whole.keys()
    capsys.readouterr()
    assert "messages" not in exported("--size", "8")
    golden.says(capsys.readouterr().err)
