"""Each rule finds what it looks for in a program that has it, and not in another one: programs/findings.c.

Off-node traffic needs nodes: tests/cluster/test_reordered_halo.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import Compile, Recording
from test_inside import CASES, Case

from rankwise.analysis.evidence import Evidence
from rankwise.findings.finding import Finding
from rankwise.findings.search import findings

CPUS = sorted(os.sched_getaffinity(0))
_RECURSIVE_DOUBLING = {
    "OMPI_MCA_coll_tuned_allgather_algorithm": "3",
    "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM": "recursive_doubling",
    "I_MPI_ADJUST_ALLGATHER": "1",
}


def findings_of(done: Recording) -> dict[str, Finding]:
    """What the rules have found, by their names."""
    assert done.process.returncode == 0, done.process.stderr
    with done.database as database:
        return {entry.finding.rule: entry.finding for entry in findings(Evidence(database)).found}


Run = Callable[..., dict[str, Finding]]  # (ranks, *words): what is found in a run of programs/findings.c


@pytest.fixture
def run(mpi: Mpi, compiled: Compile, tmp_path: Path) -> Run:
    """Runs the program; `cpus`: on these processors only."""
    program = compiled(mpi, "findings.c")

    def run_(ranks: int, what: str, *words: str, cpus: str = "") -> dict[str, Finding]:
        # (Launchers bind their ranks, whatever they themselves may use.)
        before = ["taskset", "-c", cpus] if cpus else []
        command = mpi.launch(ranks, *before, program, what, *words)
        profile = tmp_path / f"{what}.{ranks}.{len(list(tmp_path.iterdir()))}.rankwise"
        done = recording.run_on(mpi, command, profile)
        if what == "sends" and "all are buffered" in done.process.stdout:
            pytest.skip(f"{mpi.name} buffers messages of 2 MiB on this processor, so no send waits")
        return findings_of(done)

    return run_


@pytest.mark.parametrize(
    ("rule", "ranks", "program", "other"),
    [
        ("late-ranks", 4, "late", "late-in-turns"),
        ("waiting-collective", 4, "late-in-turns", "late"),
        ("eager-threshold", 2, "sends", "small-sends"),
        ("tiny-messages", 2, "tiny-messages", "messages"),
        ("polling", 2, "polls", "polls-little"),
        ("communicators-not-freed", 2, "kept", "freed"),
        ("communicators-again", 2, "freed", "kept"),
        ("small-collectives", 2, "allreduces", "late"),
        ("preempted", 2, "disturbed", "undisturbed"),
    ],
)
def test_a_program_and_one_without_it(run: Run, rule: str, ranks: int, program: str, other: str) -> None:
    if rule == "preempted" and len(CPUS) < ranks:
        pytest.skip("more ranks than processors")
    found = run(ranks, program)
    assert rule in found, found
    assert found[rule].saved_seconds > 0
    assert rule not in run(ranks, other)


def test_one_rank_writes_all(run: Run, tmp_path: Path) -> None:
    assert run(4, "one-writes", str(tmp_path / "one"))["unbalanced-files"].saved_seconds > 0
    assert "unbalanced-files" not in run(4, "all-write", str(tmp_path / "all"))


def test_more_ranks_than_processors(run: Run) -> None:
    cpu = str(CPUS[0])
    assert run(2, "compute", cpus=cpu)["oversubscribed"].title.startswith("2 ranks share 1 processor on ")
    # They share one here, too, but don't compute: it is said, and costs nothing. (Other jobs may keep the MPI
    # library waiting in MPI_Init and MPI_Finalize: one job of five without that is enough.)
    saved = [run(2, "sleep", cpus=cpu)["oversubscribed"].saved_seconds]
    while saved[-1] >= 0.1 and len(saved) < 5:
        saved.append(run(2, "sleep", cpus=cpu)["oversubscribed"].saved_seconds)
    assert saved[-1] < 0.1, saved
    assert "oversubscribed" not in run(1, "compute", cpus=cpu)


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two processors")
def test_threads_on_one_core(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    """One rank, with more threads than the one processor that it binds itself to, while others are free."""
    program = compiled(mpi, "places.c")
    for threads, wrong in (("3", True), ("1", False)):
        words = mpi.launch(1, program, str(CPUS[0]), threads)
        done = recording.run_on(mpi, words, tmp_path / f"{threads}.rankwise")
        assert ("badly-bound" in findings_of(done)) is wrong


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_algorithm_of_too_many_messages(case: Case, compiled: Compile, tmp_path: Path) -> None:
    """Eight ranks: around a ring each sends seven messages, by recursive doubling three."""
    program = compiled(case.mpi, "findings.c")
    doubling = {name: _RECURSIVE_DOUBLING.get(name, value) for name, value in case.environment.items()}
    for name, environment in (("ring", case.environment), ("doubling", doubling)):
        mpi = replace(case.mpi, environment={**case.mpi.environment, **environment})
        words = mpi.launch(8, program, "allgathers")
        done = recording.run_on(mpi, words, tmp_path / f"{name}.rankwise", *case.options)
        assert ("collective-algorithm" in findings_of(done)) is (name == "ring")
