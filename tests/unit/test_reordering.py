"""New ranks for processes that stay where they are: the right way round, and never dearer."""

from __future__ import annotations

from itertools import combinations

import pytest
from order_of_processes import KEPT, REFUSED, REORDERED, Entry, Process, decide

# Of two nodes: not the same set of numbers as that of the processes which send each other much.
MIXED = [Process(host) for host in "ABABBA"]


def cliques(*groups: tuple[int, ...]) -> list[Entry]:
    """All roles of a group send each other 1000 bytes."""
    return [(one, other, 1000.0) for group in groups for one, other in combinations(group, 2)]


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


def test_more_roles_than_processes_are_refused() -> None:
    decided = decide(MIXED, cliques((0, 7)), roles=8)
    assert (decided.outcome, decided.problem) == (REFUSED, "there are more ranks than slots")
