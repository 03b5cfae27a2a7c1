"""`rankwise run --place`: MPI_COMM_WORLD has another order, and everything a program does with it agrees.

The programs compare their ranks with the launcher's, which makes the order itself known, and check the rest
by construction.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import LIMIT_SECONDS, PROGRAMS, RANKWISE, Compile, Recording
from test_introspection_python import ONE_OF_EACH, PYTHON
from test_mpi4py import environment

import rankwise

ORDER = (2, 0, 4, 1, 3)  # by the launcher's rank, and not its own inverse
RANKS = len(ORDER)
NODES = "ABAB"
DONE = "all as expected"
UNCHANGED = [(rank, rank) for rank in range(RANKS)]


def ordered(directory: Path, order: tuple[int, ...] = ORDER) -> Path:
    path = directory / "order"
    path.write_text(",".join(map(str, order)) + "\n")
    return path


def run(
    mpi: Mpi, directory: Path, *words: str | Path, place: Path, options: tuple[str, ...] = ()
) -> Recording:
    """Run a command with a new order."""
    command = [str(word) for word in words]
    return recording.run_on(mpi, command, directory / "placed.rankwise", "--place", str(place), *options)


def said(done: Recording) -> list[tuple[int, int]]:
    """What reads_rank.c has printed: the rank by the launcher's variable, and in MPI_COMM_WORLD."""
    lines = re.findall(r"(\d+) is (\d+)", done.process.stdout)
    return sorted((int(launched), int(rank)) for launched, rank in lines)


def new_ranks() -> list[str]:
    return [str(rank) for rank in ORDER]


@pytest.mark.parametrize("mpi", libraries.ALL, ids=lambda mpi: mpi.name, indirect=True)
def test_everything_agrees(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    words = mpi.launch(RANKS, compiled(mpi, "world_order.c"), tmp_path / "file", *new_ranks())
    done = run(mpi, tmp_path, *words, place=ordered(tmp_path))
    assert done.process.returncode == 0, done.process.stderr
    assert DONE in done.process.stdout
    # The profile has the program's ranks: each sends to the next.
    sent = done.messages("W")
    within = {(source, destination) for source, destination in sent if destination >= 0}  # one was refused
    assert within == {(rank, (rank + 1) % RANKS) for rank in range(RANKS)}
    [(reordered,)] = done.rows("SELECT reordered FROM communicators WHERE name = 'W'")
    assert reordered == 1


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
@pytest.mark.parametrize("binding", [1, 2, 3], ids=["mpif.h", "mpi", "mpi_f08"])
@pytest.mark.only_on(lambda mpi: mpi.mpifort, "no Fortran bindings here")
def test_fortran(mpi: Mpi, binding: int, tmp_path: Path) -> None:
    program = tmp_path / "world_order"
    words = [mpi.mpifort, "-w", "-fallow-argument-mismatch", f"-DBINDING={binding}", "-J", str(tmp_path)]
    words += ["-o", str(program), str(PROGRAMS / "world_order.F90")]
    subprocess.run(words, check=True, timeout=LIMIT_SECONDS, env=mpi.env())
    done = run(mpi, tmp_path, *mpi.launch(RANKS, program, *new_ranks()), place=ordered(tmp_path))
    assert done.process.returncode == 0, done.process.stdout + done.process.stderr
    assert DONE in done.process.stdout


@pytest.mark.parametrize("mpi", ONE_OF_EACH, ids=lambda mpi: mpi.name)
def test_python(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    words = mpi.launch(RANKS, *PYTHON, PROGRAMS / "world_order.py", *new_ranks())
    changed = replace(mpi, environment=environment(mpi, compiled, tmp_path))
    done = run(changed, tmp_path, *words, place=ordered(tmp_path))
    assert done.process.returncode == 0, done.process.stderr
    assert DONE in done.process.stdout


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
def test_messages_of_a_run_decide(mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path) -> None:
    """Pairs of ranks on different nodes are together afterwards, as the recording shows."""
    variables = {"LD_PRELOAD": str(pretender), "PRETEND_NODES": NODES}
    apart = replace(mpi, environment={**mpi.environment, **variables})
    words = apart.launch(len(NODES), compiled(mpi, "reads_rank.c"))
    first = recording.run_on(apart, words, tmp_path / "first.rankwise")
    assert first.process.returncode == 0, first.process.stderr
    second = run(apart, tmp_path, *words, place=tmp_path / "first.rankwise")
    assert second.process.returncode == 0, second.process.stderr
    query = """SELECT sum(bytes) FROM messages JOIN ranks AS a ON a.rank = source
               JOIN ranks AS b ON b.rank = destination WHERE a.host <> b.host AND kind = 'point-to-point'"""
    assert first.rows(query)[0][0] > 0
    assert not second.rows(query)[0][0]
    assert first.messages("W") == second.messages("W")
    order = second.rows("SELECT launcher_rank FROM launcher_ranks ORDER BY rank")
    assert sorted(order) == [(rank,) for rank in range(len(NODES))]
    assert not first.rows("SELECT * FROM launcher_ranks")
    with rankwise.open(second.path) as profile:
        summary = profile.summary()
    judged = summary.found.world_order
    everything = query.replace(" AND kind = 'point-to-point'", "")
    assert judged.moved == sum(launched != rank for rank, (launched,) in enumerate(order)) > 0
    assert judged.bytes_off_node == (second.rows(everything)[0][0] or 0)
    # The first run has counted these bytes.
    assert judged.bytes_off_node_as_launched == first.rows(everything)[0][0]
    assert "(calculated)" in summary.text()


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH[:1], ids=lambda mpi: mpi.name, indirect=True)
def test_verified_behind_an_unknown_launcher(
    mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path
) -> None:
    """It can't place ranks, so the order of the world is changed."""
    variables = {"LD_PRELOAD": str(pretender), "PRETEND_NODES": NODES}
    apart = replace(mpi, environment={**mpi.environment, **variables})
    launcher = tmp_path / "ourlaunch"
    launch = mpi.launch(len(NODES), compiled(mpi, "reads_rank.c"))
    launcher.write_text(f"#!/bin/sh\nexec {shlex.join(launch)}\n")
    launcher.chmod(0o755)
    first = recording.run_on(apart, [str(launcher)], tmp_path / "first.rankwise")
    assert first.process.returncode == 0, first.process.stderr
    words = [
        str(RANKWISE),
        "map",
        "verify",
        "--pairs",
        "1",
        "--json",
        str(tmp_path / "first.rankwise"),
        "--",
        str(launcher),
    ]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=apart.env(), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert "ourlaunch" in answer["by_order"] or "command" in answer["by_order"]
    assert [run["bytes_off_node"] > 0 for run in answer["before"]] == [True]
    assert [run["bytes_off_node"] for run in answer["after"]] == [0]


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
@pytest.mark.parametrize("reason", ["size", "variable", "traffic"])
def test_the_order_stays(mpi: Mpi, compiled: Compile, tmp_path: Path, reason: str) -> None:
    """For a reason that the summary gives; the program runs as without --place."""
    place = ordered(tmp_path, (1, 0) if reason == "size" else ORDER)
    if reason == "traffic":
        place = tmp_path / "matrix.csv"
        place.write_text("0,9,0\n9,0,9\n0,9,0\n")
    program = compiled(mpi, "reads_rank.c")
    done = run(
        mpi, tmp_path, *mpi.launch(RANKS, program, *(["before"] if reason == "variable" else [])), place=place
    )
    assert done.process.returncode == 0, done.process.stderr
    assert said(done) == UNCHANGED
    [why] = [text for (text,) in done.rows("SELECT text FROM warnings") if "kept its order" in text]
    expected = {"size": "2 ranks", "variable": "RANK before MPI_Init", "traffic": "3 ranks"}
    assert expected[reason] in why


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
def test_variables_of_the_launcher(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """With --renumber, a program that trusts them before MPI_Init gets the new ranks."""
    words = mpi.launch(RANKS, compiled(mpi, "reads_rank.c"), "before")
    done = run(mpi, tmp_path, *words, place=ordered(tmp_path), options=("--renumber",))
    assert done.process.returncode == 0, done.process.stderr
    assert said(done) == UNCHANGED
    [(reordered,)] = done.rows("SELECT reordered FROM communicators WHERE name = 'W'")
    assert reordered == 1


@pytest.mark.parametrize("mpi", libraries.ONE_OF_EACH, ids=lambda mpi: mpi.name, indirect=True)
def test_children_keep_their_order(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """Spawned processes have another world."""
    words = mpi.launch(2, compiled(mpi, "dynamic.c"), "spawn")
    if subprocess.run(words, capture_output=True, timeout=LIMIT_SECONDS, env=mpi.env()).returncode:
        pytest.skip(f"{mpi.name} cannot spawn here, without Rankwise as well")
    done = run(mpi, tmp_path, *words, place=ordered(tmp_path, (1, 0)))
    assert done.process.returncode == 0, done.process.stderr
