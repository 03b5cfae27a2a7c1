"""Matrices of messages: what is in a cell, and how it is shown where there is no room for numbers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import profiles
import pytest
from terminals import Terminal

from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.analysis.messages.matrix import Matrix, matrix
from rankwise.analysis.selection import Selection, select
from rankwise.errors import RankwiseError
from rankwise.profile.store.database import open_profile
from rankwise.render.terminal.matrix import matrix_lines
from rankwise.render.terminal.page import Page

KIB = 1024


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ranks 0, 1 on nodea, 2, 3 on nodeb; point-to-point 150 messages within a node, 50 between two."""
    return profiles.write_inside(tmp_path / "inside.rankwise")


def change(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)


def matrix_of(path: Path, *words: str, call: str = "") -> Matrix:
    with closing(open_profile(path)) as connection:
        if call:
            select(connection, Selection(call=call))
        return matrix(connection, *words)


def cells(of: Matrix) -> dict[tuple[int, int], tuple[int, int]]:
    return {(cell.source, cell.destination): (cell.messages, cell.bytes) for cell in of.cells}


def shown(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> list[str]:
    assert main(["show", str(path), *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def test_ranks_by_kind(path: Path) -> None:
    own = {(rank, rank ^ 1): (150, 150 * KIB) for rank in range(4)} | {
        (rank, rank ^ 2): (50, 50 * KIB) for rank in range(4)
    }
    assert cells(matrix_of(path, "rank", "point-to-point")) == own
    inside = cells(matrix_of(path, "rank", "in-collective"))
    assert inside == dict.fromkeys(own, (100, 800)) | {(0, 1): (102, 806)}
    assert cells(matrix_of(path, "rank", "one-sided")) == {}
    assert cells(matrix_of(path, "rank")) == {
        pair: tuple(map(sum, zip(own[pair], inside[pair], strict=True))) for pair in own
    }


def test_chosen_calls(path: Path, golden: Golden) -> None:
    chosen = matrix_of(path, "rank", call="allreduce, MPI_BCAST")
    assert cells(chosen)[0, 1] == (100, 800)
    with pytest.raises(RankwiseError) as error:
        matrix_of(path, "rank", call="Reduc")
    golden.says(error.value, "MPI .. 'Reduc' .. MPI_Bcast")


def test_nodes(path: Path) -> None:
    nodes = matrix_of(path, "node", "point-to-point")
    assert (nodes.size, nodes.nodes) == (2, ["nodea", "nodeb"])
    assert cells(nodes) == {
        (row, column): (300, 300 * KIB) if row == column else (100, 100 * KIB)
        for row in range(2)
        for column in range(2)
    }


def test_what_has_no_row_is_told(path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    change(path, "INSERT INTO messages VALUES (0, -1, 3, 'point-to-point', 3, 2, 5)")
    change(path, "INSERT INTO messages VALUES (0, -2, 3, 'point-to-point', 3, 1, 2)")
    ranks = matrix_of(path, "rank")
    assert (ranks.unplaced_messages, ranks.unplaced_bytes) == (3, 7)
    lines = shown(capsys, path, "--matrix")
    golden.says(lines[-1], "3 .. 7 B")
    # A rank whose counters were not read has a row, but no node.
    change(path, "DELETE FROM ranks WHERE rank = 3")
    assert matrix_of(path, "node").unplaced_messages == 3 + 4 * 100 + 2 * 150 + 2 * 50


def test_numbers_where_they_fit(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, path, "--matrix", "--kind", "point-to-point")
    assert lines[0] == "Bytes of point-to-point messages: from rank (row) to rank (column)"
    assert lines[1].split() == ["0", "1", "2", "3"]
    assert lines[3].split() == ["1", "150", "KiB", "-", "-", "50.0", "KiB"]
    lines = shown(capsys, path, "--matrix", "--by", "node", "--of", "messages", "--call", "bcast,Isend")
    assert_facts(lines[0], "bcast,Isend")
    assert lines[3] == "Number of messages: from node (row) to node (column)"
    assert lines[5].split() == ["0", "nodea", "300", "100"]


def test_messages_that_are_not_visible_are_told(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hidden = "Not all messages of collectives are visible: see --by collective."
    assert matrix_of(path, "rank").hidden_collectives == 4
    assert shown(capsys, path, "--matrix")[-1] == hidden
    assert shown(capsys, path, "--matrix", "--by", "node", "--kind", "in-collective")[-1] == hidden
    assert matrix_of(path, "rank", "point-to-point").hidden_collectives == 0
    assert matrix_of(path, "rank", call="Allreduce").hidden_collectives == 0
    change(path, "UPDATE calls SET size_bin = 0 WHERE procedure IN (6, 7)")  # they had nothing to send
    assert matrix_of(path, "rank").hidden_collectives == 0


def test_no_such_messages(path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    lines = shown(capsys, path, "--matrix", "--kind", "one-sided")
    golden.says(lines[1], "--by")


def many(path: Path, ranks: int, neighbours: tuple[int, ...] = (1,)) -> None:
    """Make a ring of so many ranks; the farther the neighbour, the more bytes: 1, 10, 100, ..."""
    change(path, "UPDATE run SET ranks_expected = ?", ranks)
    change(path, "DELETE FROM messages")
    with sqlite3.connect(path) as connection:
        connection.executemany(
            "INSERT INTO messages VALUES (?, ?, 3, 'point-to-point', 3, 1, ?)",
            [
                (rank, (rank + step) % ranks, 10**power)
                for rank in range(ranks)
                for power, step in enumerate(neighbours)
            ],
        )


def test_shades_where_numbers_do_not_fit(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many(path, 30, neighbours=(1, 2, 3))
    lines = shown(capsys, path, "--matrix", "--kind", "point-to-point")
    assert lines[1] == "   0         5         10        15        20        25"
    assert lines[2] == "0    ..++@@"
    assert lines[2 + 29] == "29 ..++@@"
    assert lines[2 + 28] == "28 ++@@" + " " * 54 + ".."
    legend = " ".join(" ".join(lines[32:]).split())
    assert legend.startswith(". to 2 B : to 3 B")
    assert legend.endswith("@ to 100 B blank: none")


def test_several_ranks_share_a_cell_where_there_are_many(
    path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    many(path, 1000)
    lines = shown(capsys, path, "--matrix", "--kind", "point-to-point")
    assert max(map(len, lines)) <= 80
    # 75 columns beside the names: 14 ranks in each, 13 messages among them and one to the next.
    golden.says(lines[-1], "14")
    rows = lines[2:-2]
    assert len(rows) == 72
    assert rows[0] == "0   @."
    assert rows[1] == "14   @."


def test_all_alike_have_the_darkest_shade(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many(path, 30)
    lines = shown(capsys, path, "--matrix", "--kind", "point-to-point", "--of", "messages")
    assert lines[2] == "0    @@"
    assert lines[-1] == "@ to 1   blank: none"


def test_messages_without_bytes_are_not_blank(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many(path, 30)
    change(path, "UPDATE messages SET bytes = 0 WHERE source = 0")
    lines = shown(capsys, path, "--matrix")
    assert lines[2] == "0    .."
    assert lines[3] == "1      @@"


def test_a_terminal_shows_blocks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    many(path, 30, neighbours=(1, 2))
    lines = matrix_lines(Page(Terminal()), matrix_of(path, "rank"), "bytes")
    assert lines[2].plain == "0    ░░██"


def test_as_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--matrix", "--by", "node", "--kind", "in-collective", "--call", "Allreduce", "--json")
    read = json.loads("\n".join(shown(capsys, path, *words)))
    assert read["trust"]["complete"]
    assert read["matrix"]["nodes"] == ["nodea", "nodeb"]
    assert read["selected"]["call"] == "Allreduce"
    first = {"source": 0, "destination": 0, "messages": 200, "bytes": 1600}
    assert read["matrix"]["cells"][0] == first


def test_a_partial_run_says_so_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = profiles.write_partial(tmp_path / "p.rankwise")
    assert shown(capsys, path, "--matrix")[0].startswith("PARTIAL")


@pytest.mark.parametrize("option", [("--kind", "all"), ("--of", "bytes")])
def test_options_of_matrices_alone(
    path: Path, capsys: pytest.CaptureFixture[str], option: tuple[str, str]
) -> None:
    assert main(["show", str(path), "--by", "pair", *option]) == 2
    assert f"{option[0]} goes with --matrix" in capsys.readouterr().err


def test_a_matrix_of_something_else(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(path), "--by", "pair", "--matrix"]) == 2
    assert_facts(capsys.readouterr().err, "rank .. node .. pair")
