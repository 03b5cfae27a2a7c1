"""Which object made each communicator, and at which line: programs/makers*, and a library of theirs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Compile, Recording
from test_mpi4py import environment, has_module

from exhaustive import few

RANKS = 4
LIBRARY = "libmakers.so.1"
BINDINGS = ["makers_mpifh.f90", "makers_mpi.f90", "makers_mpi_f08.f90"]
SHARED = ("-g", "-shared", "-fPIC", f"-Wl,-soname,{LIBRARY}")
MADE = "SELECT name, family, created_in FROM communicators WHERE id > 3 AND procedure <> ''"


@pytest.fixture
def library(mpi: Mpi, tmp_path: Path) -> Path:
    """Where the library lies that makes communicators for itself."""
    mpi.compile(tmp_path / LIBRARY, PROGRAMS / "makers_library.c", options=SHARED)
    return tmp_path / LIBRARY


def linked(library: Path) -> list[str]:
    return [str(library), f"-Wl,-rpath,{library.parent}"]


def made_by(done: Recording, program: str) -> dict[str, tuple[str, str]]:
    """Name of each communicator, with what tells its members apart left out, → family and whose it is."""
    whose = {program: "program", LIBRARY: "library"}
    return {
        re.sub(r"\.\d+", "", str(name)): (str(family), whose.get(str(where), str(where)))
        for name, family, where in done.rows(MADE)
    }


def lines(done: Recording, procedure: str) -> set[tuple[str, str]]:
    """(communicator, source line) of all that a procedure made."""
    made = set()
    for name, path, offset in done.rows(
        "SELECT name, path, offset FROM communicators JOIN sites ON sites.id = site"
        " JOIN objects ON objects.id = object WHERE procedure = ?",
        procedure,
    ):
        # The address that a call returns to may be that of the next line.
        words = ["addr2line", "-e", str(path), hex(int(str(offset)) - 1)]
        printed = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
        source, _, number = printed.split()[0].rpartition(":")
        line = Path(source).read_text().splitlines()[int(number) - 1]
        made.add((re.sub(r"\.\d+", "", str(name)), line.partition(" //")[0].partition(" /*")[0].strip()))
    return made


OWN = {name: (name, "program") for name in ("W_d1", "W_d2", "W_d1_s1", "W_d1_d2", "S_d1_d2")}
FEW = {name: (f"libmakers: {name}", "library") for name in ("W_d3", "W_d3_s1", "S_d1", "S_d1_s1")}


@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
def test_program_and_library(mpi: Mpi, library: Path, tmp_path: Path, many: bool) -> None:
    program = tmp_path / "makers"
    mpi.compile(program, PROGRAMS / "makers.c", *linked(library), options=["-g", "-O2"])
    arguments = ["many"] if many else []
    done = recording.run_on(mpi, mpi.launch(RANKS, program, *arguments), tmp_path / "makers.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    chain = ["d1", "s1", "s1", "d1", "d1"]
    folded = {"_".join(["W_d1_s1", *chain[:n]]): ("libmakers: W_d1_s1_*", "library") for n in range(1, 6)}
    assert made_by(done, "makers") == OWN | FEW | (folded if many else {})
    assert done.dropped == {}
    duplicates = {
        ("W_d1", "MPI_Comm_dup(comm, &made);"),
        ("W_d2", "MPI_Comm_dup(comm, &made);"),
        ("W_d1_d2", "PMPI_Comm_dup(own, &past);"),
        ("W_d3", "MPI_Comm_dup(comm, &made[0]);"),
        ("S_d1", "MPI_Comm_dup(comm, &made[0]);"),
        ("S_d1_d2", "MPI_Comm_dup(made[0], &below);"),
    }
    if not many:
        assert lines(done, "MPI_Comm_dup") == duplicates
    # Both come from one place, and so do those of all ranks.
    assert done.rows("SELECT COUNT(DISTINCT site) FROM communicators WHERE name IN ('W_d1', 'W_d2')") == [
        (1,)
    ]
    assert done.rows("SELECT COUNT(DISTINCT site) FROM communicators WHERE family LIKE '%: S_d1'") == [(1,)]
    text = done.shown("--by", "communicator")
    assert "libmakers: S_d1 " in text
    assert ("libmakers: W_d1_s1_*" in text) == many


@pytest.mark.only_on(lambda mpi: mpi.mpifort, "no Fortran bindings here")
@pytest.mark.parametrize("source", few(BINDINGS, 1), ids=lambda name: name.removesuffix(".f90"))
def test_fortran(mpi: Mpi, source: str, tmp_path: Path) -> None:
    """The site is where the binding was called, not in the binding."""

    def compile_(*words: str | Path) -> None:
        subprocess.run(
            [mpi.mpifort, "-J", str(tmp_path), *map(str, words)],
            check=True,
            timeout=120,
            env=mpi.env(),
            capture_output=True,
        )

    library, program = tmp_path / LIBRARY, tmp_path / "makers"
    compile_(
        *SHARED,
        "-DFOR_FORTRAN",
        "-o",
        library,
        PROGRAMS / "makers_library.f90",
        PROGRAMS / "makers_library.c",
    )
    compile_("-g", "-o", program, PROGRAMS / source, *linked(library))
    done = recording.run_on(mpi, mpi.launch(RANKS, program), tmp_path / "makers.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    own = {name: (name, "program") for name in ("W_d1", "W_d1_s1", "W_a2", "W_a2_d1")}
    others = {name: (f"libmakers: {name}", "library") for name in ("W_d3", "W_d3_s1", "W_d4")}
    assert made_by(done, "makers") == own | others
    calls = {name: line.partition("(")[0].upper() for name, line in lines(done, "MPI_Comm_dup")}
    del calls["W_a2_d1"]  # by a PMPI_ name: gfortran gives it another line
    assert calls == {
        "W_d1": "CALL MPI_COMM_DUP",
        "W_d3": "MPI_COMM_DUP",
        "W_d4": "CALL MPI_COMM_DUP",
    }
    assert {line.partition("(")[0].upper() for _, line in lines(done, "MPI_Cart_create")} == {
        "CALL MPI_CART_CREATE"
    }


@has_module
def test_python_s_binding_is_the_program(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = environment(mpi, compiled, tmp_path)
    command = mpi.launch(3, sys.executable, PROGRAMS / "with_mpi4py.py")
    done = recording.run(command, tmp_path / "python.rankwise", variables)
    assert done.process.returncode == 0, done.process.stderr
    [(name, family, created_in)] = done.rows(MADE)
    assert (name, family) == ("W_d1", "W_d1")
    assert str(created_in).startswith("MPI.") and str(created_in).endswith(".so")
