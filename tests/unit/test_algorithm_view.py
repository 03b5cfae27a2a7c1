"""The algorithms that the view names, and what it says where it names none."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import profiles
import pytest

from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.analysis.collectives import patterns
from rankwise.analysis.collectives.asked import CLASSES, collectives
from rankwise.analysis.collectives.patterns import Algorithm, algorithm_families, algorithms
from rankwise.profile.store.database import open_profile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return profiles.write_inside(tmp_path / "inside.rankwise")


def change(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)


def rows(path: Path) -> list[Algorithm]:
    with closing(open_profile(path)) as connection:
        return algorithms(connection)


def texts(path: Path) -> dict[tuple[str, int | None], str]:
    return {(row.procedure, row.size): row.text for row in rows(path)}


def test_the_algorithm_that_sends_these_messages(path: Path) -> None:
    first, *others = rows(path)
    assert (first.procedure, first.communicator, first.root, first.size) == ("MPI_Allreduce", "W", None, 8)
    assert (first.calls, first.messages, first.bytes) == (100, 8, 64)
    assert (first.algorithm, first.exact, first.text) == ("recursive doubling", True, "recursive doubling")
    assert {row.text.partition(":")[0] for row in others} == {"not visible here"}
    assert {row.messages for row in others} == {None}


def test_other_bytes_or_messages_are_another_algorithm(path: Path) -> None:
    change(path, "UPDATE pattern_messages SET bytes = bytes + 1")
    assert not rows(path)[0].exact
    change(path, "UPDATE pattern_messages SET messages = 7 WHERE source = 0")
    assert rows(path)[0].algorithm is None
    assert texts(path)["MPI_Allreduce", 8] == "unknown"


def test_a_pattern_that_is_not_complete(path: Path, golden: Golden) -> None:
    change(path, "UPDATE patterns SET complete = 0")
    assert rows(path)[0].messages == 8
    golden.says(texts(path)["MPI_Allreduce", 8])
    change(path, "DELETE FROM pattern_messages")
    change(path, "UPDATE patterns SET kept_call = 0")
    assert rows(path)[0].messages is None
    golden.says(texts(path)["MPI_Allreduce", 8])


def test_messages_that_are_not_all_visible_tell_no_algorithm(tmp_path: Path, golden: Golden) -> None:
    path = profiles.write_inside(tmp_path / "a.rankwise", sees="between-nodes")
    golden.says(texts(path)["MPI_Allreduce", 8])


def test_an_algorithm_that_explains_all_proves_that_none_is_missing(path: Path, golden: Golden) -> None:
    change(path, "UPDATE procedures SET name = 'MPI_Iallreduce' WHERE name = 'MPI_Allreduce'")
    assert texts(path)["MPI_Iallreduce", 8] == "recursive doubling"
    change(path, "DELETE FROM pattern_messages WHERE source = 0 AND destination = 1")
    golden.says(texts(path)["MPI_Iallreduce", 8])


def test_messages_that_are_too_few_for_the_data_are_no_algorithm(path: Path, golden: Golden) -> None:
    change(path, "UPDATE patterns SET size = 1000 WHERE id = 1")
    golden.says(texts(path)["MPI_Allreduce", 1000])
    assert rows(path)[0].messages == 8


def test_one_shape_without_messages_among_others(path: Path, golden: Golden) -> None:
    change(path, "INSERT INTO patterns VALUES (2, 3, 2, NULL, 0, 9, 2, 1), (3, 3, 2, NULL, 16, 7, 2, 1)")
    sentences = texts(path)
    assert sentences["MPI_Allreduce", 0] == "not visible here: called without data (size 0)"
    golden.says(sentences["MPI_Allreduce", 16])
    # The shape with the most calls comes first.
    assert [row.calls for row in rows(path)][:3] == [100, 9, 7]


def test_collectives_without_single_calls(path: Path, golden: Golden) -> None:
    change(path, "DELETE FROM pattern_messages")
    change(path, "DELETE FROM patterns")
    golden.says(texts(path)["MPI_Allreduce", None])


def test_intercommunicators_and_many_processes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MOST_PROCESSES", 3)
    assert texts(path)["MPI_Allreduce", 8] == patterns.TOO_MANY
    change(path, "UPDATE communicators SET remote_size = 2 WHERE id = 3")
    assert texts(path)["MPI_Allreduce", 8] == patterns.INTERCOMMUNICATOR


def test_other_calls_have_no_algorithm(path: Path) -> None:
    change(path, "INSERT INTO procedures VALUES (99, 'MPI_Comm_dup', 'communicator')")
    change(path, "INSERT INTO calls VALUES (0, 3, 0, 99, 0, 1, 0, 0, 0.1, 0.1, 0.1, 0, NULL)")
    change(path, "INSERT INTO messages VALUES (0, 1, 3, 'in-collective', 99, 3, 12)")
    assert "MPI_Comm_dup" not in {row.procedure for row in rows(path)}


def test_a_rank_that_there_is_not_is_damage(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(path, "INSERT INTO pattern_messages VALUES (1, 0, -1, 1, 8)")
    assert main(["show", str(path), "--by", "algorithm"]) == 2
    assert "damaged profile" in capsys.readouterr().err


def test_by_algorithm(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    change(path, "INSERT INTO patterns VALUES (2, 3, 7, 1, NULL, 3, 2, 1)")
    change(path, "INSERT INTO calls VALUES (0, 3, 0, 7, 0, 1, 0, 0, 0.1, 0.1, 0.1, 0, NULL)")
    assert main(["show", str(path), "--by", "algorithm"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    words = [line.split() for line in text.splitlines()]
    assert ["Allreduce", "W", "1", "x", "4", "8", "B", "100", "2.50", "s", "recursive", "doubling"] in words
    [bcast] = [row for row in words if row[:6] == ["Bcast", "W", "1", "x", "4", "varies"]]
    assert bcast[6] == "3"
    assert_facts(" ".join(text.split()), "[1]")
    assert main(["show", str(path), "--by", "algorithm", "-v"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    words = [line.split() for line in text.splitlines()]
    assert ["100", "8", "64", "B", "2.50", "s"] in [row[-6:] for row in words]
    assert ["Allreduce", "W", "4", "-", "8", "B", "recursive", "doubling"] in words
    assert ["Bcast", "W", "4", "1", "varies", "3"] in [row[:6] for row in words]


def test_shapes_that_are_carried_out_alike_are_one_row(path: Path) -> None:
    change(path, "INSERT INTO patterns VALUES (2, 3, 2, NULL, 16, 25, 2, 1), (3, 3, 2, NULL, 32, 75, 2, 1)")
    for pattern, size in ((2, 16), (3, 31)):
        change(
            path,
            "INSERT INTO pattern_messages SELECT ?, source, destination, 1, ? FROM pattern_messages"
            " WHERE pattern = 1",
            pattern,
            size,
        )
    shapes = [row for row in rows(path) if row.procedure == "MPI_Allreduce"]
    # All calls are of one size bin: the others' time is not known, and taken to be the same a call.
    assert {row.size: row.seconds for row in shapes} == pytest.approx({8: 1.25, 16: 0.3125, 32: 0.9375})
    row, other = [row for row in algorithm_families(rows(path)) if row.procedure == "MPI_Allreduce"]
    assert (row.communicator, row.communicators, row.size_min, row.size_max) == ("W", 1, 4, 4)
    assert (row.shapes, row.roots, row.least, row.most, row.varies, row.calls) == (2, 0, 8, 16, False, 125)
    assert (row.algorithm, row.exact, row.seconds) == ("recursive doubling", True, pytest.approx(1.5625))
    assert (other.least, other.most, other.exact) == (32, 32, False)
    whole = sum(row.seconds for row in rows(path))
    assert sum(row.seconds for row in algorithm_families(rows(path))) == pytest.approx(whole)
    with closing(open_profile(path)) as connection:
        asked = [row for row in collectives(connection) if row.class_name in CLASSES]
    assert whole == pytest.approx(sum(row.totals.seconds for row in asked))
    share = sum(row.percent_of_mpi for row in rows(path))
    assert share == pytest.approx(sum(row.totals.percent_of_mpi for row in asked))


def test_the_time_of_a_shape_is_that_of_its_size(path: Path) -> None:
    # As many calls of 16 bytes, which take three times as long.
    change(path, "INSERT INTO patterns VALUES (2, 3, 2, NULL, 16, 100, 0, 0)")
    change(
        path,
        "INSERT INTO calls SELECT rank, communicator, region, procedure, 5, calls, 0, 0, 3 * seconds,"
        " min, max, 0, NULL FROM calls WHERE procedure = 2 AND communicator = 3",
    )
    seconds = {row.size: row.seconds for row in rows(path) if row.procedure == "MPI_Allreduce"}
    assert seconds == pytest.approx({8: 2.5, 16: 7.5})


def test_algorithms_on_a_family_are_one_row(path: Path) -> None:
    families = {(row.procedure, row.communicator): row for row in algorithm_families(rows(path))}
    row = families["MPI_Bcast", "W_a1_u2"]
    assert (row.communicators, row.size_min, row.size_max, row.least, row.varies) == (2, 2, 2, None, False)
    assert (row.algorithm, row.text.partition(":")[0]) == (None, "not visible here")


def test_by_algorithm_as_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(path), "--by", "algorithm", "--json"]) == 0
    first, *_ = json.loads(capsys.readouterr().out)["algorithms"]
    assert (first["algorithm"], first["exact"], first["size"], first["pattern"]) == (
        "recursive doubling",
        True,
        8,
        1,
    )
