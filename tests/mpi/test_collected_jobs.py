"""Jobs that nobody started by `rankwise run`, and the profiles that `rankwise collect` makes of them."""

from __future__ import annotations

import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import libraries
import pytest
from jobs import LIMIT_SECONDS, RANKS, Job, Place, assert_known_calls, partial
from libraries import Mpi
from recording import RANKWISE, Compile, Recording

import patience

mpi = libraries.in_turn(libraries.ONE_OF_EACH)


BATCH_JOB = "12.master"


class Centre:
    """A directory of jobs, and programs that start with what `rankwise env` prints, in a batch system.

    No launcher looks at Cobalt's variable.
    """

    def __init__(self, mpi: Mpi, program: Path, directory: Path) -> None:
        self.jobs = directory / "jobs"
        self._mpi = mpi
        self._program = program
        self._directory = directory
        self._number = 0

    def start(self, *arguments: str) -> AbstractContextManager[Job]:
        self._number += 1
        place = self._directory / str(self._number)
        place.mkdir()
        script = f'eval "$({RANKWISE} env --dir {self.jobs} --save-every 1)" && exec "$@"'
        script = f"export COBALT_JOBID={BATCH_JOB}; {script}"
        return Place(self._mpi, self._program, place).start(*arguments, under=["sh", "-c", script, "sh"])

    def collector(self) -> subprocess.Popen[str]:
        words = [RANKWISE, "collect", self.jobs]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def collected(self, collector: subprocess.Popen[str] | None = None) -> list[Path]:
        """The profiles that were made."""
        process = collector or self.collector()
        out, said = process.communicate(timeout=LIMIT_SECONDS)
        assert (process.returncode, said) == (0, "")
        return [Path(line) for line in out.splitlines()]

    def collected_in_the_end(self) -> Path:
        """The one profile, once what remains of the job has been saved."""
        made: list[Path] = []

        def is_made() -> bool:
            made.extend(self.collected())
            return bool(made)

        patience.wait_until(is_made, LIMIT_SECONDS, lambda: str(list(self.jobs.rglob("*"))))
        [profile] = made
        return profile


@pytest.fixture
def centre(mpi: Mpi, compiled: Compile, tmp_path: Path) -> Centre:
    return Centre(mpi, compiled(mpi, "faults.c"), tmp_path)


def recording_of(job: Job, profile: Path) -> Recording:
    return Recording(subprocess.CompletedProcess("", job.process.returncode, job.stdout, job.stderr), profile)


def test_two_jobs_at_once_and_two_collectors(centre: Centre) -> None:
    with centre.start() as first, centre.start() as second:
        assert (first.wait(), second.wait()) == (0, 0), first.stderr + second.stderr
    both = [centre.collector() for _ in range(2)]
    made = sorted(path for collector in both for path in centre.collected(collector))
    assert sorted(centre.jobs.iterdir()) == made
    assert len(made) == 2
    for job, profile in zip((first, second), made, strict=True):
        done = recording_of(job, profile)
        assert job.stderr == ""
        assert_known_calls(done)
        assert partial(done) == (0, "", None)
        assert done.rows("SELECT ranks_seen, ranks_expected, job FROM run") == [(RANKS, RANKS, BATCH_JOB)]
    assert centre.collected() == []


def test_a_job_under_way_is_left_alone(centre: Centre) -> None:
    with centre.start("wait") as job:
        job.wait_until_ready()
        patience.wait_until(
            lambda: any(centre.jobs.glob("*/*.node")), LIMIT_SECONDS, lambda: "nothing is saved"
        )
        assert centre.collected() == []
        job.go_on()
        assert job.wait() == 0, job.stderr
    assert_known_calls(recording_of(job, centre.collected_in_the_end()))


def test_a_job_whose_ranks_are_killed(centre: Centre) -> None:
    with centre.start("kill", "2") as job:
        assert job.wait() != 0
        done = recording_of(job, centre.collected_in_the_end())
    is_partial, reason, status = partial(done)
    assert (is_partial, status) == (1, None)
    assert reason.startswith("rank")
    assert_known_calls(done)
