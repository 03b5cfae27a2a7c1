"""Procedures that a program looks up itself, by dlsym: counted as those that it is linked with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import recording
from libraries import Mpi
from recording import PROGRAMS, Compile, Record

INT = 4
RANKS = 2


def said(text: str) -> list[str]:
    """What the ranks wrote, in any order: their launcher may have torn lines apart."""
    return sorted("".join(text.split()))


def test_by_ctypes(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """Python that looks up every function on the MPI library's own handle."""
    constants = subprocess.run(
        [compiled(mpi, "constants.c")], capture_output=True, text=True, timeout=60, env=mpi.env(), check=True
    ).stdout.split()
    command = mpi.launch(RANKS, sys.executable, PROGRAMS / "with_ctypes.py", *constants)
    plain = subprocess.run(command, capture_output=True, text=True, timeout=120, env=mpi.env(), check=True)
    done = recording.run_on(mpi, command, tmp_path / "ctypes.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert said(done.process.stdout) == said(plain.stdout)
    # A fourth one went by its PMPI_ name.
    assert done.calls("MPI_Barrier", "W") == dict.fromkeys(range(RANKS), (3, 0, 0))
    large = {4 + 1: 2 * RANKS} if "+" in plain.stdout else {}
    assert done.bins("MPI_Bcast") == {6: RANKS} | large
    assert done.calls("MPI_Send", "W") == {0: (1, 10 * INT, 0)}
    assert done.calls("MPI_Irecv", "W") == {1: (1, 0, 10 * INT)}
    assert done.calls("MPI_Waitall", "W") == {1: (1, 0, 0)}
    assert done.messages("W") == {(0, 1): (1, 10 * INT)}
    for name in ("MPI_Init", "MPI_Finalize"):
        assert done.calls(name) == dict.fromkeys(range(RANKS), (1, 0, 0))
    assert done.warnings == []


def test_every_way_to_look_it_up(mpi: Mpi, record: Record, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.so"
    mpi.compile(plugin, PROGRAMS / "plugin.c", options=["-shared", "-fPIC"])
    done = record("looks_up.c", RANKS, str(plugin))
    assert done.calls("MPI_Barrier", "W") == dict.fromkeys(range(RANKS), (1 + 10 + 100 + 1000, 0, 0))
