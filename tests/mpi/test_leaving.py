"""MPI calls that the program leaves by an exception or a jump: nothing after them is lost.

The numbers are those of programs/leaving.cpp.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS

CALLS, ROUNDS = 1000, 5
RANKS = range(2)

Build = Callable[[Mpi], Path]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The program for an MPI library: its C compiler knows the options, the C++ compiler does the work."""
    done: dict[str, Path] = {}

    def build(mpi: Mpi) -> Path:
        if mpi.name not in done:
            place = tmp_path_factory.mktemp(mpi.name)
            compiler = shlex.split(os.environ.get("CXX", "c++"))[0]
            names = dict.fromkeys(("OMPI_CC", "MPICH_CC", "I_MPI_CC"), compiler)
            source = PROGRAMS / "leaving.cpp"
            program = place / "leaving"
            cc = compiler if mpi.mpicc == "cc" else mpi.mpicc
            words = [cc, "-O2", "-o", str(program), str(source), *mpi.compile_options, "-lstdc++"]
            subprocess.run(words, check=True, timeout=120, env={**mpi.env(), **names})
            done[mpi.name] = program
        return done[mpi.name]

    return build


def record(mpi: Mpi, program: Path, how: str, place: Path) -> recording.Recording:
    done = recording.run_on(mpi, mpi.launch(len(RANKS), program, how), place / "leaving.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert done.process.stdout.count("caught") == len(RANKS)
    return done


@pytest.mark.parametrize("how", ["throw", "longjmp", "siglongjmp"])
def test_nothing_is_lost(mpi: Mpi, how: str, built: Build, tmp_path: Path) -> None:
    done = record(mpi, built(mpi), how, tmp_path)
    calls = (ROUNDS + 1) * CALLS
    assert done.calls("MPI_Allreduce", "W") == dict.fromkeys(RANKS, (calls, 4 * calls, 0))
    # Those that were left count, like others that fail: without bytes.
    assert done.calls("MPI_Send", "W_d1") == {0: (ROUNDS + 1, 8, 0), 1: (ROUNDS, 0, 0)}
    assert done.calls("MPI_Wait", "W_d1") == {1: (1, 0, 0)}
    assert done.calls("MPI_Comm_free", "W_d2") == dict.fromkeys(RANKS, (2, 0, 0))
    # So do those of a callback, also after something was thrown and caught inside of it.
    assert done.calls("MPI_Barrier", "W_d1") == dict.fromkeys(RANKS, (2, 0, 0))
    assert done.calls("MPI_Comm_dup", "W") == dict.fromkeys(RANKS, (2, 0, 0))
    assert done.calls("MPI_Barrier", "W") == dict.fromkeys(RANKS, (1, 0, 0))
    assert done.calls("MPI_Barrier", "W_d2") == dict.fromkeys(RANKS, (2, 0, 0))
    assert done.calls("MPI_Finalize") == dict.fromkeys(RANKS, (1, 0, 0))
    assert done.rows("SELECT partial FROM run") == [(0,)]
    assert set(done.dropped) <= {"receives"}


def test_a_jump_that_nobody_sees(mpi: Mpi, built: Build, tmp_path: Path) -> None:
    """Found by the stack at the next call."""
    done = record(mpi, built(mpi), "builtin", tmp_path)
    calls = (ROUNDS + 1) * CALLS
    recorded = done.calls("MPI_Allreduce", "W")
    missing = 2 * calls - sum(recorded[rank][0] for rank in RANKS)
    assert missing <= done.dropped.get("thread_calls", 0)
    assert done.calls("MPI_Send", "W_d1") == {0: (ROUNDS + 1, 8, 0), 1: (ROUNDS, 0, 0)}
    assert done.calls("MPI_Finalize") == dict.fromkeys(RANKS, (1, 0, 0))
