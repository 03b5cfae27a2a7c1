"""Objects that a program loads when MPI is initialised: their calls are recorded as any others are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from libraries import Mpi
from recording import LIMIT_SECONDS, PROGRAMS, Record

SHARED = ("-shared", "-fPIC")


def exports(mpi: Mpi, plugin: Path, name: str) -> bool:
    """Whether the plugin was compiled to call a procedure, because its library has it."""
    words = ["nm", "--dynamic", "--undefined-only", str(plugin)]
    listed = subprocess.run(
        words, capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS, env=mpi.env()
    )
    return name in listed.stdout.split()


def test_newer_and_large_count_procedures(mpi: Mpi, record: Record, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.so"
    mpi.compile(plugin, PROGRAMS / "plugin.c", options=SHARED)
    # The same object again under another name: loaded after the first has been looked at.
    second = tmp_path / "second.so"
    second.write_bytes(plugin.read_bytes())
    done = record("loads_plugins.c", 2, str(plugin), str(second))
    large = exports(mpi, plugin, "MPI_Bcast_c")
    assert done.bins("MPI_Bcast") == {4: 4} | ({5: 4} if large else {})
    if exports(mpi, plugin, "MPI_Isendrecv"):
        # Not the bytes received, nor the warning about them: MPICH and Intel MPI set anything in this status.
        sent = {rank: row[:2] for rank, row in done.calls("MPI_Isendrecv").items()}
        assert sent == {0: (2, 40), 1: (2, 40)}
        assert done.messages("W") == {(0, 1): (2, 40), (1, 0): (2, 40)}


def test_fortran(mpi: Mpi, record: Record, tmp_path: Path) -> None:
    if not mpi.mpifort:
        pytest.skip(f"{mpi.name} has no Fortran bindings here")
    plugin = tmp_path / "plugin.so"
    words = [mpi.mpifort, *SHARED, "-o", str(plugin), str(PROGRAMS / "plugin_fortran.f90")]
    subprocess.run(words, check=True, timeout=LIMIT_SECONDS, env=mpi.env())
    done = record("loads_plugins.c", 2, str(plugin))
    assert done.calls("MPI_Bcast") == {0: (1, 40, 0), 1: (1, 0, 0)}
    assert done.warnings == []
