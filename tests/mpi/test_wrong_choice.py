"""A wrong --mpi that only the processes can see: one line, and the profile is as it should be."""

from __future__ import annotations

from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import Compile

from golden import assert_facts


@pytest.mark.parametrize("choice", ["openmpi", "mpich", "mpiabi"])
def test_the_library_itself_decides(mpi: Mpi, compiled: Compile, tmp_path: Path, choice: str) -> None:
    program = compiled(mpi, "point_to_point.c")
    script = tmp_path / "job.sh"
    script.write_text(f"exec {' '.join(mpi.launch(3, program))}\n")
    done = recording.run(["sh", str(script)], tmp_path / "job.rankwise", mpi.env(), "--mpi", choice)
    assert done.process.returncode == 0, done.process.stderr
    said = [line for line in done.process.stderr.splitlines() if line.startswith("rankwise: ")]
    if choice == mpi.family:
        assert said == []
    else:
        [line] = said
        assert_facts(line, f" {mpi.family} .. {choice} .. --mpi")
    assert done.rows("SELECT mpi_abi, ranks_seen, partial FROM run") == [(mpi.family, 3, 0)]
    assert done.calls("MPI_Ssend") == {0: (1, 40, 0)}
