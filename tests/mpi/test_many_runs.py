"""Many runs of a program that sleeps inside of collectives of one communicator, longer in each run."""

from __future__ import annotations

import json
from pathlib import Path

import libraries
import pytest
import recording
from recording import Compile, rankwise

import rankwise as package

mpi = libraries.in_turn(libraries.ONE_OF_EACH)

RANKS, STEP_MS = 2, 400
ORDER = (3, 6, 1, 4, 0, 7, 2, 5)
"""Steps that each run takes longer: neither up nor down, so that nothing else goes with it."""


def test_the_communicator_that_makes_runs_differ(
    mpi: libraries.Mpi, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = compiled(mpi, "slow_operation.c")
    for number, steps in enumerate(ORDER):
        monkeypatch.setenv("SLOW_MS", str(100 + STEP_MS * steps))
        path = tmp_path / f"{number}.rankwise"
        done = recording.run_on(mpi, mpi.launch(RANKS, program), path)
        assert done.process.returncode == 0, done.process.stderr
    answer = package.variance(tmp_path)
    main = answer.found.main
    assert len(answer.found.runs) == len(ORDER)
    assert main, answer.text()
    assert (main.user_name, main.name) == ("slow", "MPI_Allreduce"), answer.text()
    assert main.explained_seconds > 0.5 * answer.found.spread_seconds
    shown = rankwise("variance", tmp_path, "--json")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["title"] == answer.title
    # Eight runs are too few to tell a change from noise, and `history` says so.
    history = rankwise("history", tmp_path, "--fail-above", "0")
    assert history.returncode == 0, history.stderr
    assert "Too few runs" in " ".join(history.stdout.split())
