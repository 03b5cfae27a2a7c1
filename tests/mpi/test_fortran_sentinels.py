"""Fortran's special addresses mean under Rankwise what they mean without it, in all three bindings.

programs/transcript/sentinels.F90 uses MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE,
MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY, and writes what comes out.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi

from exhaustive import few

RANKS = 2
SOURCE = Path(__file__).parent / "programs" / "transcript" / "sentinels.F90"

# What must come out on rank 0, so that two runs that are wrong alike are not right.
EXPECTED = """\
Allreduce 3 5 3 4
Allgather 100 101 3 4
Allgatherv 200 201 3 4
Gather 300 301 3 4
Reduce 601 602 6 8
Alltoall 601 602 301 301
Scan 601 602 301 301
Iallreduce 1208 602 301 301
Sendrecv 8 9 10
Bcast 8 9 10
received 1 1 0 0
received 2 1 0 0
received 3 1 0 0
status 2 1
Waitsome 1
received 4 1 0 0
Recv 4 1 0 0
unweighted 1 1 0 1 1
weighted 1 1 1 5 6
empty 0 0 1
general 1 1 0
"""


@pytest.mark.parametrize("binding", few(["MPIFH", "MPI_F08", "MPI"], 2))
@pytest.mark.parametrize("mpi", [mpi for mpi in libraries.ALL if mpi.mpifort], ids=lambda mpi: mpi.name)
def test_same_with_and_without(mpi: Mpi, binding: str, tmp_path: Path) -> None:
    program = tmp_path / "sentinels"
    # Without a module, one procedure is called with arguments of several types.
    options = ["-w", "-fallow-argument-mismatch", f"-DBINDING={binding}", "-J", str(tmp_path)]
    words = [mpi.mpifort, *options, "-o", str(program), str(SOURCE)]
    subprocess.run(words, check=True, timeout=120, env=mpi.env())
    command = mpi.launch(RANKS, program)
    plain, profiled = tmp_path / "plain", tmp_path / "profiled"
    plain.mkdir()
    profiled.mkdir()
    subprocess.run(command, timeout=60, env=mpi.env(), cwd=plain, check=True)
    done = recording.run(command, profiled / "sentinels.rankwise", mpi.env())
    assert done.process.returncode == 0, done.process.stderr
    assert (plain / "sentinels.0").read_text() == EXPECTED
    for rank in range(RANKS):
        assert (plain / f"sentinels.{rank}").read_text() == (profiled / f"sentinels.{rank}").read_text()
    # And it was recorded: the bytes that two sentinels stand for, and those that a status of ours told.
    assert done.calls("MPI_Allgather", "W") == dict.fromkeys(range(RANKS), (1, 4, 0))
    assert done.calls("MPI_Irecv", "W") == dict.fromkeys(range(RANKS), (4, 0, 4 * 8))
    assert done.calls("MPI_Sendrecv", "W") == dict.fromkeys(range(RANKS), (1, 12, 12))
    assert done.warnings == []
