"""Objects that a program loads when MPI is initialised: their calls are recorded as any others are."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import LIMIT_SECONDS, PROGRAMS, Record

from golden import assert_facts

SHARED = ("-shared", "-fPIC")
RANKS = 2


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


def expected_bins(mpi: Mpi, plugin: Path, plugins: int = 1) -> dict[int, int]:
    """Calls of MPI_Bcast by size bin, over all ranks."""
    calls = RANKS * plugins
    return {4: calls} | ({5: calls} if exports(mpi, plugin, "MPI_Bcast_c") else {})


@pytest.mark.parametrize("binding", ["lazy", "now"])
def test_opened_with_deep_binding(mpi: Mpi, record: Record, tmp_path: Path, binding: str) -> None:
    """They find the MPI library's functions before ours."""
    plugin = tmp_path / "plugin.so"
    mpi.compile(plugin, PROGRAMS / "plugin.c", options=[*SHARED, f"-Wl,-z,{binding}"])
    done = record("loads_plugins.c", RANKS, "deep", str(plugin))
    assert done.bins("MPI_Bcast") == expected_bins(mpi, plugin)
    waits = {0: (1, 0, 0), 1: (1, 0, 0)} if exports(mpi, plugin, "MPI_Isendrecv") else {}
    assert done.calls("MPI_Wait", "W") == waits
    assert done.rows("SELECT not_covered FROM run") == [("[]",)]


def test_what_passes_us_by_is_told(mpi: Mpi, record: Record, tmp_path: Path) -> None:
    """A plugin that is never asked for a function is seen too late."""
    plugin = tmp_path / "plugin.so"
    mpi.compile(plugin, PROGRAMS / "plugin.c", options=SHARED)
    newer = exports(mpi, plugin, "MPI_Isendrecv")
    large = exports(mpi, plugin, "MPI_Bcast_c")
    done = record("loads_plugins.c", RANKS, "deep", f"+{plugin}")
    assert done.calls("MPI_Bcast") == {}
    missed = ["MPI_Bcast", *(["MPI_Isendrecv", "MPI_Wait"] if newer else [])]
    assert done.rows("SELECT not_covered FROM run") == [(json.dumps(missed),)]
    [warning] = done.warnings
    assert_facts(warning, f" {', '.join(missed)} .. 0-1")
    done.path.unlink()
    done = record("loads_plugins.c", RANKS, f"+{plugin}")
    assert done.bins("MPI_Bcast") == {4: RANKS}
    missed = [*(["MPI_Bcast"] if large else []), *(["MPI_Isendrecv"] if newer else [])]
    assert done.rows("SELECT not_covered FROM run") == [(json.dumps(missed),)]


def test_a_kernel_that_refuses(mpi: Mpi, tmp_path: Path) -> None:
    """References that are read-only and can't be changed."""
    program = tmp_path / "refuses"
    mpi.compile(program, PROGRAMS / "refuses.c", options=["-Wl,-z,relro,-z,now"])
    done = recording.run_on(mpi, mpi.launch(RANKS, program), tmp_path / "refuses.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert done.bins("MPI_Bcast") == {4: RANKS}
    # Neither is it seen what the program loads.
    missed = [*(["MPI_Bcast"] if exports(mpi, program, "MPI_Bcast_c") else []), "plugins"]
    assert done.rows("SELECT not_covered FROM run") == [(json.dumps(missed),)]


@pytest.mark.only_on(lambda mpi: mpi.mpifort, "no Fortran bindings here")
def test_fortran(mpi: Mpi, record: Record, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.so"
    words = [mpi.mpifort, *SHARED, "-o", str(plugin), str(PROGRAMS / "plugin_fortran.f90")]
    subprocess.run(words, check=True, timeout=LIMIT_SECONDS, env=mpi.env())
    done = record("loads_plugins.c", 2, str(plugin))
    assert done.calls("MPI_Bcast") == {0: (1, 40, 0), 1: (1, 0, 0)}
    assert done.warnings == []
