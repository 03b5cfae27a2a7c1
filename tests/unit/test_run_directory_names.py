"""Where a process's job is saved: what all ranks of a launch must agree on, from the environment alone."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

RUNTIME = Path(__file__).parents[2] / "src" / "runtime"
SOURCES = [RUNTIME / f"{name}.cpp" for name in ("run_directory", "launcher", "report")]
NOBODY = 65534


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    source = Path(__file__).with_name("run_directory.cpp")
    with tempfile.TemporaryDirectory() as name:  # pytest's own can't be entered by other users
        path = Path(name) / "run_directory"
        subprocess.run(
            ["c++", "-std=c++20", "-D_GNU_SOURCE", "-o", path, source, *SOURCES], check=True, timeout=120
        )
        path.parent.chmod(0o755)
        yield path


def say(program: Path, user: int | None = None, **environment: str) -> tuple[bool, str, str]:
    done = subprocess.run(
        [program], env=environment, user=user, capture_output=True, text=True, check=True, timeout=60
    )
    given, _, path = done.stdout.rstrip("\n").partition(" ")
    return given == "1", path, done.stderr


def name(program: Path, user: int | None = None, **environment: str) -> str:
    given, path, message = say(program, user, RANKWISE_JOBS="/jobs", **environment)
    assert (given, message) == (True, "")
    match = re.fullmatch(r"/jobs/([^/]+)\.rankwise-run", path)
    assert match is not None
    return match[1]


def test_none(program: Path) -> None:
    assert say(program) == (False, "-", "")
    assert say(program, RANKWISE_DIR="", RANKWISE_JOBS="") == (False, "-", "")


def test_what_rankwise_run_says_goes_first(program: Path) -> None:
    assert say(program, RANKWISE_DIR="/run", RANKWISE_JOBS="/jobs") == (True, "/run", "")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"PMIX_NAMESPACE": "prterun-node1-17@1"}, "prterun-node1-17@1"),
        ({"PMIX_NAMESPACE": "1303117825", "SLURM_JOB_ID": "5"}, "1303117825"),
        ({"PMI_JOBID": "kvs_7_0", "I_MPI_HYDRA_UUID": "e9b30000"}, "kvs_7_0"),
        ({"I_MPI_HYDRA_UUID": "e9b30000", "HYDRA_BSTRAP_PGID": "1"}, "hydra_e9b30000.1"),
        ({"I_MPI_HYDRA_UUID": "e9b30000", "SLURM_JOB_ID": "77"}, "hydra_e9b30000.0"),
        ({"SLURM_JOB_ID": "77", "SLURM_STEP_ID": "0"}, "77.0"),
        ({"SLURM_JOB_ID": "77", "PMIX_NAMESPACE": ""}, "77."),
        # A job that Slurm has requeued: its steps have the same names again.
        ({"SLURM_JOB_ID": "77", "SLURM_STEP_ID": "0", "SLURM_RESTART_COUNT": "1"}, "77.0_restart_1"),
        (
            {"PMIX_NAMESPACE": "slurm.pmix.77.0", "SLURM_JOB_ID": "77", "SLURM_RESTART_COUNT": "2"},
            "slurm.pmix.77.0_restart_2",
        ),
        ({"PMI_JOBID": "77.0", "SLURM_JOB_ID": "77", "SLURM_RESTART_COUNT": "1"}, "77.0_restart_1"),
        (
            {"PMIX_NAMESPACE": "prterun-node1-17@1", "SLURM_JOB_ID": "77", "SLURM_RESTART_COUNT": "2"},
            "prterun-node1-17@1",
        ),
        ({"PMIX_NAMESPACE": "../../a b/$(c)\n"}, ".._.._a_b___c__"),
    ],
)
def test_names_of_jobs(program: Path, environment: dict[str, str], expected: str) -> None:
    # Alike in each rank, whatever else is different.
    for rank in "01":
        assert name(program, PMIX_RANK=rank, **environment) == f"u{os.geteuid()}.{expected}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_users_have_names_of_their_own(program: Path) -> None:
    ours, theirs = (name(program, user, PMIX_NAMESPACE="7") for user in (0, NOBODY))
    assert (ours, theirs) == ("u0.7", f"u{NOBODY}.7")


def test_long_names_are_cut_and_stay_different(program: Path) -> None:
    names = {name(program, PMIX_NAMESPACE="n" * 230 + end) for end in ("a", "b")}
    assert len(names) == 2
    assert all(len(f"{directory}.rankwise-run") <= 255 for directory in names)


def test_who_has_no_launcher_is_a_job_of_its_own(program: Path) -> None:
    names = {name(program) for _ in range(3)}
    assert len(names) == 3
    host = re.escape(os.uname().nodename)
    assert all(re.fullmatch(rf"u\d+\.{host}-\d+-[0-9a-f]+", directory) for directory in names)


def test_a_relative_path_is_refused(program: Path) -> None:
    message = "rankwise: nothing is saved: RANKWISE_JOBS is jobs, not a whole path of a directory\n"
    assert say(program, RANKWISE_JOBS="jobs") == (True, "-", message)
