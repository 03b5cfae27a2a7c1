"""MPI_M_reorder and MPI_M_redistribute: the programs check for themselves what is known by construction.

The four ranks share a node; a preloaded library gives Rankwise the names of two.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Compile
from test_introspection import EXAMPLES, flags, in_fortran, run
from test_introspection_python import ONE_OF_EACH, PYTHON, preloaded
from test_mpi4py import environment

NODES = "ABBA"
RANKS = len(NODES)
CHECKED = (
    "world",
    "another_order",
    "part",
    "collectives",
    "kept",
    "redistribute",
    "mapping",
    "profitable",
    "refused",
)


@pytest.fixture(scope="session")
def pretending(pretender: Path) -> dict[str, str]:
    """The environment in which Rankwise finds the ranks on the nodes of NODES."""
    return {"LD_PRELOAD": str(pretender), "PRETEND_NODES": NODES}


def linked(mpi: Mpi, directory: Path) -> Path:
    program = directory / "reorder"
    mpi.compile(program, PROGRAMS / "reorder.c", options=flags("--monitoring"))
    return program


def machine(directory: Path) -> Path:
    """Two switches with a node each, two slots a node; the hosts have a domain here."""
    path = directory / "machine.json"
    levels = [
        {"name": "switch", "count": 2},
        {"name": "node", "count": 1, "names": ["A.cluster", "B.cluster"]},
        {"name": "core", "count": 2},
    ]
    path.write_text(json.dumps({"format": "rankwise-machine", "version": 1, "levels": levels}))
    return path


def test_linked(mpi: Mpi, pretending: dict[str, str], tmp_path: Path) -> None:
    run(mpi, tmp_path, linked(mpi, tmp_path), *CHECKED, "machine", machine(tmp_path), **pretending)


def core_of(processor: int) -> str:
    path = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/core_id")
    return path.read_text() if path.exists() and processor in os.sched_getaffinity(0) else ""


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
def test_cores_of_a_node(mpi: Mpi, tmp_path: Path) -> None:
    """Two cores with two ranks each, which bind themselves: partners get one core."""
    if "" in (core_of(0), core_of(1)) or core_of(0) == core_of(1):
        pytest.skip("processors 0 and 1 are not known to be two cores that may be used")
    run(mpi, tmp_path, linked(mpi, tmp_path), "cores", PRETEND_NODES=NODES)


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
def test_in_the_profile(mpi: Mpi, pretending: dict[str, str], tmp_path: Path) -> None:
    """The new communicator is one that the program has split off; nothing else was sent."""
    command = mpi.launch(RANKS, linked(mpi, tmp_path), "world")
    done = recording.run(command, tmp_path / "reorder.rankwise", {**mpi.env(), **pretending})
    assert done.process.returncode == 0, done.process.stderr
    assert done.calls("MPI_Comm_split", "W") == dict.fromkeys(range(RANKS), (1, 0, 0))
    # A part is named by its first rank; the second time the order stays.
    names = list(done.communicators())
    assert len(names) == 3
    assert re.fullmatch(r"W W_s1\.([0-3]) W_s1\.\1_s1\.0", " ".join(names))
    assert done.calls("MPI_Sendrecv", "W") == done.calls("MPI_Sendrecv", names[1])
    assert set(done.calls("MPI_Sendrecv", "W").values()) == {(3, 3000, 3000)}
    for procedure in ("MPI_Gather", "MPI_Gatherv", "MPI_Comm_dup"):
        assert done.calls(procedure) == {}
    # The program's own, one for each of the two orders.
    assert {calls for calls, _, _ in done.calls("MPI_Bcast").values()} == {2}
    inside = done.rows(
        """SELECT DISTINCT procedures.name FROM messages JOIN procedures ON procedures.id = messages.procedure
           WHERE kind = 'in-collective'"""
    )
    own = {"MPI_Init", "MPI_Allgather", "MPI_Bcast", "MPI_Comm_split", "MPI_Comm_free", "MPI_Finalize"}
    assert {name for (name,) in inside} <= own


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
def test_solver(mpi: Mpi, pretending: dict[str, str], tmp_path: Path) -> None:
    """The example: the same result to the last bit, on other processes."""
    program = tmp_path / "solver"
    mpi.compile(program, EXAMPLES / "solver.c", options=[*flags("--monitoring"), "-lm"])
    words = ["-n", "20", "-i", "12", "-f", "2"]
    kept = run(mpi, tmp_path, program, *words, "-k", **pretending)
    reordered = run(mpi, tmp_path, program, *words, **pretending)
    result = r"largest change in the last: (\S+)"
    assert re.findall(result, kept) == re.findall(result, reordered) != []
    moved = re.findall(r"(\d+) ranks moved", reordered)
    assert [int(count) > 0 for count in moved] == [True]
    assert "moved" not in kept


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
@pytest.mark.only_on(lambda mpi: mpi.mpifort, "no Fortran bindings here")
def test_fortran(mpi: Mpi, pretending: dict[str, str], tmp_path: Path) -> None:
    run(mpi, tmp_path, in_fortran(mpi, PROGRAMS / "reorder.f90", tmp_path), **pretending)


@pytest.mark.parametrize("mpi", ONE_OF_EACH, ids=lambda mpi: mpi.name)
def test_python(mpi: Mpi, compiled: Compile, pretending: dict[str, str], tmp_path: Path) -> None:
    variables = preloaded(environment(mpi, compiled, tmp_path))
    variables["LD_PRELOAD"] += f":{pretending['LD_PRELOAD']}"
    done = subprocess.run(
        mpi.launch(RANKS, *PYTHON, PROGRAMS / "reorder.py"),
        capture_output=True,
        text=True,
        timeout=recording.LIMIT_SECONDS,
        env={**variables, "PRETEND_NODES": NODES},
    )
    assert done.returncode == 0, done.stdout + done.stderr
