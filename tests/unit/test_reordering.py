"""New ranks for processes that stay where they are: the right way round, and never dearer."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import combinations, permutations
from pathlib import Path

import pytest
from order_of_processes import (
    BAD_MACHINE,
    KEPT,
    REFUSED,
    REORDERED,
    Entry,
    Process,
    decide,
    evaluate,
    pairs_by_distance,
)

from golden import Golden
from rankwise.analysis.messages.traffic import Whereabouts
from rankwise.errors import RankwiseError
from rankwise.placement.present_placement import find_present_placement
from rankwise.placement.prices import prices
from rankwise.topology.machine.read import read_machine

# Of two nodes: not the same set of numbers as that of the processes which send each other much.
MIXED = [Process(host) for host in "ABABBA"]


def cliques(*groups: tuple[int, ...]) -> list[Entry]:
    """All roles of a group send each other 1000 bytes."""
    return [(role, other, 1000.0) for group in groups for role, other in combinations(group, 2)]


def test_the_process_gets_the_rank_of_its_role() -> None:
    """With the permutation the wrong way round, no node would get a whole group."""
    decided = decide(MIXED, cliques((0, 1, 2), (3, 4, 5)))
    assert decided.outcome == REORDERED
    on_a = {decided.new_rank[process] for process, where in enumerate(MIXED) if where.host == "A"}
    assert on_a in ({0, 1, 2}, {3, 4, 5})
    assert sorted(decided.new_rank) == list(range(6))
    # Of each group, two of three pairs met only outside of nodes: one hop a byte. Now none does.
    assert (decided.before, decided.after) == (4000, 0)


def test_chain_of_six_is_known_exactly() -> None:
    """A role that sends much to one and little to another: one best pair for each node."""
    places = [
        Process(host, core=core)
        for host, core in (("A", 0), ("B", 0), ("C", 0), ("A", 1), ("B", 1), ("C", 1))
    ]
    decided = decide(places, [(0, 1, 900), (2, 3, 900), (4, 5, 900), (1, 2, 10), (3, 4, 10)])
    assert decided.outcome == REORDERED
    # Each pair is on a node, so only the weak links leave nodes.
    assert decided.after == 20
    pairs = {frozenset(decided.new_rank[process] for process in (node, node + 3)) for node in range(3)}
    assert pairs == {frozenset((0, 1)), frozenset((2, 3)), frozenset((4, 5))}


def test_kept_where_nothing_is_cheaper() -> None:
    in_order = [Process(host) for host in "AAABBB"]
    decided = decide(in_order, cliques((0, 1, 2), (3, 4, 5)))
    assert decided.outcome == KEPT
    assert decided.new_rank == (0, 1, 2, 3, 4, 5)
    assert decided.before == decided.after == 0


@pytest.mark.parametrize("traffic", [[(0, 0, 100.0)], [(1, 0, 0.0)]], ids=["to itself", "nothing"])
def test_kept_without_traffic(traffic: list[Entry]) -> None:
    assert decide(MIXED, traffic).outcome == KEPT


def test_kept_on_one_node_and_alone() -> None:
    assert decide([Process("A")] * 4, cliques((0, 3), (1, 2))).outcome == KEPT
    assert decide([Process("A")], [(0, 0, 5.0)]).outcome == KEPT


def test_again_is_stable() -> None:
    """The processes in their new order: nothing is cheaper."""
    traffic = [(role, (role + 1) % 6, 100.0 + role) for role in range(6)]
    first = decide(MIXED, traffic)
    assert first.outcome == REORDERED
    order = sorted(range(6), key=lambda process: first.new_rank[process])
    again = decide([MIXED[process] for process in order], traffic)
    assert (again.outcome, again.before) == (KEPT, first.after)


@pytest.mark.parametrize(("processes", "per_node", "moves"), [(8, 2, 4), (64, 8, 32), (192, 24, 96)])
@pytest.mark.reported("placing/fig1")
def test_partners_apart_move_one_of_two(processes: int, per_node: int, moves: int) -> None:
    """Ranks r and r + N/2 belong together, as in figure 1 of RR-9292: half of each node can stay."""
    places = [Process(f"node{rank // per_node}") for rank in range(processes)]
    half = processes // 2
    decided = decide(places, [(rank, rank + half, 1000.0) for rank in range(half)])
    assert (decided.outcome, decided.after) == (REORDERED, 0)
    assert moved(decided.new_rank) == moves


@pytest.mark.parametrize("shape", [["AA", "BB", "CC"], ["AAA", "BBB"], ["AAAA", "BB"], ["AABB", "CC"]])
@pytest.mark.reported("placing/moves")
def test_no_order_as_good_moves_fewer(shape: list[str]) -> None:
    """Against all orders of six; "AABB" is a node with two packages. No two pairs of ranks send as much."""
    places = [Process(node[0], package=ord(letter)) for node in shape for letter in node]
    generator = random.Random(5)
    for _ in range(10):
        traffic = [(role, other, 1000 * generator.random()) for role, other in combinations(range(6), 2)]
        decided = decide(places, traffic)
        least, fewest = best_order(places, traffic)
        assert decided.after == pytest.approx(least)
        assert moved(decided.new_rank) == fewest


def best_order(places: Sequence[Process], traffic: Sequence[Entry]) -> tuple[float, int]:
    """Return the least cost of all orders, and the fewest moves with it."""
    nodes, packages = [place.host for place in places], [place.package for place in places]
    levels = [nodes, packages] if len(set(packages)) > len(set(nodes)) else [nodes]
    hops = [
        [sum(level[a] != level[b] for level in levels) for b in range(len(places))]
        for a in range(len(places))
    ]
    costs = {
        order: sum(size * hops[order[role]][order[other]] for role, other, size in traffic)
        for order in permutations(range(len(places)))  # the process of each role
    }
    least = min(costs.values())
    return least, min(moved(order) for order, cost in costs.items() if cost < least * (1 + 1e-9))


def moved(order: Sequence[int]) -> int:
    return sum(place != rank for place, rank in enumerate(order))


def test_inside_of_a_node() -> None:
    """Packages, NUMA nodes, L3 caches and cores count as far as they divide anything."""
    places = [
        Process("A", package, 0, l3, core)
        for package, l3, core in (
            (0, 0, 0),
            (1, 8, 0),
            (0, 4, 4),
            (1, 12, 4),
            (0, 0, 1),
            (1, 8, 1),
            (0, 4, 5),
            (1, 12, 5),
        )
    ]
    decided = decide(places, [*cliques((0, 1), (2, 3), (4, 5), (6, 7)), (0, 2, 10.0), (4, 6, 10.0)])
    assert decided.outcome == REORDERED
    # Packages and caches divide, and cores are single: within a cache 0 hops, between the two of a package 1.
    assert decided.after == 20
    by_cache = {}
    for process, where in enumerate(places):
        by_cache.setdefault(where.l3, set()).add(decided.new_rank[process] // 2)
    assert all(len(pairs) == 1 for pairs in by_cache.values())


def test_unknown_inside_of_a_node_is_not_near() -> None:
    """Two that may be anywhere on their node are not taken for neighbours, nor for the same place."""
    places = [Process("A", 0), Process("A"), Process("A", 0), Process("A")]
    decided = decide(places, [(0, 1, 100.0), (2, 3, 1.0)])
    assert decided.outcome == REORDERED
    near = {decided.new_rank[0], decided.new_rank[2]}
    assert near == {0, 1}
    assert (decided.before, decided.after) == (101, 1)


def test_processes_without_a_role_come_last() -> None:
    decided = decide(MIXED, cliques((0, 1, 2)), roles=3)
    assert decided.outcome == REORDERED
    with_role = [process for process in range(6) if decided.new_rank[process] < 3]
    assert len({MIXED[process].host for process in with_role}) == 1
    others = [process for process in range(6) if process not in with_role]
    assert [decided.new_rank[process] for process in others] == [3, 4, 5]


def test_more_roles_than_processes_are_refused(golden: Golden) -> None:
    decided = decide(MIXED, cliques((0, 7)), roles=8)
    assert decided.outcome == REFUSED
    golden.says(decided.problem)


def machine_file(path: Path, *nodes: dict[str, object], levels: Sequence[str] = ("node", "core")) -> Path:
    tree = [{"level": "node", **node} for node in nodes]
    document = {"format": "rankwise-machine", "version": 1, "levels": [{"name": name} for name in levels]}
    path.write_text(json.dumps({**document, "tree": tree}))
    return path


def cores(*processors: int) -> list[dict[str, object]]:
    return [{"level": "core", "os": list(processors)}]


def test_machine_tells_what_is_near(tmp_path: Path) -> None:
    """Two switches: the kernels do not know of them."""
    path = tmp_path / "machine.json"
    levels = [{"name": "switch", "count": 2}, {"name": "node", "count": 2, "names": "n[1-4]"}]
    path.write_text(json.dumps({"format": "rankwise-machine", "version": 1, "levels": levels}))
    places = [Process(f"n{node}") for node in (1, 3, 4, 2)]
    traffic = [(0, 1, 100.0), (2, 3, 10.0)]
    assert decide(places, traffic).outcome == KEPT
    decided = decide(places, traffic, machine=path)
    assert decided.outcome == REORDERED
    assert {decided.new_rank[0], decided.new_rank[3]} in ({0, 1}, {2, 3})
    assert (decided.before, decided.after) == (110, 0)


def test_processes_are_found_by_their_processors(tmp_path: Path) -> None:
    """Packages with interleaved numbers; rank 2 may use either, and gets what is left."""
    packages = [{"level": "package", "children": cores(first, first + 2)} for first in (0, 1)]
    path = machine_file(
        tmp_path / "machine.json",
        {"name": "a.domain", "children": packages},
        levels=("node", "package", "core"),
    )
    places = [Process("a", processors=which) for which in ((0,), (1,), (0, 1, 2, 3), (3,))]
    decided = decide(places, [(0, 1, 100.0), (2, 3, 100.0)], machine=path)
    assert decided.outcome == REORDERED
    assert {decided.new_rank[0], decided.new_rank[2]} in ({0, 1}, {2, 3})
    assert (decided.before, decided.after) == (200, 0)


def test_costs_are_those_of_python(tmp_path: Path) -> None:
    """The present order, by what the commands take for the present placement and for hops."""
    generator = random.Random(11)
    path = tmp_path / "machine.json"
    for _ in range(30):
        nodes = [
            {
                "name": f"h{node}.x" if generator.random() < 0.5 else f"h{node}",
                "children": [
                    {"level": "package", "children": cores(*range(4 * package, 4 * package + 4))}
                    for package in range(generator.randint(1, 2))
                ],
            }
            for node in range(3)
        ]
        machine = read_machine(machine_file(path, *nodes, levels=("node", "package", "core")))
        places = [
            Process(
                generator.choice((f"h{node}", str(nodes[node]["name"]))),
                processors=tuple(sorted(generator.sample(range(8), generator.choice((1, 1, 2, 8))))),
            )
            for node in (generator.randrange(3) for _ in range(6))
        ]
        traffic = [(generator.randrange(6), generator.randrange(6), generator.random()) for _ in range(12)]
        where = Whereabouts(
            tuple(process.host for process in places), tuple(process.processors for process in places)
        )
        try:
            slot = find_present_placement(where, machine).slot
        except RankwiseError as error:  # more ranks on a node than slots
            said = decide(places, traffic, machine=path)
            assert said.outcome == BAD_MACHINE
            assert said.problem == f"{path}: {error}".replace("were on", "are on").partition(": give one")[0]
            continue
        objects = machine.slots.numbers[slot]
        per_byte = prices(machine, "hops", objects).slots(machine, slot).per_byte
        common = (objects[:, None] == objects[None]).sum(axis=-1)
        expected = sum(size * per_byte[common[role, other]] for role, other, size in traffic if role != other)
        decided = decide(places, traffic, machine=path)
        assert decided.before == pytest.approx(expected)
        assert decided.after <= decided.before


@pytest.mark.parametrize(
    ("host", "complaint"),
    [
        ("b", "'b' .. 0"),
        ("two", "'two' .. 'two.x' .. 'two.y' .. 0"),
        ("two.z", "'two.z' .. 0"),
        ("a", "2 .. 'a' .. 1"),
    ],
)
def test_processes_that_are_elsewhere(host: str, complaint: str, tmp_path: Path, golden: Golden) -> None:
    nodes = [{"name": name, "children": cores(0)} for name in ("a", "two.x", "two.y")]
    path = machine_file(tmp_path / "machine.json", *nodes)
    decided = decide([Process(host)] * 2, [(0, 1, 1.0)], machine=path)
    assert decided.outcome == BAD_MACHINE
    assert decided.problem.startswith(f"{path}: ")
    golden.says(decided.problem, complaint)


def test_what_is_no_machine(tmp_path: Path, golden: Golden) -> None:
    decided = decide(MIXED, [(0, 1, 1.0)], machine=tmp_path / "nothing")
    assert decided.outcome == BAD_MACHINE
    golden.says(decided.problem, "nothing .. No")


def distance_of(process: Process, other: Process) -> int:
    """How far two of `GRID` are apart: cores of a package, packages of a node, nodes."""
    if process.host != other.host:
        return 2
    return 1 if process.package != other.package else 0


GRID = [Process(host, package=package, core=core) for core in (0, 1) for package in (0, 1) for host in "ABC"]


@pytest.mark.parametrize("processes", [GRID, GRID[:7], GRID[::-1], GRID[:2]], ids=len)
def test_pairs_measure_at_their_distance(processes: list[Process]) -> None:
    """Each process has a partner at most, who has it as a partner; every distance that occurs is measured."""
    partners = pairs_by_distance(processes)
    occurring = {distance_of(*pair) for pair in combinations(processes, 2)}
    measured = set()
    for partner in partners:
        for process, other in enumerate(partner):
            if other < 0:
                continue
            assert partner[other] == process != other
            measured.add(distance_of(processes[process], processes[other]))
        distances = {
            distance_of(processes[process], processes[other])
            for process, other in enumerate(partner)
            if other >= 0
        }
        assert len(distances) <= 1
    assert measured == occurring


def test_all_processes_measure_at_once_where_they_can() -> None:
    """Of even numbers of cores, packages and nodes."""
    even = [
        Process(host, package=package, core=core) for host in "ABCD" for package in (0, 1) for core in (0, 1)
    ]
    assert [min(partner) >= 0 for partner in pairs_by_distance(even)] == [True] * 3


def test_no_pair_for_one_process() -> None:
    assert pairs_by_distance([Process("A")]) == [[-1]]


def test_seconds_of_an_order() -> None:
    """Messages cost 1 s, and 1 s a byte in a node, 10 s between two; the slowest process counts."""
    processes = [Process("A"), Process("B"), Process("A")]
    traffic = [(0, 1, 100.0), (0, 2, 10.0), (1, 0, 20.0), (2, 2, 1e6)]
    costs = [1.0, 10.0]
    blocks = [5.0, 7.0, 9.0]
    present = evaluate(processes, traffic, None, costs, blocks)
    # Rank 0 sends 1 + 1000 and 1 + 10 s, and receives 1 + 200 s.
    assert (present.hops, present.seconds, present.moving) == (120.0, 1012.0, 0.0)
    # Processes 1 and 2 change places: roles 0 and 1 share a node.
    swapped = evaluate(processes, traffic, [0, 2, 1], costs, blocks)
    assert (swapped.hops, swapped.seconds) == (10.0, 1 + 100 + 1 + 100)
    # Blocks of 7 and 9 bytes are exchanged between the nodes.
    assert swapped.moving == 1 + 90
