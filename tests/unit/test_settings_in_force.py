"""The user's own settings that contradict ours: found wherever they are made."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from golden import assert_facts
from rankwise.tuning.settings.in_force import in_force

RULES = "OMPI_MCA_coll_tuned_dynamic_rules_filename"


@pytest.mark.parametrize(
    ("library", "command", "environment", "found"),
    [
        ("Open MPI", "mpirun.openmpi app", {}, []),
        ("Open MPI", "mpirun.openmpi app", {RULES: "r"}, [f"{RULES}=r in the environment"]),
        ("Open MPI", "env A=1 OMPI_MCA_coll_tuned_bcast_algorithm=3 mpirun.openmpi app", {}, ["environment"]),
        (
            "Open MPI",
            "mpirun.openmpi --mca coll_tuned_bcast_algorithm 3 app",
            {},
            ["--mca coll_tuned_bcast_algorithm 3 .. command line"],
        ),
        ("Open MPI", f"mpirun.openmpi -x {RULES}=r app", {}, ["command line"]),
        ("Open MPI", f"mpirun.openmpi -n 1 app : -n 1 -x {RULES}=r app", {}, ["command line"]),
        ("Open MPI", f"mpirun.openmpi env {RULES}=r app", {}, ["command line"]),
        ("Open MPI", f"mpirun.openmpi --mca mca_base_env_list 'A=1;{RULES}=r' app", {}, ["env_list"]),
        ("Open MPI", "mpirun.openmpi --mca coll ^tuned app", {}, ["--mca coll ^tuned"]),
        ("Open MPI", "mpirun.openmpi --mca coll basic,self app", {}, ["--mca coll basic,self"]),
        ("Open MPI", "mpirun.openmpi --mca coll ^han app", {}, []),
        ("Open MPI", "mpirun.openmpi --mca coll_tuned_use_dynamic_rules 0 app", {}, ["rules 0"]),
        ("Open MPI", "mpirun.openmpi --mca coll_tuned_use_dynamic_rules true app", {}, []),
        ("Open MPI", "mpirun.openmpi app --mca coll_tuned_bcast_algorithm 3", {}, []),
        ("Open MPI", "mpirun.openmpi app", {"I_MPI_ADJUST_BCAST": "3"}, []),
        ("MPICH", "mpirun.mpich app", {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "smp"}, ["=smp .. environment"]),
        ("MPICH", "mpirun.mpich app", {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "auto"}, []),
        ("MPICH", "mpirun.mpich -genv MPICH_BCAST_INTRA_ALGORITHM smp app", {}, ["command line"]),
        (
            "MPICH",
            "mpirun.mpich -env MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE f app",
            {},
            ["command line"],
        ),
        ("MPICH", "mpirun.mpich app", {"MPIR_CVAR_ODD_EVEN_CLIQUES": "1"}, []),
        ("Intel MPI", "mpiexec.hydra app", {"I_MPI_ADJUST_BCAST": "3"}, ["I_MPI_ADJUST_BCAST=3"]),
        ("Intel MPI", "mpiexec.hydra -genv I_MPI_TUNING_BIN f app", {}, ["I_MPI_TUNING_BIN f"]),
        ("Intel MPI", "mpiexec.hydra -tune f app", {}, ["-tune f .. command line"]),
        ("Intel MPI", "mpiexec.hydra app", {"I_MPI_DEBUG": "3"}, []),
    ],
)
def test_where(library: str, command: str, environment: dict[str, str], found: list[str]) -> None:
    lines = in_force(library, environment, shlex.split(command))
    assert len(lines) == len(found)
    for line, facts in zip(lines, found, strict=True):
        assert_facts(line, facts)


@pytest.mark.parametrize(
    "text",
    [
        "coll_tuned_bcast_algorithm = 3\n",
        "# mine\nbtl = self\n  coll_tuned_bcast_algorithm=3 # forced\n",
        "--mca btl self --mca coll_tuned_bcast_algorithm 3\n",
        "-x OMPI_MCA_coll_tuned_bcast_algorithm=3\n",
    ],
)
def test_files_of_open_mpi(text: str, tmp_path: Path) -> None:
    file = tmp_path / "params.conf"
    file.write_text(text)
    home = tmp_path / ".openmpi"
    home.mkdir()
    assert in_force("Open MPI", {"HOME": str(tmp_path)}, ["mpirun.openmpi", "app"]) == []
    ways = [
        (["mpirun.openmpi", "--tune", str(file), "app"], {}),
        (["mpirun.openmpi", "--mca", "mca_base_param_files", str(file), "app"], {}),
        (["mpirun.openmpi", "app"], {"OMPI_MCA_mca_base_param_files": f"/none:{file}"}),
    ]
    for words, environment in ways:
        [line] = in_force("Open MPI", environment, words)
        assert line.endswith(f"in {file}")
        assert "coll_tuned_bcast_algorithm" in line
        assert in_force("MPICH", environment, words) == []
    (home / "mca-params.conf").write_text(text)
    [line] = in_force("Open MPI", {"HOME": str(tmp_path)}, ["mpirun.openmpi", "app"])
    assert line.endswith(f"in {home}/mca-params.conf")


def test_the_file_of_an_installation(tmp_path: Path) -> None:
    for place in ("bin", "etc"):
        (tmp_path / place).mkdir()
    launcher = tmp_path / "bin" / "mpirun.openmpi"
    launcher.write_text("#!/bin/sh\n")
    launcher.chmod(0o755)
    (tmp_path / "etc" / "openmpi-mca-params.conf").write_text("coll_tuned_bcast_algorithm = 3\n")
    [line] = in_force("Open MPI", {"PATH": str(launcher.parent)}, ["mpirun.openmpi", "app"])
    assert line.endswith("etc/openmpi-mca-params.conf")


def test_the_same_value_is_no_contradiction() -> None:
    theirs = {"OMPI_MCA_btl_vader_eager_limit": "16384", "OMPI_MCA_coll_tuned_use_dynamic_rules": "true"}
    ours = {"OMPI_MCA_btl_vader_eager_limit": "16384", "OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
    words = ["mpirun.openmpi", "app"]
    assert in_force("Open MPI", theirs, words, ours) == []
    [line] = in_force("Open MPI", {"OMPI_MCA_btl_vader_eager_limit": "4096"}, words, ours)
    assert line == "OMPI_MCA_btl_vader_eager_limit=4096 in the environment"


def test_without_rules_only_our_own_variables_count() -> None:
    environment = {"OMPI_MCA_coll_tuned_bcast_algorithm": "3"}
    assert in_force("Open MPI", environment, ["mpirun.openmpi", "app"], {}, rules=False) == []
