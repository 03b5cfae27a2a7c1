"""MPI_M_reorder_if_profitable on nodes with slow links, where the right decision is known by construction."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from launching import across_nodes, launch, run
from libraries import Mpi, first_of_each
from nodes import Cluster
from recording import RANKWISE

SOURCE = Path(__file__).parent / "programs" / "profit.c"
LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))


@pytest.fixture(scope="module")
def flags() -> list[str]:
    words = [str(RANKWISE), "link-flags", "--monitoring"]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.split()


def decisions(mpi: Mpi, cluster: Cluster, flags: list[str], repetitions: int, block: float) -> list[str]:
    """The reasons of the program. Its ranks are dealt out: the two of each pair are on different nodes."""
    program = cluster.directory / f"profit.{mpi.name}"
    if not program.exists():
        mpi.compile(program, SOURCE, options=flags)
    command = launch(mpi, cluster, 3, "round-robin", program, str(repetitions), str(block))
    done = run(mpi, cluster, cluster.directory, command)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_reordered_where_much_is_left(mpi: Mpi, slow: Cluster, flags: list[str]) -> None:
    first, same, other = decisions(mpi, slow, flags, 1000, 0)
    assert first.startswith("reordered: ")
    assert same.startswith("kept: ")
    assert other.startswith("reordered: ")


@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
@pytest.mark.parametrize("repetitions", [0, 1])
def test_kept_where_little_is_left(mpi: Mpi, slow: Cluster, flags: list[str], repetitions: int) -> None:
    """A block of 1 GB takes minutes."""
    (reason,) = decisions(mpi, slow, flags, repetitions, 1e9)
    assert reason.startswith("kept: ")
