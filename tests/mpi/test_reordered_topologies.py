"""`rankwise run --reorder`: virtual topologies with reorder = 1 are made for the machine, on every MPI.

programs/topologies.c checks each one by MPI's own queries and by exchanging data. The six ranks are dealt
out to two nodes in turns (programs/pretend_nodes.c), which is as bad as can be for most of its graphs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import ALL, ONE_OF_EACH, Mpi
from recording import Compile, Recording, run_on

RANKS = 6
NODES = "ABABAB"
CONSTRUCTORS = {
    "MPI_Cart_create": 6,  # on the world, with two that MPI refuses
    "MPI_Graph_create": 3,  # with one
    "MPI_Dist_graph_create": 2,
    "MPI_Dist_graph_create_adjacent": 2,
}
RING = [(i, (i + 1) % RANKS) for i in range(RANKS)]
# 3 x 2, the second dimension periodic: the two of a row are neighbours twice.
GRID = [(0, 1), (0, 1), (2, 3), (2, 3), (4, 5), (4, 5), (0, 2), (2, 4), (1, 3), (3, 5)]
RING_OF_FIVE = [(i, (i + 1) % 5) for i in range(5)]
EDGES = {
    "grid": GRID,
    "column": RING[:-1],
    "grid with one left over": RING_OF_FIVE,
    "ring of a duplicate": RING,
}
COMMUNICATORS = {
    "grid": "W_a1",
    "column": "W_a2",
    "grid with one left over": "W_a3",
    "point": "W_a4",
    "graph": "W_h5",
    "adjacent": "W_j6",
    "adjacent without weights": "W_j7",
    "distributed": "W_r8",
    "distributed without weights": "W_r9",
    "graph with one left over": "W_h10",
    "ring of a duplicate": "W_d11_a1",
}
UNCHANGED = {"point": [0]}  # nothing to gain
# In Open MPI 4.1 it often hangs in MPI_Dist_graph_create, without Rankwise as well.
WITHOUT_TREEMATCH = {"OMPI_MCA_topo": "basic"}
Orders = dict[str, list[int]]
Job = Callable[[Mpi, str, str], Recording]


@pytest.fixture(scope="module")
def job(compiled: Compile, pretender: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Job]:
    """A run of the program with `reorder` or `keep`, with our options; once for all tests here."""
    done: dict[tuple[str, str, str], Recording] = {}

    def job_(mpi: Mpi, flag: str, options: str) -> Recording:
        key = (mpi.name, flag, options)
        if key not in done:
            output = tmp_path_factory.mktemp("topologies") / "topologies.rankwise"
            pretending = {"LD_PRELOAD": str(pretender), "PRETEND_NODES": NODES, **WITHOUT_TREEMATCH}
            told = replace(mpi, environment={**mpi.environment, **pretending})
            command = mpi.launch(RANKS, compiled(mpi, "topologies.c"), flag)
            done[key] = run_on(told, command, output, *options.split())
            assert done[key].process.returncode == 0, done[key].process.stderr
        return done[key]

    yield job_


def orders(done: Recording) -> Orders:
    """The world ranks of each topology, as the program itself says."""
    lines = dict(line.split(":") for line in done.process.stdout.splitlines())
    assert int(lines.pop("failures")) == 0, done.process.stderr
    assert lines.keys() == COMMUNICATORS.keys()
    return {name: [int(word) for word in words.split()] for name, words in lines.items()}


def between_nodes(edges: list[tuple[int, int]], order: list[int] | tuple[int, ...]) -> int:
    return sum(NODES[order[a]] != NODES[order[b]] for a, b in edges)


def least_between_nodes(edges: list[tuple[int, int]]) -> int:
    """Of all orders of all processes, those that are left over at the end."""
    return min(between_nodes(edges, order) for order in itertools.permutations(range(RANKS)))


def reordered(done: Recording) -> dict[str, bool]:
    """Of each topology that asked for it, whether it was reordered, by the members that the profile tells."""
    rows = done.rows("SELECT name, reordered FROM communicators WHERE reorder = 1")
    return {str(name): bool(flag) for name, flag in rows}


@pytest.mark.parametrize("mpi", ALL, ids=lambda mpi: mpi.name)
def test_what_is_asked_for_in_an_order_for_the_machine(mpi: Mpi, job: Job) -> None:
    done = job(mpi, "reorder", "--reorder")
    found = orders(done)
    for name, order in found.items():
        assert len(set(order)) == len(order), name
    assert {name: found[name] for name in UNCHANGED} == UNCHANGED
    for name, edges in EDGES.items():
        assert between_nodes(edges, found[name]) == least_between_nodes(edges), name
        assert between_nodes(edges, found[name]) < between_nodes(edges, range(RANKS)), name  # type: ignore[arg-type]


@pytest.mark.parametrize("mpi", ALL, ids=lambda mpi: mpi.name)
def test_the_profile_tells_what_was_made(mpi: Mpi, job: Job) -> None:
    done = job(mpi, "reorder", "--reorder")
    assert done.warnings == []
    for procedure, number in CONSTRUCTORS.items():
        counted = done.calls(procedure, "W")
        assert {rank: calls for rank, (calls, _, _) in counted.items()} == dict.fromkeys(range(RANKS), number)
    assert done.calls("MPI_Comm_split") == {}
    flags = reordered(done)
    assert flags.keys() == set(COMMUNICATORS.values())
    members = done.communicators()
    for name, order in orders(done).items():
        communicator = COMMUNICATORS[name]
        assert expanded(members[communicator]) == order, name
        assert flags[communicator] == (order != sorted(order)), name


def expanded(members: str) -> list[int]:
    """The ranks of 5-1:-2,4."""
    ranks: list[int] = []
    for entry in members.split(","):
        ends, _, stride = entry.partition(":")
        first, _, last = ends.partition("-")
        step = int(stride or 1)
        ranks += range(int(first), int(last or first) + (1 if step > 0 else -1), step)
    return ranks


@pytest.mark.parametrize("mpi", ONE_OF_EACH, ids=lambda mpi: mpi.name)
@pytest.mark.parametrize(("flag", "options"), [("keep", "--reorder"), ("reorder", "")])
def test_nothing_happens_unasked(mpi: Mpi, flag: str, options: str, job: Job) -> None:
    done = job(mpi, flag, options)
    for name, order in orders(done).items():
        assert order == list(range(len(order))), name
    assert not any(reordered(done).values())
    assert done.process.stderr == ""
