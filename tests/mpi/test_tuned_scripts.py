"""`rankwise tune` and `optimize` of a script: the launch inside, its input, and what it refuses."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import RANKWISE, Compile

LIBRARIES = list(libraries.first_of_each(libraries.ONE_OF_EACH_LAUNCHER, lambda mpi: mpi.family))
LIMIT_SECONDS = 300
RANKS = 2
REFUSAL = "out already exists"
VALUES = {
    "openmpi": "OMPI_MCA_btl_self_eager_limit = 2048",
    "mpich": "MPIR_CVAR_CH4_NUM_VCIS = 1",
}

pytestmark = pytest.mark.timeout(LIMIT_SECONDS + 60)
mpi = libraries.in_turn(LIBRARIES)


@dataclass
class Job:
    """A script in a directory of its own, and the profile of a run of it."""

    mpi: Mpi
    place: Path
    launch: str

    def script(self, before: str = "", after: str = "") -> str:
        """Write it anew, with lines before the launch and after."""
        path = self.place / "job.sh"
        path.write_text(f"#!/bin/sh\n{before}\n{self.launch} || exit\n{after}\n")
        path.chmod(0o755)
        return "./job.sh"

    def rankwise(self, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
        """Run it with something on stdin, which is a pipe."""
        return subprocess.run(
            [str(RANKWISE), *words],
            env=self.mpi.env(),
            cwd=self.place,
            input=said,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
        )

    def profile(self) -> None:
        done = self.rankwise("run", "-q", "-o", "job.rankwise", "--", self.script())
        assert done.returncode == 0, done.stderr

    def parameters(self, *options: str, said: str = "") -> subprocess.CompletedProcess[str]:
        """Race one value in a few runs: nothing is proven."""
        (self.place / "list.txt").write_text(VALUES[self.mpi.family])
        given = ("parameters", "job.rankwise", "--list", "list.txt", "--pairs", "2", *options)
        return self.rankwise("tune", *given, "--", "./job.sh", said=said)


@pytest.fixture
def job(mpi: Mpi, compiled: Compile, tmp_path: Path) -> Job:
    (tmp_path / "place").mkdir()
    words = mpi.launch(RANKS, compiled(mpi, "collectives_given.c"), "1", "allreduce:1024:10:world")
    made = Job(mpi, tmp_path / "place", shlex.join(words))
    made.profile()
    return made


@pytest.mark.exhaustive  # (tests/unit/test_inner_launch.py has launchers that only wait)
def test_the_launch_of_a_script_is_tuned_and_every_run_gets_its_input(job: Job) -> None:
    job.script("cat >> read.txt; export SOME=1; mkdir -p there; cd there")
    done = job.parameters("--json", said="input\n")
    assert done.returncode == 0, done.stderr
    (step,) = json.loads(done.stdout)["parameters"]
    assert step["tried"][0]["interval"]["pairs"] == 2
    # To see the launch, to warm up as given and with the value, and two of each.
    assert (job.place / "read.txt").read_text() == 7 * "input\n"
    assert not list(job.place.glob("*-parameters"))


@pytest.mark.exhaustive
def test_a_script_that_refuses_its_output_of_before(job: Job) -> None:
    """Its own line is told, no value is blamed, and once it removes what it left the race goes on."""
    refusing = f"if [ -e out ]; then echo '{REFUSAL}' >&2; exit 7; fi; touch out"
    job.script(refusing)
    done = job.parameters()
    assert done.returncode != 0
    assert REFUSAL in done.stderr
    (job.place / "out").unlink()
    job.script(refusing, "rm out")
    again = job.parameters("--json")
    assert again.returncode == 0, again.stderr
    (step,) = json.loads(again.stdout)["parameters"]
    assert [attempt["why_not"] for attempt in step["tried"]] == [""]


@pytest.mark.exhaustive
def test_two_launches_in_a_script(job: Job) -> None:
    job.script(after=f"{job.launch} more")
    done = job.parameters()
    assert done.returncode != 0
    assert not done.stdout
