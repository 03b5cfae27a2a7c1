"""Messages inside collectives as the views show them, and why they are missing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import profiles
import pytest

from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.collectives.asked import collective_families, collectives
from rankwise.profile.store.database import open_profile

MOVED = "not visible here: the library moved the data without messages (shared memory, offload)"
SHARED = "not visible here: shared memory within the node"
OFFLOAD = "not visible here: the library moved the data without messages that pass its transport (offload)"
NO_DATA = "not visible here: called without data (size 0)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return profiles.write_inside(tmp_path / "inside.rankwise")


def shown(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    assert main(["show", str(path), *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def words_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def visibility(path: Path) -> dict[tuple[str, str], str]:
    with closing(open_profile(path)) as connection:
        return {(row.procedure, row.communicator): row.visibility.text for row in collectives(connection)}


def change(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)


def test_what_was_sent_beside_what_was_asked(path: Path) -> None:
    with closing(open_profile(path)) as connection:
        rows = {(row.procedure, row.communicator): row for row in collectives(connection)}
    assert set(rows) == {
        ("MPI_Allreduce", "W"),
        *(("MPI_Alltoallv", f"W_a1_u1.{leader}") for leader in (0, 2)),
        *(("MPI_Bcast", f"W_a1_u2.{leader}") for leader in (0, 1)),
    }
    allreduce = rows["MPI_Allreduce", "W"]
    assert (allreduce.totals.calls, allreduce.totals.bytes_sent) == (400, 3200)
    assert (allreduce.messages, allreduce.bytes, allreduce.factor) == (800, 6400, 2.0)
    assert allreduce.visibility.whole
    bcast = rows["MPI_Bcast", "W_a1_u2.0"]
    assert (bcast.messages, bcast.bytes, bcast.factor) == (None, None, None)
    assert not bcast.visibility.whole


def test_nothing_seen_is_never_zero(path: Path) -> None:
    assert visibility(path) == {
        ("MPI_Allreduce", "W"): "",
        ("MPI_Alltoallv", "W_a1_u1.0"): MOVED,
        ("MPI_Alltoallv", "W_a1_u1.2"): MOVED,
        ("MPI_Bcast", "W_a1_u2.0"): MOVED,
        ("MPI_Bcast", "W_a1_u2.1"): MOVED,
    }


def test_a_hook_that_sees_between_nodes_only(tmp_path: Path, golden: Golden) -> None:
    path = profiles.write_inside(tmp_path / "a.rankwise", sees="between-nodes")
    notes = visibility(path)
    golden.says(notes["MPI_Allreduce", "W"])
    assert notes["MPI_Alltoallv", "W_a1_u1.0"] == SHARED
    assert notes["MPI_Bcast", "W_a1_u2.0"] == OFFLOAD
    # All members on different nodes: nothing is hidden.
    change(path, "UPDATE ranks SET host = 'node' || rank")
    assert visibility(path)["MPI_Allreduce", "W"] == ""
    # A message that was seen within a node proves that they are.
    change(path, "UPDATE ranks SET host = 'node'")
    assert visibility(path)["MPI_Allreduce", "W"] == ""
    assert visibility(path)["MPI_Alltoallv", "W_a1_u1.0"] == MOVED


def test_shapes_that_moved_their_data_without_messages(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Of 16 bytes without any; of 32 with too few bytes, as of a component that sets itself up; of nothing.
    change(
        path,
        "INSERT INTO patterns VALUES (2, 3, 2, NULL, 16, 7, 2, 1), (3, 3, 2, NULL, 32, 7, 2, 1),"
        " (4, 3, 2, NULL, 0, 9, 2, 1)",
    )
    change(path, "INSERT INTO pattern_messages SELECT 3, source, destination, 1, 8 FROM pattern_messages")
    hidden = "not of all calls: 2 of 4 shapes (root and size) moved the data without messages"
    assert visibility(path)["MPI_Allreduce", "W"] == f"{hidden} (shared memory, offload)"
    with closing(open_profile(path)) as connection:
        [row] = [row for row in collectives(connection) if row.procedure == "MPI_Allreduce"]
    assert (row.messages, row.bytes, row.factor, row.visibility.whole) == (800, 6400, None, False)
    words = words_of(shown(capsys, path, "--by", "collective", "-v"))
    assert ["800", "[1]", "6.25", "KiB", "-"] in [line[-5:] for line in words]
    words = words_of(shown(capsys, path, "--by", "collective"))
    assert ["6.25", "KiB", "[1]", "-"] in [line[-4:] for line in words]
    [summary] = [line for line in shown(capsys, path, "-v").splitlines() if line.startswith("inside")]
    assert summary.endswith("4 of 5 not visible, 1 in part")
    # What was not kept whole tells nothing.
    change(path, "UPDATE patterns SET complete = 0 WHERE size > 8")
    assert visibility(path)["MPI_Allreduce", "W"] == ""


STATES = {
    "none": "no hook for this MPI library",
    "refused": "the hook was refused (its table is not as expected)",
    "disabled": "its table is not as expected",
    "stopped": "the hook stopped (its table is not as expected)",
    "unknown": "recorded by a Rankwise that had no hooks",
}


@pytest.mark.parametrize("state", STATES)
def test_a_hook_that_is_not_active(path: Path, state: str) -> None:
    note = "" if state in ("none", "unknown") else "its table is not as expected"
    change(path, "UPDATE ranks SET transport_state = ?, transport_note = ?", state, note)
    notes = visibility(path)
    assert notes["MPI_Bcast", "W_a1_u2.0"] == f"not visible here: {STATES[state]}"
    assert notes["MPI_Allreduce", "W"].endswith(f": {STATES[state]}")


def test_one_rank_without_a_hook_concerns_its_communicators(path: Path, golden: Golden) -> None:
    change(path, "UPDATE ranks SET transport_state = 'none' WHERE rank = 3")
    notes = visibility(path)
    golden.says(notes["MPI_Allreduce", "W"], "MPI")
    assert notes["MPI_Bcast", "W_a1_u2.0"] == MOVED
    golden.says(notes["MPI_Bcast", "W_a1_u2.1"], "MPI")


def test_collectives_that_were_not_chosen(path: Path) -> None:
    change(path, "UPDATE run SET only = ?", json.dumps(["MPI_Allreduce", "MPI_Bcast"]))
    notes = visibility(path)
    assert notes["MPI_Alltoallv", "W_a1_u1.0"] == "not visible here: not chosen by --inside"
    assert notes["MPI_Bcast", "W_a1_u2.0"] == MOVED
    assert notes["MPI_Allreduce", "W"] == ""


def test_calls_without_data_send_none(path: Path) -> None:
    change(path, "UPDATE calls SET size_bin = 0 WHERE procedure IN (6, 7)")
    assert visibility(path)["MPI_Bcast", "W_a1_u2.0"] == NO_DATA
    # A barrier never has data.
    change(path, "UPDATE procedures SET name = 'MPI_Barrier' WHERE name = 'MPI_Bcast'")
    assert visibility(path)["MPI_Barrier", "W_a1_u2.0"] == MOVED


def test_what_could_not_be_attributed_may_be_a_nonblocking_collectives(path: Path, golden: Golden) -> None:
    lost = "messages of its processes could not be attributed to a call"
    assert visibility(path)["MPI_Bcast", "W_a1_u2.0"] == MOVED
    change(path, "UPDATE procedures SET name = 'MPI_Ibcast' WHERE name = 'MPI_Bcast'")
    change(path, "UPDATE procedures SET name = 'MPI_Allreduce_init' WHERE name = 'MPI_Allreduce'")
    notes = visibility(path)
    # Rank 0 sent them: it is in the first column, and in W.
    assert notes["MPI_Ibcast", "W_a1_u2.0"] == f"not visible here: {lost}"
    assert notes["MPI_Ibcast", "W_a1_u2.1"] == MOVED
    golden.says(notes["MPI_Allreduce_init", "W"], lost)


def test_other_calls_are_there_if_something_was_seen_inside(path: Path) -> None:
    change(path, "INSERT INTO procedures VALUES (99, 'MPI_Comm_dup', 'communicator')")
    for rank in range(4):
        change(path, "INSERT INTO calls VALUES (?, 3, 0, 99, 0, 1, 0, 0, 0.1, 0.1, 0.1, 0, NULL)", rank)
    assert ("MPI_Comm_dup", "W") not in visibility(path)
    change(path, "INSERT INTO messages VALUES (0, 1, 3, 'in-collective', 99, 3, 12)")
    assert visibility(path)["MPI_Comm_dup", "W"] == ""


def test_by_collective(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = shown(capsys, path, "--by", "collective")
    assert max(map(len, text.splitlines())) <= 80
    words = words_of(text)
    times = ["400", "2.50", "s"]
    assert ["Allreduce", "W", "1", "x", "4", *times, "3.12", "KiB", "6.25", "KiB", "2.00"] in words
    assert ["Bcast", "W_a1_u2", "2", "x", "2", "20", "60.0", "ms", "40", "B", "[1]", "-"] in words
    unwrapped = " ".join(text.split())
    assert f"[1]: {MOVED}." in unwrapped
    golden.says(unwrapped, "2 .. 6 B")


def test_by_collective_verbose_has_a_row_for_each_communicator(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = shown(capsys, path, "--by", "collective", "-v")
    assert max(map(len, text.splitlines())) <= 80
    words = words_of(text)
    times = ["400", "2.50", "s"]
    assert ["Allreduce", "W", *times, "3.12", "KiB", "800", "6.25", "KiB", "2.00"] in words
    assert ["Bcast", "W_a1_u2.1", "10", "30.0", "ms", "20", "B", "[1]", "-", "-"] in words


def test_collectives_of_a_family_are_summed_up(path: Path) -> None:
    # Something is seen on one of the columns alone; the other one has another size.
    change(path, "INSERT INTO messages VALUES (0, 2, 8, 'in-collective', 7, 10, 40)")
    change(path, "UPDATE communicators SET size = 3, user_name = 'column' WHERE name = 'W_a1_u2.1'")
    with closing(open_profile(path)) as connection:
        each = collectives(connection)
    columns = [row for row in each if row.family == "W_a1_u2"]
    assert [row.communicator for row in columns] == ["W_a1_u2.0", "W_a1_u2.1"]
    families = {(row.procedure, row.communicator): row for row in collective_families(each)}
    row = families["MPI_Bcast", "W_a1_u2"]
    assert (row.communicators, row.size_min, row.size_max, row.user_names) == (2, 2, 3, [])
    assert row.totals == columns[0].totals + columns[1].totals
    assert (row.totals.calls, row.messages, row.bytes, row.factor) == (20, 10, 40, None)
    assert row.visibility == next(column.visibility for column in columns if column.visibility.text)
    assert families["MPI_Allreduce", "W"].factor == 2
    times = [row.totals.seconds for row in families.values() if row.class_name != "environment"]
    assert times == sorted(times, reverse=True)
    assert sum(times) == pytest.approx(sum(r.totals.seconds for r in each if r.class_name != "environment"))


def test_by_collective_without_any(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, profiles.write_empty(tmp_path / "e.rankwise"), "--by", "collective")
    assert text.startswith("PARTIAL")
    assert "No collectives on communicators of several processes were recorded" in " ".join(text.split())


def test_by_collective_as_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(shown(capsys, path, "--by", "collective", "--json"))
    assert [row["procedure"] for row in answer["collectives"]][:2] == ["MPI_Allreduce", "MPI_Alltoallv"]
    assert answer["collectives"][0]["bytes"] == 6400
    assert answer["collectives"][1]["messages"] is None
    assert answer["collectives"][1]["visibility"] == {"text": MOVED, "whole": False}
    assert answer["not_attributed"] == {"messages": 2, "bytes": 6}


def test_pairs_of_each_kind_have_a_table(
    path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    change(path, "INSERT INTO messages VALUES (3, 0, 3, 'one-sided', 1, 7, 70)")
    text = shown(capsys, path, "--by", "pair")
    title, *tables = [part.splitlines() for part in text.split("\n\n")]
    golden.says("\n".join(title), "0 .. 1 .. 150 KiB .. 18.8 %")
    assert [lines[0] for lines in tables] == [
        "Point-to-point",
        "One-sided",
        "Inside collectives: sent by the MPI library itself",
    ]
    assert [lines[2].split() for lines in tables] == [
        ["0", "(nodea)", "1", "(nodea)", "same", "150", "150", "KiB", "18.8"],
        ["3", "(nodeb)", "0", "(nodea)", "other", "7", "70", "B", "100.0"],
        ["0", "(nodea)", "1", "(nodea)", "same", "102", "806", "B", "12.6"],
    ]
    in_detail = words_of(shown(capsys, path, "--by", "pair", "-v"))
    assert [
        "0",
        "(nodea)",
        "1",
        "(nodea)",
        "(other)",
        "(not",
        "attributed)",
        "same",
        "2",
        "6",
        "B",
        "0.1",
    ] in in_detail


LAST_LINES: dict[str, tuple[Callable[[Path], object], str]] = {
    "seen": (
        lambda path: change(path, "UPDATE run SET exit_status = 0"),
        "inside    802 messages inside collectives, 6.26 KiB, 50.0 % off node, 4 of 5 not visible",
    ),
    "not seen": (
        lambda path: change(path, "DELETE FROM messages WHERE kind = 'in-collective'"),
        f"inside    collectives: {MOVED}",
    ),
    "no collectives": (lambda path: change(path, "DELETE FROM calls WHERE procedure IN (2, 6, 7)"), ""),
}


@pytest.mark.parametrize(("prepare", "line"), LAST_LINES.values(), ids=LAST_LINES)
def test_the_summary_has_one_line_for_them(
    path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    prepare: Callable[[Path], object],
    line: str,
) -> None:
    prepare(path)
    for width in (100, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        [*lines] = [shown for shown in shown(capsys, path, "-v").splitlines() if shown.startswith("inside")]
        if not line:
            assert lines == []
        elif len(line) <= width:
            assert lines == [line]
        else:
            assert lines == [f"{line[: width - 3].rstrip()}..."]
