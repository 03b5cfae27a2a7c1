"""`rankwise tune` on each library: what is raced and refused, and that nothing is written without a proof.

How fast anything is is not for tests: what was found is compared with what was written.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from libraries import Mpi
from recording import RANKWISE, Compile

from golden import assert_facts
from rankwise.tuning.settings.file import read

LIMIT_SECONDS = 300
RANKS = 2


def _rankwise(
    mpi: Mpi, directory: Path, *words: str | Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [RANKWISE, *map(str, words)],
        env={**mpi.env(), **variables},
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )


def _profiled(mpi: Mpi, compiled: Compile, directory: Path, *given: str) -> list[str]:
    """Profile a program; the command that starts it."""
    command = mpi.launch(RANKS, compiled(mpi, "collectives_given.c"), *given)
    done = _rankwise(mpi, directory, "run", "-q", "-o", "p.rankwise", "--", *command)
    assert done.returncode == 0, done.stderr
    return command


def _tuned(mpi: Mpi, directory: Path, command: list[str], *options: str) -> dict[str, Any]:
    done = _rankwise(mpi, directory, "tune", "p.rankwise", "--json", *options, "--", *command)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.slow_on(lambda mpi: mpi.vendor, "a launch for each number of an algorithm")
def test_the_whole_way(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    # (Intel MPI needs a launch for each of its 30 numbers of Allreduce.)
    procedure = "alltoall" if mpi.vendor else "allreduce"
    command = _profiled(mpi, compiled, tmp_path, "2", f"{procedure}:32768:50:world")
    options = ("-o", "t.json", "--pairs", "2", "--confidence", "50", "--cells", "1")
    answer = _tuned(mpi, tmp_path, command, *options)
    (cell,) = answer["cells"]
    assert cell["processes"] == RANKS
    assert cell["procedure"] == f"MPI_{procedure.capitalize()}"
    assert 0 < cell["tunable_seconds"] <= cell["seconds"]
    assert cell["verdict"] != "not finished"
    if cell["race"]:
        assert cell["rounds"] >= 2
        assert all(candidate["interval"] or candidate["dropped"]["why"] for candidate in cell["race"])
    written = tmp_path / "t.json"
    assert written.exists() == (answer["settings"] is not None) == bool(answer["files"])
    if cell["rule"] and answer["proof"] and cell["effect"]:
        assert cell["effect"]["verdict"] in ("changed", "same calls", "not visible")
    if written.exists():
        settings = read(written)
        assert [rule.procedure for rule in settings.rules] == [cell["procedure"]]
        assert settings.about.gain is not None
        assert settings.about.gain[1] > 1
        done = _rankwise(mpi, tmp_path, "run", "--with", written, "-o", "with.rankwise", "--", *command)
        assert done.returncode == 0, done.stderr
    assert not list(tmp_path.glob("rankwise-tune-*"))
    assert not (tmp_path / "p.rankwise-tune").exists()


def test_where_no_collective_takes_time_nothing_is_run(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    command = _profiled(mpi, compiled, tmp_path, "1", "compute:500000:1:world")
    answer = _tuned(mpi, tmp_path, command, "-o", "t.json")
    assert answer["cells"] == []
    assert answer["proof"] is None
    assert not (tmp_path / "t.json").exists()


def test_what_is_wrong_is_told_before_anything_runs(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    command = _profiled(mpi, compiled, tmp_path, "1", "allreduce:1024:10:world")

    def refused(*words: str, **variables: str) -> str:
        done = _rankwise(mpi, tmp_path, *words, "--", *command, **variables)
        assert done.returncode != 0
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        (line,) = done.stderr.splitlines()
        return line

    assert "no.rankwise" in refused("tune", "no.rankwise")
    assert "F.rankwise" in refused("tune")
    (tmp_path / "t.json").write_text("mine")
    assert "t.json already exists" in refused("tune", "p.rankwise", "-o", "t.json")
    assert (tmp_path / "t.json").read_text() == "mine"
    assert "--budget" in refused("tune", "p.rankwise", "--budget", "soon")
    forced = {
        "Open MPI": {"OMPI_MCA_coll_tuned_allreduce_algorithm": "1"},
        "MPICH": {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling"},
        "Intel": {"I_MPI_ADJUST_ALLREDUCE": "2"},
    }["Open MPI" if mpi.family == "openmpi" else mpi.vendor or "MPICH"]
    assert_facts(refused("tune", "p.rankwise", "--bitwise", **forced), " .. ".join(forced))
    assert "unknown argument: --sizes 8" in refused("tune", "p.rankwise", "--sizes", "8")


def test_a_program_that_fails_without_us(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    _profiled(mpi, compiled, tmp_path, "1", "allreduce:1024:50:world")
    command = mpi.launch(RANKS, compiled(mpi, "collectives_given.c"), "1", "nonsense")
    done = _rankwise(mpi, tmp_path, "run", "-q", "-o", "q.rankwise", "--", *command)
    assert done.returncode != 0
    done = _rankwise(mpi, tmp_path, "tune", "q.rankwise", "-o", "t.json", "--", *command)
    assert done.returncode != 0
    assert "ended with status" in done.stderr
    assert not (tmp_path / "t.json").exists()


@pytest.mark.only_on(lambda mpi: mpi.family == "openmpi", "once is enough")
def test_a_profile_of_another_library(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    command = _profiled(mpi, compiled, tmp_path, "1", "allreduce:1024:10:world")

    with sqlite3.connect(tmp_path / "p.rankwise") as profile:
        profile.execute("UPDATE run SET mpi_library = 'MPICH Version: 4.0.2', mpi_abi = 'mpich'")
    done = _rankwise(mpi, tmp_path, "tune", "p.rankwise", "--", *command)
    assert done.returncode != 0
    assert "MPICH 4.0.2" in done.stderr


@pytest.mark.exhaustive  # (tests/unit/test_own_settings.py leaves out whatever can be set)
def test_settings_of_the_users_own_are_priced(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """Nothing is raced beside them, and nothing written; with --bitwise, what may change sums is refused."""
    command = _profiled(mpi, compiled, tmp_path, "2", "allreduce:32768:50:world")
    own = {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling"}
    if mpi.vendor:
        own = {"I_MPI_ADJUST_ALLREDUCE": "1"}
    elif mpi.family == "openmpi":
        own = {"OMPI_MCA_coll_tuned_allreduce_algorithm": "1"}
    (name,) = own
    few = ("--pairs", "2", "--confidence", "50", "-o", "t.json", "--json")
    done = _rankwise(mpi, tmp_path, "tune", "p.rankwise", *few, "--", *command, **own)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [(setting["name"], setting["value"]) for setting in answer["own_settings"]] == list(own.items())
    assert answer["command_without"] == ["env", "-u", name, *command]
    assert answer["digits_may_change"]
    assert 1 <= len(answer["proof"]["before_seconds"]) <= 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.rankwise"]
    done = _rankwise(mpi, tmp_path, "tune", "p.rankwise", "--bitwise", *few, "--", *command, **own)
    assert done.returncode == 2
    assert_facts(done.stderr, f"{name} .. --bitwise")
