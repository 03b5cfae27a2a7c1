"""What Rankwise says that it costs: processor time in MPI_Init, not time that others had."""

from __future__ import annotations

import subprocess
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS, Compile

MS = 300  # each of the two times that MPI_Init reads what the process may use


@pytest.fixture(scope="module")
def slow_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that makes our own part of MPI_Init wait, or work."""
    library = tmp_path_factory.mktemp("slow") / "libslow.so"
    words = ["cc", "-shared", "-fPIC", "-o", str(library), str(PROGRAMS / "slow_start.c"), "-ldl"]
    subprocess.run(words, check=True, timeout=60)
    return library


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name)
@pytest.mark.parametrize(("what", "least", "most"), [("WAIT_MS", 0.0, 0.3), ("WORK_MS", 0.6, 0.9)])
def test_own_cost_is_processor_time(
    mpi: Mpi, compiled: Compile, slow_start: Path, tmp_path: Path, what: str, least: float, most: float
) -> None:
    variables = {**mpi.env(), "LD_PRELOAD": str(slow_start), what: str(MS)}
    command = mpi.launch(1, compiled(mpi, "busy.c"), "/")
    done = recording.run(command, tmp_path / "busy.rankwise", variables)
    assert done.process.returncode == 0, done.process.stderr
    [(own, setup, calls, wall)] = done.rows(
        "SELECT overhead, setup_overhead, (SELECT SUM(calls) FROM calls), wall FROM ranks"
    )
    assert isinstance(own, float)
    assert isinstance(setup, float)
    assert isinstance(wall, float)
    assert wall > MS / 1e3  # it has really waited, or worked: the second time, which lies in it
    assert least <= setup < most
    assert own > setup > 0
    assert isinstance(calls, int)
    assert (own - setup) / calls < 1e-5  # booking a call takes some 30 ns
