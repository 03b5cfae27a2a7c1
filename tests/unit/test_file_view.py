"""What is shown of files: the view, the summary's line, and the export."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import profiles
import pytest

from golden import assert_facts
from rankwise.__main__ import main
from rankwise.analysis.calls.files import FileTotals, file_calls, file_totals, files
from rankwise.analysis.opened import opened_profile
from rankwise.render.terminal.summary import print_summary


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return profiles.write_with_files(tmp_path / "a.rankwise")


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["show", *words]) == 0
    return capsys.readouterr().out


def test_one_name_is_one_file(path: Path) -> None:
    with opened_profile(path) as connection:
        out, log = files(connection)
        assert file_totals(connection) == FileTotals(2, 4 * 2**19, 4 * 2**20 + 6000, pytest.approx(3.542))
    assert (out.file, out.ranks, out.opens, out.accesses) == ("out.dat", 4, 8, 4 * 2 + 4 * 8)
    assert (out.bytes_read, out.bytes_written) == (4 * 2**19, 4 * 2**20)
    assert out.seconds == pytest.approx(3.54)
    assert out.slowest_rank_seconds == pytest.approx(1.26)
    assert out.bytes_per_second == pytest.approx(6 * 2**20 / 1.26)
    # What nonblocking accesses wait for is not timed here.
    assert (log.ranks, log.opens, log.accesses, log.bytes_per_second) == (2, 2, 6, None)


def test_calls_of_each_procedure(path: Path) -> None:
    with opened_profile(path) as connection:
        calls = file_calls(connection)
    first = calls[0]
    assert (first.file, first.communicator, first.mode) == ("out.dat", "W", "create wronly")
    assert (first.procedure, first.ranks, first.calls) == ("MPI_File_write_all_end", 4, 8)
    assert first.bytes_written == 4 * 2**20
    assert len(calls) == 6


def test_by_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, str(path), "--by", "file")
    words = [line.split() for line in text.splitlines()]
    assert words[4] == ["out.dat", "4", "8", "40", "2.00", "MiB", "4.00", "MiB", "3.54", "s", "4.76", "MiB/s"]
    assert words[5] == ["log", "2", "2", "6", "-", "5.86", "KiB", "2.00", "ms", "-"]
    verbose = shown(capsys, str(path), "--by", "file", "-v")
    assert "The calls on them" in verbose
    assert ["out.dat", "W", "rdonly", "read_at", "4", "32"] in [
        line.split()[:6] for line in verbose.splitlines()
    ]


def test_no_files_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = profiles.write_profile(tmp_path / "plain.rankwise")
    assert shown(capsys, str(plain), "--by", "file").startswith("No files were recorded: ")
    assert json.loads(shown(capsys, str(plain), "--json"))["files"] is None


def test_the_summary_has_a_line_only_where_there_are_files(tmp_path: Path, path: Path) -> None:
    stream = io.StringIO()
    print_summary(path, file=stream, verbose=1)
    text = stream.getvalue()
    assert_facts(text, "2.00 MiB .. 4.01 MiB .. 2 .. 3.54 s")
    assert len(text.splitlines()) <= 30
    stream = io.StringIO()
    print_summary(profiles.write_profile(tmp_path / "plain.rankwise"), file=stream, verbose=1)
    assert "\nfiles " not in stream.getvalue()


def test_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(shown(capsys, str(path), "--by", "file", "--json"))
    assert [row["file"] for row in answer["files"]] == ["out.dat", "log"]
    assert answer["file_calls"][0]["procedure"] == "MPI_File_write_all_end"


def test_export_has_the_names(path: Path, tmp_path: Path) -> None:
    assert main(["export", str(path), "--format", "csv", "-o", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "file_accesses.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 5 + 2
    assert (rows[-1]["file_name"], rows[-1]["procedure_name"]) == ("out.dat", "MPI_File_read_at")
    with (tmp_path / "out" / "files.csv").open(newline="") as file:
        assert [row["communicator_name"] for row in csv.DictReader(file)] == [
            "(other)",
            "W",
            "W",
            "W_a1_u1.0",
        ]
