"""A library that a program is all in counts as the program, and its communicators have names of their own."""

from __future__ import annotations

import json
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Recording

RANKS = 4
LIBRARY = "libengine.so.1"
mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def run(mpi: Mpi, tmp_path: Path, *words: str) -> Recording:
    library, program = tmp_path / LIBRARY, tmp_path / "thin"
    shared = ("-g", "-DENGINE", "-shared", "-fPIC", f"-Wl,-soname,{LIBRARY}")
    mpi.compile(library, PROGRAMS / "thin.c", options=shared)
    mpi.compile(program, PROGRAMS / "thin.c", str(library), f"-Wl,-rpath,{tmp_path}", options=("-g",))
    done = recording.run_on(mpi, mpi.launch(RANKS, program, *words), tmp_path / "thin.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    return done


def families(done: Recording) -> set[str]:
    return {str(family) for (family,) in done.rows("SELECT family FROM communicators WHERE id > 3")}


@pytest.mark.parametrize("thin", [True, False])
def test_who_is_the_program(mpi: Mpi, tmp_path: Path, thin: bool) -> None:
    done = run(mpi, tmp_path, *([] if thin else ["own"]))
    names = ["W_s1", *("W_s1" + "_d1" * depth for depth in range(1, 6))]
    prefix = "" if thin else "libengine: "
    shown = set(names) if thin else {"libengine: W_*"}
    assert families(done) >= shown
    assert all(family.startswith(prefix) for family in families(done) if "W_" in family)
    rows = json.loads(done.shown("--by", "library", "--json"))["libraries"]
    of_program = {row["library"] for row in rows if row["is_program"]}
    assert of_program == ({"libengine"} if thin else {"thin"})
    # Where each was made is known all the same.
    assert {
        str(name) for (name,) in done.rows("SELECT created_in FROM communicators WHERE procedure <> ''")
    } == {LIBRARY}
    [row] = [
        communicator
        for communicator in json.loads(done.shown("--by", "communicator", "--json", "-v"))["communicators"]
        if communicator["name"] == "W_s1.0"
    ]
    assert row["role"] == "ranks 0-2"
    if thin:
        assert "W_s1 (ranks 0-2 and the rest)" in done.shown("-v")
