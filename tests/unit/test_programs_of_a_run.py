"""Names of programs, and the table of several."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import profiles
import pytest

from rankwise.profile.collect.programs import program_name, without_interpreter
from rankwise.render.terminal.programs import print_longest


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("./app in.nml", "./app in.nml"),
        ("python3 solver.py 10 -m x", "solver.py 10 -m x"),
        ("/usr/bin/python3.11 -u -X dev -W error run/solver.py", "run/solver.py"),
        ("pypy3 -OO -m package.tool -c 1", "package.tool -c 1"),
        ("python -um package.tool", "package.tool"),
        ("python -mpackage.tool a", "package.tool a"),
        ("python3 -m mpi4py -rc threads=0 solver.py a", "solver.py a"),
        ("python3 -m mpi4py.futures -m tool a", "tool a"),
        ("python3 -c code a", "python3 -c code a"),
        ("python3 -m", "python3 -m"),
        ("python3", "python3"),
        ("pythonic a.py", "pythonic a.py"),
        ("", ""),
    ],
)
def test_what_runs_it_is_left_out(line: str, shown: str) -> None:
    assert without_interpreter(line.split()) == shown.split()


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("/opt/bin/pw.x", "pw.x"),
        ("solver.py", "solver"),
        ("../..", "program"),
        ("", "program"),
        ("-bash", "bash"),
        ("a b", "a b"),
        ("x" * 5000, "x" * 60),
    ],
)
def test_names_fit_to_be_those_of_files(word: str, name: str) -> None:
    assert program_name([word, "argument"]) == name


def made(directory: Path, number: int, wall: float, of: int) -> Path:
    path = profiles.write_profile(directory / f"heat.{number}.rankwise")
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE run SET world = ?, worlds = ?, wall = ?, programs = ?",
            (number, of, wall, f'[["./step{number}", "a\\u001bb"], ["./ice"]]'),
        )
    return path


def test_the_longest_of_several_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    paths = [made(tmp_path, number, wall, 3) for number, wall in ((1, 2.0), (2, 90.0), (3, 4.0))]
    print_longest(paths, out := io.StringIO())
    lines = out.getvalue().splitlines()
    assert lines[0].split() == ["program", "ranks", "wall", "%", "MPI", "profile"]
    assert [line.split()[0] for line in lines[1:4]] == ["./step1", "./step2", "./step3"]
    assert lines[2].startswith("./step2 'a\\x1bb' : ./ice ")
    assert lines[2].endswith(" heat.2.rankwise")
    assert lines[5].endswith("  ./step2 'a\\x1bb' : ./ice")
    assert "world 2 of 3" in lines[6]
    assert all(len(line) <= 80 for line in lines)


def test_one_is_shown_without_a_table(tmp_path: Path) -> None:
    print_longest([made(tmp_path, 1, 2.0, 1)], out := io.StringIO())
    assert out.getvalue().startswith("rankwise ")


def test_of_many_the_longest_are_listed_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    walls = [3.0, 1.0, 2.0, *(10.0 + number for number in range(9))]
    paths = [made(tmp_path, number, wall, len(walls)) for number, wall in enumerate(walls, 1)]
    print_longest(paths, out := io.StringIO())
    lines = out.getvalue().splitlines()
    assert [line.split()[0] for line in lines[1:10]] == [f"./step{number}" for number in range(4, 13)]
    assert lines[10].split()[:4] == ["3", "others", "6.00", "s"]
