"""Processes that a rank starts are none of the job: its counts stay its own, and they run as without us."""

from __future__ import annotations

import subprocess
from pathlib import Path

import libraries
import recording
from libraries import Mpi
from recording import Compile, Recording

RANKS = 2


# One library a family: the children are the system's.
mpi = libraries.in_turn(libraries.ONE_OF_EACH)


def test_counts_and_output(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    command = mpi.launch(RANKS, compiled(mpi, "forks.c"))
    bare = subprocess.run(
        command, capture_output=True, text=True, timeout=recording.LIMIT_SECONDS, env=mpi.env(), check=True
    )
    done = recording.run(command, tmp_path / "forks.rankwise", mpi.env())
    assert done.process.returncode == 0, done.process.stderr
    assert "rank 1: child ends with 3" in bare.stdout
    assert sorted(done.process.stdout.splitlines()) == sorted(bare.stdout.splitlines())
    assert done.process.stderr == bare.stderr
    assert done.calls("MPI_Bcast") == {0: (2, 8, 0), 1: (2, 0, 0)}
    assert done.calls("MPI_Test") == {}
    assert ("region of the child",) not in done.rows("SELECT name FROM regions")
    assert done.warnings == []
    assert done.dropped == {}


def test_program_started_alone(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    program = compiled(mpi, "forks.c")
    command = mpi.launch(RANKS, program, program)
    done = recording.run(command, tmp_path / "forks.rankwise", mpi.env())
    assert done.process.returncode == 0, done.process.stderr
    assert "rank 0: a world of its own ends with 0" in done.process.stdout
    assert done.calls("MPI_Bcast") == {0: (2, 8, 0), 1: (2, 0, 0)}
    alone = Recording(done.process, tmp_path / "forks.2.rankwise")
    assert alone.calls("MPI_Bcast") == {0: (2, 0, 0)}
    assert alone.warnings == []
