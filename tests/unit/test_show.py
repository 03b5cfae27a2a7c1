from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import profiles
import pytest

from golden import Golden
from rankwise.__main__ import main
from rankwise.commands.show import VIEWS


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(profiles.write_profile(tmp_path / "a.rankwise"))


@pytest.fixture
def large(tmp_path: Path) -> str:
    return str(profiles.write_large(tmp_path / "large.rankwise"))


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["show", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def words_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_summary_goes_to_stdout(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, path).startswith("rankwise 0.1.0  mpirun")


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_fits_and_is_ascii(path: str, capsys: pytest.CaptureFixture[str], view: str) -> None:
    text = shown(capsys, path, "--by", view)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("verbose", [[], ["-v"]])
def test_hostile_names_are_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], view: str, verbose: list[str]
) -> None:
    hostile = str(profiles.write_hostile(tmp_path / "h.rankwise"))
    text = shown(capsys, hostile, "--by", view, *verbose)
    assert all(line.isascii() and line.isprintable() for line in text.splitlines())


def test_by_call(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = words_of(shown(capsys, path, "--by", "call"))
    assert words[0] == ["Allreduce", "takes", "46.6", "%", "of", "the", "time", "in", "MPI."]
    assert ["Waitall", "400", "-", "-", "800", "ms", "14.9", "2.0", "2.00", "ms"] in words
    assert ["Irecv", "800", "-", "800", "KiB", "200", "ms", "3.7", "0.5", "250", "us"] in words
    total = ["total", "2460", "3.28", "MiB", "800", "KiB", "5.36", "s", "100.0", "13.6", "2.18", "ms"]
    assert words[9:12] == [
        total,
        ["Init", "4", "-", "-", "400", "ms", "-", "-", "100", "ms"],
        ["Finalize", "4", "-", "-", "160", "ms", "-", "-", "40.0", "ms"],
    ]
    assert ["call", "per", "rank", "min", "(rank)", "max", "(rank)", "imbalance"] in words
    assert ["Allreduce", "625", "ms", "250", "ms", "(0)", "1.00", "s", "(3)", "1.60"] in words
    # The ranks that never called count with no time, and the lowest of them is named.
    assert ["Bcast", "15.0", "ms", "10.0", "ms", "(2)", "20.0", "ms", "(0)", "1.33"] in words


def test_a_wide_page_has_one_table(
    path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    words = words_of(shown(capsys, path, "--by", "call", "-v"))
    assert sum(line[:1] == ["Waitall"] for line in words) == 1
    assert words[2][-5:] == ["(rank)", "imbalance", "shortest", "longest", "ranks"]


@pytest.mark.parametrize("view", ["call", "communicator", "size", "node", "region"])
def test_the_legend_says_what_counts(
    path: str, capsys: pytest.CaptureFixture[str], view: str, golden: Golden
) -> None:
    text = " ".join(shown(capsys, path, "--by", view).split())
    golden.says(text, "MPI .. MPI .. MPI_Init .. MPI_Finalize")


def test_by_communicator(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = words_of(shown(capsys, path, "--by", "communicator"))
    assert [
        "W_a1_u1",
        '"row"',
        "40",
        "2.50",
        "MiB",
        "1.60",
        "s",
        "29.9",
        "Alltoallv",
        "64-128",
        "KiB",
    ] in words
    assert ["W_a1", "W", "Cart_create", "1", "x", "4", "cart", "2x2", "asked", "2", "0-3"] in words
    made = ["W_a1_u2", "W_a1", "Cart_sub", "2", "x", "2", "cart", "2", "-", "2", "0-2:2", "|"]
    assert words[words.index(made) + 1] == ["1-3:2"]
    assert ["W_a1_u2", "W_a1", "columns", "of", "W_a1"] in words  # its role


def test_groups_of_a_family_are_sorted_and_there_once(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(path) as connection:
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(communicators)")]
        copied = ", ".join(columns[3:])
        for key, (made, members) in enumerate(
            [(9, "10-11"), (8, "2-3"), (7, "2-3"), (6, "11,4"), (5, "2,9")], 50
        ):
            connection.execute(
                f"INSERT INTO communicators (id, name, family, {copied}) SELECT ?, ?, family, {copied}"
                " FROM communicators WHERE name = 'W_a1_u1.0'",
                (key, f"W_a1_u1.{key}"),
            )
            connection.execute(
                "UPDATE communicators SET created = ?, members = ? WHERE id = ?", (made / 1e6, members, key)
            )
    text = shown(capsys, path, "--by", "communicator")
    assert "0-1 | 2-3 | 2,9 +2 more" in " ".join(text.split())


def test_by_communicator_verbose_has_a_table_for_each(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, path, "--by", "communicator", "-v")
    assert 'W_a1_u1.2 "row": 2 processes (2-3), Cart_sub of W_a1\n' in text
    times = ["6.25", "ms", "625", "ms", "250", "ms", "(0)"]  # of a call, of a rank: mean, min
    words = words_of(text)
    assert ["Allreduce", "400", "3.12", "KiB", "2.50", "s", "46.6", *times] in words
    assert ["Allreduce", "1.00", "s", "(3)", "1.60"] in words
    assert ["W_a1_u1.2", "'row'".replace("'", '"'), "40.0", "ms", "400", "ms", "400", "ms", "(2)"] == next(
        line[:9] for line in words if line[:1] == ["W_a1_u1.2"] and "(2)" in line
    )


def test_by_pair(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = words_of(shown(capsys, path, "--by", "pair", "--limit", "3"))
    assert ["0", "(nodea)", "1", "(nodea)", "same", "150", "150", "KiB", "18.8"] in words
    assert ["5", "others", "350", "350", "KiB", "43.8"] in words


def test_by_rank_and_node(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    volumes = ["841", "KiB", "200", "KiB"]
    words = words_of(shown(capsys, path, "--by", "rank", "--limit", "1"))
    assert ["3", "nodeb", "9.86", "s", "1.71", "s", "17.3", *volumes, "Allreduce"] in words
    assert [
        "3",
        "others",
        "29.6",
        "s",
        "3.65",
        "s",
        "12.3",
        "2.46",
        "MiB",
        "600",
        "KiB",
    ] in words
    assert words[5] == ["total", "39.4", "s", "5.36", "s", "13.6", "3.28", "MiB", "800", "KiB"]
    assert words[6] == ["mean", "9.86", "s", "1.34", "s", "13.6", "841", "KiB", "200", "KiB"]
    assert words[7] == ["max/mean", "1.00", "1.28", "1.00", "1.00"]
    words = words_of(shown(capsys, path, "--by", "node"))
    assert ["nodeb", "2", "3.17", "s", "59.1", "16.1", "300", "KiB", "100", "KiB"] in words


def test_calls_of_ranks_are_those_between_init_and_finalize(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    by_call, by_rank = (json.loads(shown(capsys, path, "--by", name, "--json")) for name in ("call", "rank"))
    calls = sum(row["calls"] for row in by_call["calls"])
    assert sum(row["calls"] for row in by_call["opening_and_closing"]) > 0
    assert sum(row["calls"] for row in by_rank["ranks"]) == calls
    text = " ".join(shown(capsys, path, "--by", "rank", "-v").split())
    assert "calls: of MPI, without MPI_Init and MPI_Finalize." in text


def test_by_region(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = words_of(shown(capsys, path, "--by", "region"))
    assert ["solve", "8", *["32.0", "s"] * 2, *["5.30", "s"] * 2, "16.6"] in words
    assert ["solve", "2440", "3.28", "MiB", "98.9", "13.4"] in words
    assert ["Init,", "Finalize", "560", "ms"] in words
    assert ["Init,", "Finalize", "8", "-", "-", "-"] in words


def test_limit_always_leaves_a_line_for_the_others(large: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, large, "--by", "call")
    assert sum(line.startswith("Extra_") for line in text.splitlines()) == 2 * 24  # in two tables
    assert "\n16 others  " in text
    assert "--limit 0 shows all rows." in text
    everything = shown(capsys, large, "--by", "call", "--limit", "0")
    assert "others" not in everything
    assert len(everything.splitlines()) > 48


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_recorded_is_a_sentence_with_a_cure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], view: str, golden: Golden
) -> None:
    text = shown(capsys, str(profiles.write_empty(tmp_path / "e.rankwise")), "--by", view)
    golden.says(text, "MPI_Init")
    paragraph = " ".join(text.split("\n\n")[1].split())
    assert paragraph.endswith(".")
    assert any(cure in paragraph for cure in ("rankwise doctor", "--by call", "MPI_Pcontrol"))


def test_json_has_the_same_keys_in_every_view(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    summary = json.loads(shown(capsys, path, "--json"))
    views = {view: json.loads(shown(capsys, path, "--by", view, "--json")) for view in VIEWS}
    assert all(answer["trust"] == summary["trust"] for answer in views.values())
    assert summary["calls"] == views["call"]["calls"]
    assert summary["families"] == views["communicator"]["families"]
    assert summary["locality"] == views["node"]["locality"]
    numbers = {"calls", "bytes_sent", "bytes_received", "seconds", "percent_of_mpi", "percent_of_run"}
    for view, key in (("communicator", "communicators"), ("size", "sizes"), ("region", "regions")):
        assert numbers <= set(views[view][key][0])
    assert {"host", "seconds", "percent_of_own_run"} <= set(views["rank"]["ranks"][0]) & set(
        views["node"]["nodes"][0]
    )


def test_json_is_never_cut(large: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(json.loads(shown(capsys, large, "--by", "call", "--json", "--limit", "1"))["calls"]) == 46


def test_damage_found_while_reading_is_one_line(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE messages RENAME COLUMN bytes TO octets")
    assert main(["show", path, "--by", "pair"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rankwise: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("limit", ["-1", "many", ""])
def test_limit_is_a_number(path: str, capsys: pytest.CaptureFixture[str], limit: str) -> None:
    assert main(["show", path, "--limit", limit]) == 2
    assert "Traceback" not in capsys.readouterr().err
