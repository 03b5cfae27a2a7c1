"""`rankwise run --reorder` on three nodes: as few of a grid's edges go between nodes as can be.

And what is found where they were not reordered.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launching import across_nodes, launch, record
from libraries import Mpi, first_of_each
from nodes import Cluster
from recording import Recording

from rankwise.analysis.evidence import Evidence
from rankwise.findings.search import findings

# 3 x 2 processes, dealt out in turns: the two ends of each of the 7 edges are on different nodes. With the
# two of a row on one node, 4 edges are left between nodes; no order has fewer, for 3 nodes of 2 hold at most
# 3 edges.
BYTES, ROUNDS = 1000, 5
EDGES = 7
LEAST_OFF_NODE = 4
HALO = Path(__file__).parent / "programs" / "halo.c"
LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))


@pytest.fixture(scope="module")
def halo(cluster: Cluster) -> Callable[[Mpi], Path]:
    """Compiles programs/halo.c with an MPI, to where all nodes see it."""

    def compile_(mpi: Mpi) -> Path:
        program = cluster.directory / f"halo.{mpi.name}"
        if not program.exists():
            mpi.compile(program, HALO)
        return program

    return compile_


def edges_off_node(done: Recording) -> float:
    """From the messages in the profile, each edge having two directions."""
    assert done.process.returncode == 0, done.process.stderr
    hosts = dict(done.rows("SELECT rank, host FROM ranks"))
    messages = done.messages()
    an_edge = 2 * BYTES * ROUNDS
    assert sum(size for _, size in messages.values()) == EDGES * an_edge
    return sum(size for (a, b), (_, size) in messages.items() if hosts[a] != hosts[b]) / an_edge


@pytest.mark.parametrize(("flag", "off_node"), [(1, LEAST_OFF_NODE), (0, EDGES)], ids=["reorder", "keep"])
@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_edges_between_nodes(
    mpi: Mpi,
    flag: int,
    off_node: int,
    cluster: Cluster,
    halo: Callable[[Mpi], Path],
    place: Path,
) -> None:
    program = [halo(mpi), "3", "2", str(BYTES), str(ROUNDS), str(flag)]
    words = launch(mpi, cluster, 3, "round-robin", *program)
    done = record(mpi, cluster, place, words, "--reorder")
    assert edges_off_node(done) == off_node
    rows = done.rows("SELECT reorder, reordered FROM communicators WHERE topology = 'cart'")
    assert rows == [(flag, flag)]


def rules(done: Recording) -> set[str]:
    with done.database as database:
        return {entry.finding.rule for entry in findings(Evidence(database)).found}


@pytest.mark.parametrize(
    ("flag", "options", "rule"),
    [
        (1, (), "reorder-not-done"),
        (0, (), "off-node-traffic"),
        (1, ("--reorder",), None),
    ],
    ids=["not done", "not asked", "done"],
)
@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_what_is_found(
    mpi: Mpi,
    flag: int,
    options: tuple[str, ...],
    rule: str | None,
    cluster: Cluster,
    halo: Callable[[Mpi], Path],
    place: Path,
) -> None:
    program = [halo(mpi), "3", "2", str(BYTES), str(ROUNDS), str(flag)]
    done = record(mpi, cluster, place, launch(mpi, cluster, 3, "round-robin", *program), *options)
    assert done.process.returncode == 0, done.process.stderr
    assert rules(done) & {"reorder-not-done", "off-node-traffic"} == ({rule} if rule else set())
