"""At which line each call was made, how often, in which program or library: programs/sites*.c, and others."""

from __future__ import annotations

import json
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
from golden import assert_facts

RANKS = 2
LIBRARY = "libsums.so.3"
# By the comment behind the call: rank → calls.
CALLS = {
    ("MPI_Send", "first send", "exchange"): {0: 10},
    ("MPI_Send", "second send", "exchange"): {0: 5},
    ("MPI_Irecv", "receive", "exchange"): {1: 15},
    ("MPI_Wait", "wait", "exchange"): {1: 15},
    ("MPI_Bcast", "inlined", "main"): {0: 10, 1: 10},
    ("MPI_Bcast", "last", "main"): {0: 1, 1: 1},
    ("MPI_Send_init", "initialise", "main"): {0: 1, 1: 1},
    ("MPI_Start", "start", "main"): {0: 3, 1: 3},
    ("MPI_Wait", "wait for it", "main"): {0: 3, 1: 3},
    ("MPI_Allreduce", "in the library", "sum_in_library"): {0: 7, 1: 7},
}
SHARED = ("-shared", "-fPIC", f"-Wl,-soname,{LIBRARY}")
BINDINGS = ["fortran_mpifh.f90", "fortran_mpi.f90", "fortran_mpi_f08.f90"]


def found_calls(done: Recording) -> dict[tuple[str, str, str], dict[int, int]]:
    """The calls by procedure, comment behind the call and function, as the profile tells them."""
    counts: dict[tuple[str, str, str], dict[int, int]] = {}
    for procedure, function, file, line, rank, calls in done.rows(
        "SELECT procedures.name, function, file, line, rank, SUM(calls) FROM calls"
        " JOIN procedures ON procedures.id = procedure JOIN sites ON sites.id = site"
        " WHERE procedures.name <> 'MPI_Request_free' GROUP BY procedures.id, function, file, line, rank"
    ):
        source = Path(str(file)).read_text(encoding="utf-8").splitlines()[int(str(line)) - 1]
        of_ranks = counts.setdefault(
            (str(procedure), re.split("// |# ", source, maxsplit=1)[-1], str(function)), {}
        )
        of_ranks[int(str(rank))] = int(str(calls))
    return counts


def run_sites(
    mpi: Mpi, tmp_path: Path, options: tuple[str, ...], *, linked: bool, more: tuple[str, ...] = ()
) -> Recording:
    """Compile with these options, run, and give the profile back."""
    library, program = tmp_path / LIBRARY, tmp_path / "sites"
    mpi.compile(library, PROGRAMS / "sites_library.c", options=(*SHARED, *options))
    how = ("-DLINKED", str(library), f"-Wl,-rpath,{tmp_path}") if linked else ("-ldl",)
    mpi.compile(program, PROGRAMS / "sites.c", *how, options=(*options, *more))
    command = mpi.launch(RANKS, program, *([] if linked else [library]))
    done = recording.run_on(mpi, command, tmp_path / "sites.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert done.dropped == {}
    return done


def shown(done: Recording, view: str, *more: str) -> list[dict[str, object]]:
    answer = json.loads(done.shown("--by", view, "--json", *more))
    rows: list[dict[str, object]] = answer["sites" if view == "site" else "libraries"]
    return rows


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "loaded"])
def test_with_debug_information(mpi: Mpi, tmp_path: Path, *, linked: bool) -> None:
    options = ("-g", "-O2") if linked else ("-g", "-gdwarf-4", "-gz")
    done = run_sites(mpi, tmp_path, options, linked=linked, more=() if linked else ("-no-pie",))
    assert found_calls(done) == CALLS
    # Only what opens and closes MPI has no site.
    assert done.rows(
        "SELECT DISTINCT class FROM calls JOIN procedures ON procedures.id = procedure WHERE site IS NULL"
    ) == [("environment",)]
    # What was received is where the receive was posted.
    [(received,)] = done.rows(
        "SELECT SUM(bytes_received) FROM calls JOIN sites ON sites.id = site WHERE function = 'exchange'"
    )
    assert received == 15 * 8
    line = (PROGRAMS / "sites.c").read_text(encoding="utf-8").partition("// second send")[0].count("\n") + 1
    [row] = [row for row in shown(done, "site") if row["line"] == line]
    assert (row["site"], row["procedure"], row["function"]) == (f"sites.c:{line}", "MPI_Send", "exchange")
    assert (row["library"], row["is_program"], row["families"]) == ("sites", True, ["W"])
    assert (row["calls"], row["bytes_sent"], row["ranks"]) == (5, 5 * 8, 1)
    [row] = shown(done, "site", "--call", "Send", "--rank", "0", "--size", "1-1K")[1:]
    assert row["line"] in (line, line - 2)
    assert f"sites.c:{line} " in done.shown("--by", "site")
    of_library = {row["library"]: (row["calls"], row["is_program"]) for row in shown(done, "library")}
    total = sum(sum(ranks.values()) for ranks in CALLS.values())
    assert of_library == {"libsums": (14, False), "sites": (total - 14 + 2, True)}


@pytest.mark.parametrize("options", [("-O1",), ("-O1", "-s")], ids=["symbols", "stripped"])
def test_without_debug_information(mpi: Mpi, tmp_path: Path, options: tuple[str, ...]) -> None:
    done = run_sites(mpi, tmp_path, options, linked=True)
    assert done.rows("SELECT DISTINCT file, line FROM sites") == [(None, None)]
    rows = shown(done, "site")
    functions = {row["function"] for row in rows}
    # The library exports its function. Of the program's own, all are in the table of symbols.
    inside = {None, "sum_in_library"} if "-s" in options else {"exchange", "main", "sum_in_library"}
    assert functions == inside
    for row in rows:
        name = Path(str(row["path"])).name
        assert row["site"] == f"{name}+{row['offset']:#x}"
        assert name == (LIBRARY if row["procedure"] == "MPI_Allreduce" else "sites")
    calls = sorted(int(str(row["calls"])) for row in rows if row["procedure"] == "MPI_Send")
    assert calls == [5, 10]


@pytest.mark.only_on(lambda mpi: mpi.mpifort, "no Fortran bindings here")
@pytest.mark.parametrize("source", few(BINDINGS, 1), ids=lambda name: name.removesuffix(".f90"))
def test_fortran(mpi: Mpi, source: str, tmp_path: Path) -> None:
    """The site is where the binding was called, not in the binding."""
    program = tmp_path / "program"
    words = [mpi.mpifort, "-g", "-J", str(tmp_path), "-o", str(program), str(PROGRAMS / source)]
    subprocess.run(words, check=True, timeout=120, env=mpi.env(), capture_output=True)
    done = recording.run_on(mpi, mpi.launch(4, program), tmp_path / "fortran.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    rows = done.rows(
        "SELECT procedures.name, file, line, is_program, SUM(calls) FROM calls"
        " JOIN procedures ON procedures.id = procedure LEFT JOIN sites ON sites.id = site"
        " LEFT JOIN objects ON objects.id = object WHERE class <> 'environment'"
        " GROUP BY procedures.id, file, line"
    )
    text = (PROGRAMS / source).read_text(encoding="utf-8").splitlines()
    assert len(rows) > 10
    for procedure, file, line, is_program, calls in rows:
        assert Path(str(file)).name == source, procedure
        assert is_program == 1
        assert int(str(calls)) > 0
        assert "mpi_" in text[int(str(line)) - 1].lower(), (procedure, line)


@has_module
def test_python_s_binding(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = environment(mpi, compiled, tmp_path)
    command = mpi.launch(3, sys.executable, PROGRAMS / "with_mpi4py.py")
    done = recording.run(command, tmp_path / "python.rankwise", variables)
    assert done.process.returncode == 0, done.process.stderr
    [row] = shown(done, "library")
    assert (row["library"], row["is_program"], row["ranks"]) == ("mpi4py", False, 3)
    [(calls,)] = done.rows(
        "SELECT SUM(calls) FROM calls JOIN procedures ON procedures.id = procedure"
        " WHERE class <> 'environment'"
    )
    assert row["calls"] == calls
    # The interpreter's own functions tell nothing.
    assert done.rows("SELECT DISTINCT ends FROM paths") == [("python",)]


LINES = {
    ("MPI_Bcast", "in a method", "Solver.step"): {0: 3, 1: 3},
    ("MPI_Barrier", "in a function of a function", "Solver.step.inner"): {0: 3, 1: 3},
    ("MPI_Send", "send", "exchange"): {0: 10},
    ("MPI_Recv", "receive", "exchange"): {1: 10},
    ("MPI_Barrier", "in no function", "None"): {0: 1, 1: 1},
    ("MPI_Allreduce", "in a thread", "in_thread"): {0: 1, 1: 1},
}


@has_module
def test_lines_of_python(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    variables = environment(mpi, compiled, tmp_path)
    command = mpi.launch(RANKS, sys.executable, PROGRAMS / "sites.py")
    done = recording.run(command, tmp_path / "lines.rankwise", variables, "--python-sites")
    assert done.process.returncode == 0, done.process.stderr
    assert done.dropped == {}
    counts = found_calls(done)
    # (How mpi4py sends objects is its own affair.)
    comprehended = {key: counts.pop(key) for key in list(counts) if key[1] == "in a comprehension"}
    assert {function for _, _, function in comprehended} == {"exchange"}
    assert all(calls >= 5 for of_ranks in comprehended.values() for calls in of_ranks.values())
    assert counts == LINES
    [row] = shown(done, "library")
    assert (row["library"], row["ranks"]) == ("sites.py", RANKS)
    assert "sites.py:" in done.shown("--by", "site")


def test_switched_off(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    command = mpi.launch(2, compiled(mpi, "waiting.c"))
    path = tmp_path / "off.rankwise"
    done = recording.run(command, path, mpi.env(), "--no-sites")
    assert done.process.returncode == 0, done.process.stderr
    assert done.rows("SELECT COUNT(*) FROM sites") == [(0,)]
    assert done.rows("SELECT SUM(calls) > 0 FROM calls") == [(1,)]
    assert_facts(done.shown("--by", "site"), "--no-sites .. --by call")
