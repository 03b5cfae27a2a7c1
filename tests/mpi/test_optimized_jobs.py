"""`rankwise optimize` on one node: where nothing can be gained, what is wrong, the way on after Ctrl-C."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import libraries
import pytest
from libraries import Mpi
from recording import RANKWISE, Compile

import patience
from golden import assert_facts

LIBRARIES = list(libraries.first_of_each(libraries.ONE_OF_EACH_LAUNCHER, lambda mpi: mpi.family))
LIMIT_SECONDS = 300
RANKS = 2

pytestmark = pytest.mark.timeout(LIMIT_SECONDS + 60)
mpi = libraries.in_turn(LIBRARIES)


def words(command: list[str], *options: str) -> list[str]:
    return [str(RANKWISE), "optimize", *options, "--", *command]


def optimize(
    mpi: Mpi, place: Path, command: list[str], *options: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words(command, *options),
        env={**mpi.env(), **variables},
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An empty directory."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


@pytest.mark.exhaustive  # (tests/unit/test_optimize.py has the decision, of times that are made up)
def test_a_control_program_has_nothing_to_gain(mpi: Mpi, compiled: Compile, place: Path) -> None:
    """It computes, and hardly communicates; nothing is left of the attempt.

    Its races are real: at 95 % confidence one of 20 runs of this test may keep a step by chance.
    """
    command = mpi.launch(RANKS, compiled(mpi, "collectives_given.c"), "1", "compute:500000:1:world")
    sure = ("--confidence", "99.9")
    done = optimize(mpi, place, command, "--budget", "4min", "-o", "t.json", "--json", *sure)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert (answer["verdict"], answer["kept"], answer["files"]) == ("nothing to gain", None, [])
    assert list(place.iterdir()) == []


def test_a_program_that_communicates(mpi: Mpi, compiled: Compile, place: Path) -> None:
    """Whatever is found, what is written is what was proven."""
    given = ("2", "allreduce:32768:50:world", "alltoall:64:50:world")
    command = mpi.launch(RANKS, compiled(mpi, "collectives_given.c"), *given)
    few = ("--pairs", "4", "--confidence", "60")
    done = optimize(mpi, place, command, "--budget", "3min", "-o", "t.json", "--json", *few)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert {step["step"] for step in answer["steps"]} == {"map", "collectives", "parameters"}
    kept = [step for step in answer["steps"] if step["verdict"] == "kept"]
    assert all(step["interval"]["low"] > 1 for step in kept)
    assert (answer["kept"] is not None) == (answer["final"] is not None) == bool(kept)
    assert (place / "t.json").exists() == bool(answer["files"]) == (answer["verdict"] == "faster")
    unfinished = any(step["verdict"] == "no time" for step in answer["steps"]) or bool(answer["ended"])
    assert (place / "rankwise-optimize").exists() == unfinished
    if answer["files"]:
        applied = [str(RANKWISE), "run", "--with", "t.json", "-o", "with.rankwise", "--", *command]
        again = subprocess.run(applied, env=mpi.env(), cwd=place, timeout=60, capture_output=True)
        assert again.returncode == 0, again.stderr
    assert not list(place.glob("rankwise-optimize-*"))


def test_what_is_wrong_is_told_before_anything_runs(mpi: Mpi, compiled: Compile, place: Path) -> None:
    command = mpi.launch(RANKS, compiled(mpi, "collectives_given.c"), "1", "allreduce:1024:10:world")

    def refused(*options: str, **variables: str) -> str:
        done = optimize(mpi, place, command, *options, **variables)
        assert done.returncode != 0
        assert done.stdout == ""
        (line,) = done.stderr.splitlines()
        return line

    (place / "t.json").write_text("mine")
    assert "t.json already exists" in refused("-o", "t.json")
    assert (place / "t.json").read_text() == "mine"
    assert_facts(refused("--pairs", "3"), "--pairs 3")
    assert "no.json" in refused("--machine", "no.json")
    forced = {
        "openmpi": {"OMPI_MCA_coll_tuned_allreduce_algorithm": "1"},
        "mpich": {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling"},
    }[mpi.family]
    assert_facts(refused("--bitwise", **forced), " .. ".join(forced))
    assert [path.name for path in place.iterdir()] == ["t.json"]


OWN = {
    "openmpi": {"OMPI_MCA_coll_tuned_alltoall_algorithm": "3"},
    "mpich": {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "brucks"},
}


@pytest.mark.exhaustive
def test_what_settings_of_the_users_own_cost(mpi: Mpi, compiled: Compile, place: Path) -> None:
    """They are measured first, and the rest is of the program without them unless they are needed."""
    [(name, value)] = OWN[mpi.family].items()
    own = {name: value, "OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
    command = mpi.launch(RANKS, compiled(mpi, "collectives_given.c"), "2", "alltoall:65536:50:world")
    few = ("--pairs", "4", "--confidence", "60", "--budget", "3min", "--json")
    done = optimize(mpi, place, command, *few, **own)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    priced = answer.get("own_settings") if "steps" in answer else answer
    verdict = priced["verdict_without"]
    assert [(setting["name"], setting["value"]) for setting in priced["own_settings"]] == [(name, value)]
    assert priced["command_without"] == ["env", "-u", name, *command]
    assert 1 <= len(priced["proof"]["before_seconds"]) <= 4
    assert ("steps" in answer) == (verdict in ("faster without", "no difference"))
    assert not priced["digits_may_change"]


def test_a_program_that_fails_without_us(mpi: Mpi, compiled: Compile, place: Path) -> None:
    command = mpi.launch(RANKS, compiled(mpi, "collectives_given.c"), "1", "no such thing")
    done = optimize(mpi, place, command, "-o", "t.json")
    assert done.returncode != 0
    assert done.stdout == ""
    assert re.search(r"^rankwise: .*\bstatus [1-9]", done.stderr, re.MULTILINE)
    assert not (place / "t.json").exists()
    assert not (place / "rankwise-optimize").exists()


@pytest.mark.exhaustive  # (tests/unit/test_optimize.py interrupts at any time)
def test_ctrl_c_and_the_same_command_again(mpi: Mpi, compiled: Compile, place: Path, tmp_path: Path) -> None:
    command = mpi.launch(RANKS, compiled(mpi, "collectives_given.c"), "2", "allreduce:32768:50:world")
    options = ("--budget", "3min", "--pairs", "4", "--confidence", "60", "-o", "t.json")
    said, state = tmp_path / "said", place / "rankwise-optimize"
    with said.open("w") as stderr:
        started = subprocess.Popen(
            words(command, *options), env=mpi.env(), cwd=place, stdout=subprocess.DEVNULL, stderr=stderr
        )
        try:
            patience.wait_until(lambda: list(state.glob("*/state.json")), 60, said.read_text)
            started.send_signal(signal.SIGINT)
            status = started.wait(patience.limit(60))
        finally:
            started.kill()
    assert status == 128 + signal.SIGINT, said.read_text()
    assert not (place / "t.json").exists()
    (file,) = state.glob("*/state.json")
    assert json.loads(file.read_text())["command"] == command
    done = optimize(mpi, place, command, *options)
    assert done.returncode == 0, done.stderr
    assert "continuing from" in done.stderr
