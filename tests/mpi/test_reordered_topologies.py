"""`rankwise run --reorder`: virtual topologies with reorder = 1 are made for the machine, on every MPI.

programs/topologies.c checks each one by MPI's own queries and by exchanging data. The six ranks are dealt
out to two nodes in turns (programs/pretend_nodes.c), which is as bad as can be for most of its graphs.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from libraries import ALL, ONE_OF_EACH, Mpi
from recording import Compile, Recording, run_on
from reordering import RANKS, RING, between_nodes, least_between_nodes, on_two_nodes, orders

from golden import assert_facts

CONSTRUCTORS = {
    "MPI_Cart_create": 6,  # on the world, with two that MPI refuses
    "MPI_Graph_create": 3,  # with one
    "MPI_Dist_graph_create": 2,
    "MPI_Dist_graph_create_adjacent": 2,
}
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
Job = Callable[..., Recording]


@pytest.fixture(scope="module")
def job(compiled: Compile, pretender: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Job]:
    """A run of the program with `reorder` or `keep`, with our options; once for all tests here.

    Several runs of the same are told apart by a number.
    """
    done: dict[tuple[str, str, str, int], Recording] = {}

    def job_(mpi: Mpi, flag: str, options: str, number: int = 0) -> Recording:
        key = (mpi.name, flag, options, number)
        if key not in done:
            output = tmp_path_factory.mktemp("topologies") / "topologies.rankwise"
            command = mpi.launch(RANKS, compiled(mpi, "topologies.c"), flag)
            done[key] = run_on(on_two_nodes(mpi, pretender), command, output, *options.split())
            assert done[key].process.returncode == 0, done[key].process.stderr
        return done[key]

    yield job_


def found_orders(done: Recording) -> dict[str, list[int]]:
    order_of = orders(done.process.stdout)
    assert order_of.pop("failures") == [0], done.process.stderr
    assert order_of.keys() == COMMUNICATORS.keys()
    return order_of


def reordered(done: Recording) -> dict[str, bool]:
    """Of each topology that asked for it, whether it was reordered, by the members that the profile tells."""
    rows = done.rows("SELECT name, reordered FROM communicators WHERE reorder = 1")
    return {str(name): bool(flag) for name, flag in rows}


@pytest.mark.parametrize("mpi", ALL, ids=lambda mpi: mpi.name)
def test_what_is_asked_for_in_an_order_for_the_machine(mpi: Mpi, job: Job) -> None:
    done = job(mpi, "reorder", "--reorder")
    order_of = found_orders(done)
    for name, order in order_of.items():
        assert len(set(order)) == len(order), name
    assert {name: order_of[name] for name in UNCHANGED} == UNCHANGED
    for name, edges in EDGES.items():
        assert between_nodes(edges, order_of[name]) == least_between_nodes(edges), name
        assert between_nodes(edges, order_of[name]) < between_nodes(edges), name


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
    for name, order in found_orders(done).items():
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
    for name, order in found_orders(done).items():
        assert order == list(range(len(order))), name
    assert not any(reordered(done).values())
    assert done.process.stderr == ""


@pytest.mark.exhaustive  # 11 s: six jobs
@pytest.mark.parametrize("mpi", ONE_OF_EACH, ids=lambda mpi: mpi.name)
def test_messages_of_ours_are_not_counted(mpi: Mpi, job: Job) -> None:
    """The library's own inside of the constructors are, and those of the second call are not among them."""

    def sent(flag: str, number: int) -> list[int]:
        done = job(mpi, flag, "--reorder", number)
        messages = [done.messages(None, "in-collective", name) for name in CONSTRUCTORS]
        return [sum(count for count, _ in pairs.values()) for pairs in messages]

    # Processes agree on a number for the communicator, which on a busy machine may take them a round more.
    least = [
        [min(some) for some in zip(*(sent(flag, number) for number in range(3)), strict=True)]
        for flag in ("reorder", "keep")
    ]
    assert least[0] == least[1]
    assert all(least[0]) or mpi.family != "openmpi"  # others hide what goes through shared memory


@pytest.mark.parametrize("mpi", ONE_OF_EACH, ids=lambda mpi: mpi.name)
@pytest.mark.parametrize(("hosts", "fits"), [("AB", True), ("AC", False)], ids=["fits", "other-hosts"])
def test_for_a_given_machine(
    hosts: str, fits: bool, mpi: Mpi, compiled: Compile, pretender: Path, tmp_path: Path
) -> None:
    """A file that does not have all hosts is of no use: the ranks stay, and one line says why."""
    levels = [{"name": "node", "count": 2, "names": list(hosts)}, {"name": "core", "count": 4}]
    machine = tmp_path / "machine.json"
    machine.write_text(json.dumps({"format": "rankwise-machine", "version": 1, "levels": levels}))
    pretending = on_two_nodes(mpi, pretender)
    command = pretending.launch(RANKS, compiled(mpi, "topologies.c"), "reorder")
    done = run_on(pretending, command, tmp_path / "a.rankwise", "--reorder", "--machine", str(machine))
    assert done.process.returncode == 0, done.process.stderr
    ring = found_orders(done)["ring of a duplicate"]
    assert not list(tmp_path.glob("*-run"))
    if fits:
        assert between_nodes(RING, ring) == least_between_nodes(RING)
        assert done.process.stderr == ""
        return
    assert ring == list(range(RANKS))
    [line] = done.process.stderr.splitlines()
    assert line.startswith("rankwise: --reorder: ")


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_few_processes(ranks: int, compiled: Compile, pretender: Path, tmp_path: Path) -> None:
    mpi = on_two_nodes(ONE_OF_EACH[0], pretender)
    command = mpi.launch(ranks, compiled(mpi, "topologies.c"), "reorder")
    done = run_on(mpi, command, tmp_path / "a.rankwise", "--reorder")
    assert done.process.returncode == 0, done.process.stderr
    assert all(len(set(order)) == len(order) for order in found_orders(done).values())


def test_a_process_that_runs_unrecorded_takes_part(
    compiled: Compile, pretender: Path, tmp_path: Path
) -> None:
    mpi = on_two_nodes(ONE_OF_EACH[0], pretender)
    # Its files may not be as large as its counters; the library has to do without files, too.
    start = f"""export OMPI_MCA_btl=self,tcp
[ "${{OMPI_COMM_WORLD_RANK-$PMI_RANK}}" != 0 ] || ulimit -f 100
exec '{compiled(mpi, "topologies.c")}' reorder"""
    done = run_on(mpi, mpi.launch(RANKS, "sh", "-c", start), tmp_path / "a.rankwise", "--reorder")
    assert done.process.returncode == 0, done.process.stderr
    assert_facts(done.process.stderr, f"rankwise .. {os.strerror(errno.EFBIG)}")
    assert done.rows("SELECT ranks_seen FROM run") == [(RANKS - 1,)]
    assert between_nodes(RING, found_orders(done)["ring of a duplicate"]) == least_between_nodes(RING)
