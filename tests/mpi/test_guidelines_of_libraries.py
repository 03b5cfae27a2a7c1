"""`rankwise tune guidelines` on each MPI library: the probe's mock-ups, and the whole job."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import libraries
import pytest
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE

from exhaustive import few
from golden import assert_facts
from rankwise.launch.signals import Signals
from rankwise.tuning.guidelines import questions
from rankwise.tuning.racing.arms import DEFAULT
from rankwise.tuning.racing.batch import Arm
from rankwise.tuning.racing.session import Session
from rankwise.tuning.racing.start import prepare

LIBRARIES = [library for library in libraries.ONE_OF_EACH_LAUNCHER if library.family != "mpiabi"]
mpi = libraries.in_turn(LIBRARIES)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keeps the probes of all tests: each library's is compiled once."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("ranks", few([2, 3], 1))
def test_mock_ups_compute_what_they_stand_for(mpi: Mpi, cache: Path, tmp_path: Path, ranks: int) -> None:
    """The probe compares what each leaves with what it should; with blocks that can't be cut evenly, too."""
    asked = questions(ranks, [8, 40, 1000, 1001, 4096], [])
    assert len(asked) == 5 * 8 + 1
    setup = prepare(
        mpi.launch(ranks), mpi.env(), tmp_path, Signals(), print, compiler=mpi.mpicc, probe_directory=cache
    )
    with Session(setup) as session:
        for question in asked:
            arms: dict[str, Arm] = {DEFAULT: None, **question.others}
            [times] = session.run(question.cell, arms, [list(arms)])  # or Unfit says which are wrong
            assert set(times) == set(arms)
            assert all(seconds > 0 for seconds in times.values())
            assert session.of_visit(question.cell) > 0


def _guidelines(mpi: Mpi, cache: Path, place: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(RANKWISE), "tune", "guidelines", "--mpicc", mpi.mpicc, *options],
        capture_output=True,
        text=True,
        timeout=4 * LIMIT_SECONDS,
        env={**mpi.env(), "XDG_CACHE_HOME": str(cache)},
        cwd=place,
    )


def test_the_outcome_is_whole(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    done = _guidelines(mpi, cache, tmp_path, "--sizes", "1K,8", "--json", "--", *mpi.launch(2))
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    compared = [*outcome["violated"], *outcome["too_short"], *outcome["others"]]
    wanted = {
        (question.cell.procedure, question.cell.size, words)
        for question in questions(2, [8, 1024], [])
        for words in question.others
    }
    assert {
        (comparison["procedure"], comparison["size"], comparison["against"]) for comparison in compared
    } == wanted
    assert len(compared) == len(wanted)
    assert all(comparison["own_us"] > 0 and comparison["other_us"] > 0 for comparison in compared)
    assert all(
        comparison["interval"]["confidence"] >= comparison["interval"]["wanted"] > 0.998
        for comparison in compared
    )
    assert (outcome["processes"], outcome["left"], outcome["ended"]) == (2, 0, "")
    assert outcome["not_comparable"] == {}
    assert not list(tmp_path.iterdir())
    assert f"rankwise: {len(wanted)} comparisons in 32 rounds: about " in done.stderr


def test_it_ends_in_time(mpi: Mpi, cache: Path, tmp_path: Path) -> None:
    """The budget is over early, and the program's place need not be taken."""
    done = _guidelines(mpi, cache, tmp_path, "--budget", "3s", "--", *mpi.launch(2, "none"))
    assert_facts(done.stderr if done.returncode else done.stdout, "--budget")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "ranks", "line"),
    [
        (["--sizes", "8,x"], 2, "'x'"),
        (["--sizes", "8,8"], 2, "--sizes"),
        (["-o", "a.json"], 2, "-o"),
        (["F.rankwise"], 2, "F.rankwise"),
        ([], 1, "rankwise: "),
    ],
)
def test_what_is_refused(
    mpi: Mpi, cache: Path, tmp_path: Path, options: list[str], ranks: int, line: str
) -> None:
    done = _guidelines(mpi, cache, tmp_path, *options, "--", *mpi.launch(ranks))
    assert done.returncode == 2
    assert line in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
