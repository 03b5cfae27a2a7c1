"""The verb `top`: what it prints, and what it refuses in one line."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path

import pytest
from live import Time, running, set_time, write
from synthetic import PART, call, small_world
from test_live import hanging

from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.live.picture import Activity, Pair, Picture, PlaceRow, Rank, WorldPicture
from rankwise.profile.collect import end_note, launch_note
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.render.terminal.live import beside


@pytest.fixture(autouse=True)
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("rankwise.commands.top.stand_back", lambda: None)  # there would be no way back
    return set_time(monkeypatch, 10.0)


def printed(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(["top", *map(str, words)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(["top", *map(str, words)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rankwise: ")
    assert err.count("\n") == 1
    return err


def test_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--once", write(tmp_path / "run", hanging())).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40
    words = [line.split() for line in lines]
    assert ["0,2", "2", "MPI_Barrier", "on", "W_s1.0", "6.00", "s", "-", "8.00", "s", "-"] in words
    assert ["3", "1", "outside", "of", "MPI", "5.00", "s", "-"] in words


def test_a_job_that_hangs_is_pointed_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], time: Time
) -> None:
    world = [running(process, 3.0, "MPI_Barrier", 4.0, PART) for process in small_world()]
    running(world[2], 3.0)
    time.seconds = 40.0
    text = printed(capsys, "--once", write(tmp_path / "run", world))
    assert_facts(text, "MPI .. 38.0 s")
    # In the table the odd ones out come first.
    text = text[text.index("are now in") :]
    assert (
        text.index("outside of MPI")
        < text.index("MPI_Barrier on W_s1.0")
        < text.index("MPI_Barrier on W_s1.1")
    )
    assert ["0", "1", "MPI_Barrier", "on", "W_s1.0", "38.0", "s", "2"] in map(str.split, text.splitlines())


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write(tmp_path / "run", hanging())
    answer = json.loads(printed(capsys, "--once", "--json", "--every", "0.5", directory))
    assert (answer["directory"], answer["interval_seconds"], answer["over"]) == (str(directory), 0.5, False)
    [world] = answer["worlds"]
    for rows, kind in (
        ([answer], Picture),
        ([world], WorldPicture),
        (world["places"], PlaceRow),
        (world["communicators"], Activity),
        (world["calls"], Activity),
        (world["pairs"], Pair),
        (world["ranks"], Rank),
    ):
        assert list(rows[0]) == [field.name for field in fields(kind)]


def test_until_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    directory = write(tmp_path / "run", hanging())

    def sleep(seconds: float) -> None:
        time.seconds += seconds
        if time.seconds > 13.0:
            write(directory, small_world())

    monkeypatch.setattr(time, "sleep", sleep)
    pictures = printed(capsys, directory).split("\n\nrankwise top  ")
    assert len(pictures) == 3
    assert ["every 2 s" in picture for picture in pictures] == [True, True, False]
    assert "  ended\n" in pictures[-1]
    assert ["0-3", "4", "finalized", "-", "-"] in map(str.split, pictures[-1].splitlines())


def test_messages_inside_collectives_that_are_not_visible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    world = [running(process, 9.0) for process in small_world(2)]
    for process in world:
        process.header |= {"transport_state": CONSTANTS["TRANSPORT_DISABLED"]}
    directory = write(tmp_path / "run", world)

    def sleep(seconds: float) -> None:
        time.seconds += seconds
        world[0].calls[0][2] = call("MPI_Allreduce", PART, 4, calls=12, sent=96, seconds=1.1)
        write(directory, world)

    monkeypatch.setattr(time, "sleep", sleep)
    text = " ".join(printed(capsys, "--once", directory).split())
    assert_facts(text, "1.00 calls/s .. 8 B/s")


def test_of_several_worlds_the_first_that_has_not_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended, other = small_world(3), [running(process, 9.0) for process in small_world(2)]
    for process in other:
        process.header["job"] = b"job-2"
    text = printed(capsys, "--once", write(tmp_path / "run", [*ended, *other]))
    assert "\n2 ranks / 1 node  world 2 of 2  Open MPI 4.1.4  " in text


def test_hostile_names_are_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = hanging()
    for process in world:
        process.header |= {"host": b"\x1b[31mhost\n", "executable": b"\x1b]0;title\x07"}
        process.communicators[2]["user_name"] = b"\x1b[2Jname\r\n"
    text = printed(capsys, "--once", write(tmp_path / "run", world))
    assert all(line.isascii() and line.isprintable() for line in text.splitlines())


@pytest.mark.parametrize("ranks", [1, 64])
def test_any_number_of_ranks_fits_into_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ranks: int
) -> None:
    world = [
        running(process, 3.0, "MPI_Recv", 4.0 + 0.1 * rank) for rank, process in enumerate(small_world(ranks))
    ]
    for process in world[::7]:
        running(process, 3.0)
    text = printed(capsys, "--once", write(tmp_path / "run", world))
    assert max(map(len, text.splitlines())) <= 80


def test_what_is_no_running_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    noted = write(tmp_path / "noted", hanging())
    (noted / end_note.FILE_NAME).touch()
    for name, message in (
        ("nothing", "is not found: give the run directory"),
        ("file", "is not a directory: give the run directory"),
        ("empty", "is not a run directory, or no process of the job has called MPI_Init yet"),
        ("noted", "this job has ended; `rankwise recover"),
        (write(tmp_path / "ended", small_world()).name, "this job has ended; `rankwise recover"),
    ):
        assert message in refused(capsys, tmp_path / name), name


def test_a_job_that_has_not_called_mpi(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / launch_note.FILE_NAME).write_text("{}")
    assert "has called MPI_Init yet: try again later" in refused(capsys, "--once", tmp_path / "run")


def test_waiting_for_a_job(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    time: Time,
    golden: Golden,
) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    (directory / launch_note.FILE_NAME).write_text("{}")

    def sleep(seconds: float) -> None:
        time.seconds += seconds
        if time.seconds > 15.0:
            (directory / launch_note.FILE_NAME).unlink()
            directory.rmdir()

    monkeypatch.setattr(time, "sleep", sleep)
    for line in printed(capsys, directory).splitlines():
        golden.says(line, "rankwise top: .. MPI_Init")


@pytest.mark.parametrize("words", [["--every", "0"], ["--every", "x"], ["--every", "nan"], ["--json"]])
def test_bad_words(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    refused(capsys, *words, write(tmp_path / "run", hanging()))


def test_the_newest_job_of_this_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(tmp_path)
    golden.says(refused(capsys, "--once"))
    old = write(tmp_path / "a.rankwise-run", hanging())
    new = write(tmp_path / "b.rankwise-run", hanging())
    ended = write(tmp_path / "c.rankwise-run", hanging())
    (ended / end_note.FILE_NAME).touch()
    (tmp_path / "d.rankwise-run").symlink_to(old)
    while old.stat().st_ctime >= new.stat().st_ctime:
        new.chmod(0o700)
    assert json.loads(printed(capsys, "--once", "--json"))["directory"] == new.name


def test_a_view_beside_the_job_wants_a_terminal_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    _, terminal = os.openpty()
    for stdout_is_terminal in (False, True):
        with open(terminal, "w", closefd=False) as screen, open(os.devnull, "w") as nowhere:  # noqa: PTH123
            monkeypatch.setattr("sys.stderr", screen)
            monkeypatch.setattr("sys.stdout", screen if stdout_is_terminal else nowhere)
            assert beside.possible() is not stdout_is_terminal
    os.close(terminal)
