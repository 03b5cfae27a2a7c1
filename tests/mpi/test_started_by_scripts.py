"""Programs behind scripts: what they use that is not recorded is known from the processes themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import PROGRAMS

RANKS = 2


@pytest.mark.parametrize(
    ("source", "missed"),
    [("newer_call.c", '["MPIX_Newer_call", "MPI_Newer_call"]'), ("tools/ring.c", "[]")],
)
def test_behind_a_script(mpi: Mpi, source: str, missed: str, tmp_path: Path) -> None:
    program, script = tmp_path / "app", tmp_path / "script"
    mpi.compile(program, PROGRAMS / source)
    script.write_text(f"#!/bin/sh\nexec {program}\n")
    script.chmod(0o755)
    done = recording.run_on(mpi, mpi.launch(RANKS, script), tmp_path / "app.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert done.calls("MPI_Finalize") == dict.fromkeys(range(RANKS), (1, 0, 0))
    assert done.rows("SELECT not_covered FROM run") == [(missed,)]
