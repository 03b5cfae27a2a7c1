"""Fortran's completion calls over no request: counted once each, wherever the library returns from them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Record, Recording

SOURCE = PROGRAMS / "empty_completions.F90"
EMPTY = {"Waitall": 3, "Testall": 4, "Waitany": 5, "Testany": 6, "Waitsome": 7, "Testsome": 8}
WAITED = ("Waitall", "Waitany", "Waitsome")  # once each for a request on MPI_COMM_SELF

pytestmark = [
    pytest.mark.parametrize("binding", ["MPIFH", "MPI", "MPI_F08"]),
    pytest.mark.parametrize("mpi", [mpi for mpi in libraries.ALL if mpi.mpifort], ids=lambda mpi: mpi.name),
]


def build(mpi: Mpi, binding: str, target: Path, *options: str) -> Path:
    """Compile the program, or the plugin, in one of the bindings."""
    # Without a module, one procedure is called with arguments of several types.
    words = [mpi.mpifort, "-w", "-fallow-argument-mismatch", f"-DBINDING={binding}", "-J", str(target.parent)]
    subprocess.run([*words, *options, "-o", str(target), str(SOURCE)], check=True, timeout=120, env=mpi.env())
    return target


def assert_counted(done: Recording) -> None:
    """Each call of the program is there once."""
    assert done.process.returncode == 0, done.process.stderr
    for name, calls in EMPTY.items():
        assert done.calls(f"MPI_{name}", "(none)") == {0: (calls, 0, 0)}, name
    for name in WAITED:
        assert done.calls(f"MPI_{name}", "S.0") == {0: (1, 0, 0)}, name
    [(tested,)] = done.rows(
        "SELECT sum(calls) FROM calls JOIN procedures ON procedures.id = calls.procedure"
        " JOIN communicators ON communicators.id = calls.communicator"
        " WHERE procedures.name = 'MPI_Testall' AND communicators.name = 'S.0'"
    )
    assert isinstance(tested, int) and tested >= 1
    assert done.calls("MPI_Irecv", "S.0") == {0: (4, 0, 16)}
    assert done.warnings == []


# Open MPI 4.1's bindings return from them without calling any C procedure, those of MPICH 4.0 don't.
@pytest.mark.parametrize("linking", ["lazy", "now"])
def test_program(mpi: Mpi, binding: str, linking: str, tmp_path: Path) -> None:
    program = build(mpi, binding, tmp_path / "empty", f"-Wl,-z,{linking}")
    command = mpi.launch(1, program)
    plain = subprocess.run(command, capture_output=True, text=True, timeout=60, env=mpi.env(), check=True)
    done = recording.run(command, tmp_path / "empty.rankwise", mpi.env())
    assert done.process.stdout == plain.stdout
    assert_counted(done)


def test_plugin(mpi: Mpi, binding: str, record: Record, tmp_path: Path) -> None:
    plugin = build(mpi, binding, tmp_path / "plugin.so", "-DPLUGIN", "-shared", "-fPIC")
    assert_counted(record("loads_plugins.c", 1, str(plugin)))
