"""`rankwise optimize` with a launcher that places no rank: the order of MPI_COMM_WORLD, in one file.

Partners that are not on one node, as a preloaded library pretends, wait long for each other.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import libraries
import pytest
from libraries import Mpi
from recording import RANKWISE, Compile, Recording

from golden import assert_complaint, assert_facts
from rankwise.tuning.settings.file import read, write
from rankwise.tuning.settings.model import About, Settings
from rankwise.tuning.settings.rank_order import RankOrder

LIBRARIES = list(libraries.first_of_each(libraries.ONE_OF_EACH_LAUNCHER, lambda mpi: mpi.family))
NODES = "ABAB"
RANKS = len(NODES)
LIMIT_SECONDS = 300
OFF_NODE = """SELECT coalesce(sum(bytes), 0) FROM messages JOIN ranks AS a ON a.rank = source
              JOIN ranks AS b ON b.rank = destination WHERE a.host <> b.host AND kind = 'point-to-point'"""

pytestmark = pytest.mark.timeout(LIMIT_SECONDS + 60)


@dataclass
class Job:
    """A program behind an unknown launcher.

    Attributes:
        mpi: whose launcher it calls.
        program: partners that exchange messages.
        place: directory for all files.
    """

    mpi: Mpi
    program: Path
    place: Path

    @property
    def command(self) -> list[str]:
        """The launch."""
        launcher = self.place / "ourlaunch"
        launcher.write_text(f'#!/bin/sh\nexec {shlex.join(self.mpi.launch(RANKS))} "$@"\n')
        launcher.chmod(0o755)
        return [str(launcher), str(self.program)]

    def rankwise(
        self, verb: str, *options: str, command: list[str], nodes: str = NODES
    ) -> subprocess.CompletedProcess[str]:
        """Run a verb with the command."""
        return subprocess.run(
            [str(RANKWISE), verb, *options, "--", *command],
            env={**self.mpi.env(), "PRETEND_NODES": nodes},
            cwd=self.place,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
        )

    def run_with(self, name: str, command: list[str], nodes: str = NODES) -> Recording:
        """Apply the file that was written."""
        output = self.place / f"{name}.rankwise"
        return Recording(
            self.rankwise("run", "-o", str(output), "--with", "t.json", command=command, nodes=nodes), output
        )


@pytest.fixture
def job(mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path) -> Job:
    apart = replace(mpi, environment={**mpi.environment, "LD_PRELOAD": str(pretender)})
    return Job(apart, compiled(mpi, "slow_apart.c"), tmp_path)


mpi = libraries.in_turn(LIBRARIES)


def in_partners(order: RankOrder) -> bool:
    """Whether partners share a node."""
    return [NODES[launched] for launched in order.launched] in (list("AABB"), list("BBAA"))


def check_applied(job: Job) -> None:
    """Apply t.json with any launcher, in other places, and to another number of ranks."""
    for name, command in {"script": job.command, "own": job.mpi.launch(RANKS, job.program)}.items():
        applied = job.run_with(name, command)
        assert applied.process.returncode == 0, applied.process.stderr
        assert applied.rows(OFF_NODE) == [(0,)]
        assert "--with t.json" not in applied.process.stderr

    elsewhere = job.run_with("elsewhere", job.command, nodes="AABB")
    assert elsewhere.process.returncode == 0, elsewhere.process.stderr
    assert_facts(elsewhere.process.stderr, "--with t.json .. ranks 0 and 1 .. `rankwise optimize`")

    fewer = job.run_with("fewer", job.mpi.launch(RANKS - 1, job.program))
    assert (fewer.process.returncode, fewer.process.stdout) == (2, "")
    assert_complaint(fewer.process.stderr, f"t.json .. {RANKS} ranks .. {RANKS - 1}")
    launcher = job.place / "fewer"
    launcher.write_text(f"#!/bin/sh\nexec {shlex.join(job.mpi.launch(RANKS - 1, job.program))}\n")
    launcher.chmod(0o755)
    unseen = job.run_with("unseen", [str(launcher)])
    assert unseen.process.returncode == 0, unseen.process.stderr
    [line] = [line for line in unseen.process.stderr.splitlines() if "keeps its order" in line]
    assert_facts(line, f"{RANKS} ranks .. {RANKS - 1}")


def test_applied(job: Job) -> None:
    first = Recording(
        job.rankwise("run", "-o", "first.rankwise", command=job.command), job.place / "first.rankwise"
    )
    assert first.process.returncode == 0, first.process.stderr
    assert first.rows(OFF_NODE) != [(0,)]
    [(library, abi)] = first.rows("SELECT mpi_library, mpi_abi FROM run")
    hosts = [str(host) for (host,) in first.rows("SELECT host FROM ranks ORDER BY rank")]
    about = About.of_now(str(library), str(abi), sorted(set(hosts)), job.command)
    order = RankOrder.on(hosts, (0, 2, 1, 3))
    assert in_partners(order)
    write(Settings(about, order=order), job.place / "t.json")
    check_applied(job)


@pytest.mark.exhaustive  # two minutes; tests/unit/test_optimize_places.py decides between places and order
def test_found_and_applied(job: Job) -> None:
    few = ("--pairs", "5", "--confidence", "75", "--budget", "4min")
    done = job.rankwise("optimize", *few, "-o", "t.json", "--json", command=job.command)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    [step] = [step for step in answer["steps"] if step["step"] == "map"]
    assert step["verdict"] == "kept", done.stderr
    assert "ourlaunch" in step["by_order"]
    assert "the order of MPI_COMM_WORLD" in done.stderr
    order = read(job.place / "t.json").order
    assert order is not None
    assert answer["kept"]["order"]["new_rank"] == list(order.new_rank)
    assert in_partners(order)
    assert "--with t.json" in (job.place / "t.env").read_text()
    check_applied(job)
