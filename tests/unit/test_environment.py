"""How the variables get into each launcher's command; what launchers make of them was tried on real ones."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from rankwise.launch.commandline import parse
from rankwise.launch.environment import Launch, prepare
from rankwise.launchers.base import Preload

OURS = Preload(Path("/r/rw.so"), Path("/run"))
BARE = "-x LD_PRELOAD=/r/rw.so -x RANKWISE_DIR=/run"
WITH_THEIRS = "-x LD_PRELOAD=/r/rw.so:/u.so -x RANKWISE_DIR=/run"
HYDRA = "-env LD_PRELOAD /r/rw.so -env RANKWISE_DIR /run"
HYDRA_ALL = "-genv LD_PRELOAD /r/rw.so -genv RANKWISE_DIR /run"  # for what the program spawns
HYDRA_ALL_THEIRS = "-genv LD_PRELOAD /r/rw.so:/u.so -genv RANKWISE_DIR /run"
HYDRA_THEIRS = "-env LD_PRELOAD /r/rw.so:/u.so -env RANKWISE_DIR /run"


def launch(command: str, preload: Preload = OURS, script: str | None = None, **environment: str) -> Launch:
    parsed = parse(shlex.split(command), lambda _: "Open MPI")
    return prepare(parsed, preload, environment, script)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mpirun -n 2 app", f"mpirun -n 2 {BARE} app"),
        ("mpirun -n 2 -- app", f"mpirun -n 2 {BARE} -- app"),
        ("mpirun app : -n 2 app2", f"mpirun {BARE} app : -n 2 {BARE} app2"),
        ("mpirun -x LD_PRELOAD=/u.so -x A app", f"mpirun -x A {WITH_THEIRS} app"),
        ("mpirun -x LD_PRELOAD=/u.so app : app2", f"mpirun {WITH_THEIRS} app : {BARE} app2"),
        (
            "env LD_PRELOAD=/u.so mpirun -x LD_PRELOAD app",
            f"env LD_PRELOAD=/u.so LD_PRELOAD=/r/rw.so:/u.so RANKWISE_DIR=/run mpirun {WITH_THEIRS} app",
        ),
        (
            "mpirun env LD_PRELOAD=/u.so app",
            f"mpirun {BARE} env LD_PRELOAD=/u.so LD_PRELOAD=/r/rw.so:/u.so RANKWISE_DIR=/run app",
        ),
        ("mpirun env -i app", f"mpirun {BARE} env -i LD_PRELOAD=/r/rw.so RANKWISE_DIR=/run app"),
        ("mpirun env A=b app", f"mpirun {BARE} env A=b app"),
        (
            "mpirun --mca mca_base_env_list 'A=b;LD_PRELOAD=/u.so' app",
            "mpirun --mca mca_base_env_list 'A=b;LD_PRELOAD=/r/rw.so:/u.so;RANKWISE_DIR=/run' app",
        ),
    ],
)
def test_openmpi(command: str, expected: str) -> None:
    made = launch(command, HOME="/h")
    assert shlex.join(made.words) == shlex.join(shlex.split(expected))
    # For processes that the program spawns: Open MPI 5 gives them the environment of mpirun.
    theirs = ":/u.so" if command.startswith("env LD_PRELOAD") else ""
    assert made.environment == {"HOME": "/h", "LD_PRELOAD": f"/r/rw.so{theirs}", "RANKWISE_DIR": "/run"}


def test_openmpi_with_the_users_list_in_the_environment() -> None:
    made = launch("mpirun app", OMPI_MCA_mca_base_env_list="A=b")
    assert made.words == ["mpirun", "app"]
    assert made.environment["OMPI_MCA_mca_base_env_list"] == "A=b;LD_PRELOAD=/r/rw.so;RANKWISE_DIR=/run"
    behind = launch("mpirun env -i app", OMPI_MCA_mca_base_env_list="A=b")
    assert behind.words == ["mpirun", "env", "-i", "LD_PRELOAD=/r/rw.so", "RANKWISE_DIR=/run", "app"]


def test_users_preload_in_the_environment_is_kept() -> None:
    assert shlex.join(launch("mpirun app", LD_PRELOAD="/u.so").words) == f"mpirun {WITH_THEIRS} app"
    assert launch("./app", LD_PRELOAD="/u.so /v.so").environment["LD_PRELOAD"] == "/r/rw.so:/u.so:/v.so"
    assert launch("./app", LD_PRELOAD="/r/rw.so").environment["LD_PRELOAD"] == "/r/rw.so"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mpiexec.hydra -n 2 app", f"mpiexec.hydra -n 2 {HYDRA_ALL} {HYDRA} app"),
        ("mpiexec.hydra app : -n 2 app2", f"mpiexec.hydra {HYDRA_ALL} {HYDRA} app : -n 2 {HYDRA} app2"),
        (
            "mpiexec.hydra -genv LD_PRELOAD /u.so app : app2",
            f"mpiexec.hydra -genv LD_PRELOAD /u.so {HYDRA_ALL_THEIRS} {HYDRA_THEIRS} app"
            f" : {HYDRA_THEIRS} app2",
        ),
        (
            "mpiexec.hydra app : -env LD_PRELOAD=/u.so -envnone app2",
            f"mpiexec.hydra {HYDRA_ALL} {HYDRA} app : -env LD_PRELOAD=/u.so -envnone {HYDRA_THEIRS} app2",
        ),
    ],
)
def test_hydra(command: str, expected: str) -> None:
    made = launch(command)
    assert shlex.join(made.words) == expected
    assert made.environment == {}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("srun -n2 app", "srun -n2 app"),
        ("srun --export=ALL app", "srun --export=ALL app"),
        ("srun --export=NONE app", "srun --export=LD_PRELOAD,RANKWISE_DIR app"),
        ("srun --export A,B=c app", "srun --export=A,B=c,LD_PRELOAD,RANKWISE_DIR app"),
        ("srun --export=ALL,LD_PRELOAD=/u.so app", "srun --export=ALL app"),
    ],
)
def test_slurm(command: str, expected: str) -> None:
    made = launch(command)
    theirs = ":/u.so" if "/u.so" in command else ""
    assert shlex.join(made.words) == expected
    assert made.environment == {"LD_PRELOAD": f"/r/rw.so{theirs}", "RANKWISE_DIR": "/run"}


def test_slurm_restricted_by_the_environment() -> None:
    made = launch("srun app", SLURM_EXPORT_ENV="NONE")
    assert made.environment["SLURM_EXPORT_ENV"] == "LD_PRELOAD,RANKWISE_DIR"
    assert launch("srun app", SLURM_EXPORT_ENV="ALL").environment["SLURM_EXPORT_ENV"] == "ALL"


def test_wrapper_that_would_replace_what_a_launcher_inherits() -> None:
    made = launch("env LD_PRELOAD=/u.so srun app")
    assert made.words[:4] == ["env", "LD_PRELOAD=/u.so", "LD_PRELOAD=/r/rw.so:/u.so", "RANKWISE_DIR=/run"]


def test_direct_start_and_unknown_launchers() -> None:
    for command in ("./app", "aprun -n 4 ./app", "mpirun --app jobs"):
        made = launch(command)
        assert shlex.join(made.words) == command
        assert made.environment == {"LD_PRELOAD": "/r/rw.so", "RANKWISE_DIR": "/run"}


def test_script_that_may_call_an_mpirun() -> None:
    value = "LD_PRELOAD=/r/rw.so;RANKWISE_DIR=/run"
    old = launch("./job.sh", script="4.1.4").environment
    new = launch("./job.sh", script="5.0.11").environment
    assert old["OMPI_MCA_mca_base_env_list_internal"] == value
    assert "OMPI_MCA_mca_base_env_list" not in old  # with it Open MPI 4 would refuse a script's own -x
    assert new["OMPI_MCA_mca_base_env_list"] == value


def test_settings_are_handed_on() -> None:
    made = launch("mpirun app", Preload(Path("/r/rw.so"), Path("/run"), settings={"A": "1,2"}))
    assert made.words[-3:] == ["-x", "A=1,2", "app"]


def test_override_is_handed_on() -> None:
    made = launch("mpirun app", Preload(Path("/r/rw.so"), Path("/run"), "mpich"))
    assert made.words[-3:] == ["-x", "RANKWISE_MPI=mpich", "app"]


def test_what_is_preloaded_too_comes_behind_ours_and_before_the_users() -> None:
    also = OURS._replace(also=(Path("/r/watch.so"),))
    assert also.variables("/u/a.so:/r/watch.so")["LD_PRELOAD"] == "/r/rw.so:/r/watch.so:/u/a.so"
