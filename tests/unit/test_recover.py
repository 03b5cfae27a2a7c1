"""The verb `recover`."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from pathlib import Path

import pytest
from synthetic import small_world, write_world

from rankwise.commands import recover
from rankwise.errors import RankwiseError
from rankwise.launch.rundirectory import RunDirectory
from rankwise.profile.collect.end_note import EndNote
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.store.database import open_profile
from rankwise.render.terminal import programs


@pytest.fixture
def summaries(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Paths of the profiles whose summary was asked for; the summary itself has its own tests."""
    printed: list[Path] = []
    monkeypatch.setattr(programs, "print_longest", lambda paths, _file: printed.extend(paths))
    return printed


def run(*words: str | Path) -> int:
    parser = argparse.ArgumentParser()
    recover.add_arguments(parser)
    return recover.run(parser.parse_args([str(word) for word in words]))


def test_the_profile_lies_beside_the_run_directory(
    tmp_path: Path, summaries: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_world(tmp_path / "solver.17.rankwise-run", small_world())
    assert run(directory) == 0
    path = tmp_path / "solver.17.rankwise"
    assert capsys.readouterr().out == f"{path}\n"
    assert summaries == [path]
    with closing(open_profile(path)) as profile:
        assert profile.execute("SELECT ranks_seen, exit_status FROM run").fetchall() == [(4, None)]


def test_what_rankwise_run_has_noted_of_the_end(tmp_path: Path, summaries: list[Path]) -> None:
    processes = small_world()
    processes[1].header["state"] = CONSTANTS["STATE_RUNNING"]
    directory = write_world(tmp_path / "solver.17.rankwise-run", processes)
    note = EndNote("node1", 1, 1, None, {}, 143, "SIGTERM ended the launch")
    RunDirectory(directory, ours=True).note_end(note)
    assert run(directory) == 0
    with closing(open_profile(summaries[0])) as profile:
        [(status, reason)] = profile.execute("SELECT exit_status, partial_reason FROM run").fetchall()
    assert status == 143
    assert reason.startswith("SIGTERM ended the launch; ")


@pytest.mark.parametrize("status", [-1, 256, "3", 2.5, None])
def test_a_damaged_status_is_not_known(status: object, tmp_path: Path, summaries: list[Path]) -> None:
    directory = write_world(tmp_path / "x.rankwise-run", small_world())
    text = EndNote("node1", 1, 1).text() | {"exit_status": status}
    (directory / "ended").write_text(json.dumps(text))
    assert run(directory) == 0
    with closing(open_profile(summaries[0])) as profile:
        assert profile.execute("SELECT exit_status FROM run").fetchall() == [(None,)]


def test_names_of_profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.rankwise-run").mkdir()
    monkeypatch.chdir(tmp_path / "a.rankwise-run")
    assert recover.default_output(Path()) == tmp_path / "a.rankwise"
    assert recover.default_output(tmp_path / "other") == tmp_path / "other.rankwise"


def test_nothing_is_overwritten_without_force(tmp_path: Path, summaries: list[Path]) -> None:
    directory = write_world(tmp_path / "run", small_world())
    output = tmp_path / "x.rankwise"
    output.write_text("precious")
    with pytest.raises(RankwiseError, match=r"x\.rankwise already exists: .* --force to replace it"):
        run(directory, "-o", output)
    assert output.read_text() == "precious"
    assert run(directory, "-o", output, "--force") == 0
    assert summaries == [output]


def test_what_is_no_run_directory(tmp_path: Path, summaries: list[Path]) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    for name, message in (
        ("nothing", "is not found: give the run directory"),
        ("file", "is not a directory: give the run directory"),
        ("empty", "no MPI process was seen"),
    ):
        with pytest.raises(RankwiseError, match=message):
            run(tmp_path / name)
    assert summaries == []
