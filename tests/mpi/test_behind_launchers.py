"""`mpirun -n 4 rankwise run ./app`: each rank has a `rankwise run` of its own, and the job one profile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import RANKWISE, Compile, Recording
from test_launchers import assert_known_calls, output

import patience

mpi = libraries.in_turn(libraries.ONE_OF_EACH_LAUNCHER)
LIMIT_SECONDS = 60


def run(mpi: Mpi, directory: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        env=mpi.env(),
        cwd=directory,
    )


def profiles(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.rankwise*"))


@pytest.mark.reported("recording/order")
def test_one_job_one_profile_one_summary(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    program = compiled(mpi, "faults.c")
    under = [RANKWISE, "run", "-o", "out.rankwise", "--", program]
    done = run(mpi, tmp_path, *mpi.launch(1, *under), ":", "-n", "2", *under)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == output(3)
    assert done.stderr.count("3 ranks / 1 node") == done.stderr.count("rankwise 0") == 1
    assert profiles(tmp_path) == [tmp_path / "out.rankwise"]
    assert_known_calls(Recording(done, tmp_path / "out.rankwise"), 3)

    # The next one is refused before anything is started, by one line.
    again = run(mpi, tmp_path, *mpi.launch(2, *under))
    assert again.returncode != 0
    assert again.stdout == ""
    assert again.stderr.count("rankwise: ") == again.stderr.count("is there already") == 1


def test_a_rank_that_fails(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """The launcher sees it end, and ends the others; the profile is made by then, or soon after."""
    words = [RANKWISE, "run", "-q", compiled(mpi, "faults.c"), "exit", "1"]
    done = run(mpi, tmp_path, *mpi.launch(2, *words))
    assert done.returncode != 0
    assert "rankwise" not in done.stderr

    def is_made() -> bool:
        return [path.suffix for path in profiles(tmp_path)] == [".rankwise"]

    patience.wait_until(is_made, LIMIT_SECONDS, lambda: done.stderr)
    [(partial, why)] = Recording(done, *profiles(tmp_path)).rows("SELECT partial, partial_reason FROM run")
    assert (partial, str(why)[:6]) == (1, "rank 1")


def test_what_can_not_be_recorded_runs(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    words = [RANKWISE, "run", "--with", "settings", "--", compiled(mpi, "faults.c")]
    done = run(mpi, tmp_path, *mpi.launch(2, *words))
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, output(2))
    assert done.stderr.count("rankwise: ") == 1
    assert "rankwise run -- mpirun" in done.stderr
    assert profiles(tmp_path) == []
