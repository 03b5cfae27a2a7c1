"""The placement engine on machines without a tree: distances by definition, known optima, hostile input."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from exhaustive import few
from golden import Golden
from rankwise.analysis.messages.traffic import Traffic
from rankwise.errors import RankwiseError
from rankwise.placement.engine import place, weigh
from rankwise.placement.networks import Dragonfly, Matrix, Network, Torus
from rankwise.placement.priced_slots import PricedSlots

Numbers = NDArray[np.int64]


def shortest(links: list[tuple[int, int]], count: int) -> Numbers:
    """Links on the shortest way between each two routers (Floyd and Warshall)."""
    ways = np.full((count, count), 10**6)
    np.fill_diagonal(ways, 0)
    for first, other in links:
        if first != other:
            ways[first, other] = ways[other, first] = 1
    for by in range(count):
        ways = np.minimum(ways, ways[:, by, None] + ways[None, by])
    return ways


def torus_hops(torus: Torus) -> Numbers:
    """From the links, one after the other."""
    numbers = np.arange(int(np.prod(torus.length))).reshape(tuple(torus.length))
    links = []
    for axis, length in enumerate(torus.length):
        rows = np.moveaxis(numbers, axis, 0).reshape(length, -1).tolist()
        links += [pair for step in range(length - 1) for pair in zip(rows[step], rows[step + 1], strict=True)]
        if torus.ring is None or torus.ring[axis]:
            links += list(zip(rows[-1], rows[0], strict=True))
    return shortest(links, numbers.size)


def dragonfly_hops(network: Dragonfly) -> Numbers:
    """Routers on the way between nodes: the link between two groups is looked for among all links."""
    per_router = -(-(network.groups - 1) // network.routers)
    ends = {}  # router with the link from a group to another one
    for group in range(network.groups):
        others = [other for other in range(network.groups) if other != group]
        for link, other in enumerate(others):
            ends[group, other] = group * network.routers + link // per_router
    count = network.groups * network.routers * network.nodes
    hops = np.zeros((count, count), dtype=np.int64)
    for first in range(count):
        for other in range(count):
            path = [first // network.nodes]
            to = other // network.nodes
            groups = path[0] // network.routers, to // network.routers
            if groups[0] != groups[1]:
                path += [ends[groups], ends[groups[::-1]]]
            path.append(to)
            hops[first, other] = 0 if first == other else len(dict.fromkeys(path))
    return hops


def bound_together(network: Network, slots: int, nodes: int) -> PricedSlots:
    """Nodes of so many slots each; within a node nothing costs anything."""
    objects = np.stack([np.repeat(np.arange(nodes), slots), np.arange(nodes * slots)], axis=1)
    return PricedSlots(objects, [0.0, 0.0, 0.0], network=network)


def grid(*shape: int, seed: int, ring: bool = False) -> Traffic:
    """Neighbours in a grid send each other 1,000 bytes; the ranks are shuffled."""
    ranks = np.random.default_rng(seed).permutation(int(np.prod(shape))).reshape(shape)
    pairs = []
    for axis, length in enumerate(shape):
        steps = np.arange(length if ring else length - 1)
        there = np.take(ranks, (steps + 1) % length, axis)
        pairs.append(np.stack([np.take(ranks, steps, axis).ravel(), there.ravel()]))
    first, second = np.hstack(pairs)
    return Traffic(ranks.size, first, second, np.full(len(first), 1000.0))


def cost(traffic: Traffic, slot: NDArray[np.int32], per_byte: NDArray[np.float64]) -> float:
    """By definition; per_byte is between slots."""
    return float(
        sum(
            size * per_byte[slot[first], slot[other]]
            for first, other, size in zip(
                np.asarray(traffic.source).tolist(),
                np.asarray(traffic.destination).tolist(),
                np.asarray(traffic.bytes).tolist(),
                strict=True,
            )
        )
    )


def random_traffic(random: np.random.Generator, ranks: int) -> Traffic:
    entries = int(random.integers(1, 5 * ranks + 1))
    source, step = random.integers(0, ranks, entries), random.integers(1, max(ranks, 2), entries)
    return Traffic(ranks, source, (source + step) % ranks, random.exponential(1e3, entries))


def random_network(random: np.random.Generator) -> tuple[Network, NDArray[np.float64]]:
    """A network, and what a byte costs between its nodes."""
    kind = int(random.integers(0, 3))
    if kind == 0:
        length = random.integers(1, 5, int(random.integers(1, 4))).tolist()
        torus = Torus(length, random.integers(0, 2, len(length)).astype(bool).tolist(), per_byte=2.0)
        return torus, 2.0 * torus_hops(torus)
    if kind == 1:
        dragonfly = Dragonfly(*random.integers(1, 5, 3).tolist())
        return dragonfly, dragonfly_hops(dragonfly).astype(float)
    given = random.random((int(random.integers(1, 12)),) * 2)
    both = (given + given.T) / 2
    np.fill_diagonal(both, 0)
    return Matrix(given), both


@pytest.mark.parametrize("seed", few(range(60), 15))
def test_costs_are_those_of_the_network_and_never_dearer(seed: int) -> None:
    random = np.random.default_rng(seed)
    network, between = random_network(random)
    node = np.repeat(np.arange(len(between)), random.integers(0, 4, len(between)))
    node = random.permutation(node if len(node) else np.zeros(1, dtype=np.int64))
    inner = random.integers(0, 2, len(node))
    places = PricedSlots(np.stack([node, inner], axis=1), [3.0, 1.0, 0.5], network=network)
    per_byte = 3.0 + between[np.ix_(node, node)]
    same = node[:, None] == node
    per_byte[same] = 1.0
    per_byte[same & (inner[:, None] == inner)] = 0.5
    ranks = int(random.integers(1, len(node) + 1))
    traffic = random_traffic(random, ranks)
    present = random.permutation(len(node))[:ranks]
    placement = place(traffic, places, present=present, effort=int(random.integers(1, 4)), seed=seed)
    assert len(set(placement.slot.tolist())) == ranks
    assert set(placement.slot.tolist()) <= set(range(len(node)))
    other = np.asarray(traffic.source) != np.asarray(traffic.destination)
    kept = [np.asarray(column)[other] for column in (traffic.source, traffic.destination, traffic.bytes)]
    apart = Traffic(ranks, *kept)
    assert placement.cost == pytest.approx(cost(apart, placement.slot, per_byte))
    assert placement.natural == pytest.approx(cost(apart, np.arange(ranks, dtype=np.int32), per_byte))
    assert placement.present == pytest.approx(cost(apart, present.astype(np.int32), per_byte))
    assert placement.cost <= min(placement.natural, placement.present)


def test_a_network_may_have_nodes_at_given_routers() -> None:
    """Three nodes of a line of ten: the two in its middle are neighbours."""
    places = bound_together(Torus([10], [False], router=[0, 4, 5]), 1, 3)
    placement = place(Traffic(3, [0, 0], [1, 2], [1.0, 9.0]), places)
    assert placement.cost == 9 + 4  # the chatty pair in the middle, the third one four hops from 0
    assert placement.natural == 4 + 45


@pytest.mark.parametrize("shape", [(16,), (8, 8), (16, 16), (4, 4, 4), (6, 6, 6), (8, 8, 8), (5, 7, 9)])
def test_a_halo_is_laid_onto_the_torus_of_its_shape(shape: tuple[int, ...]) -> None:
    """One hop for each pair of neighbours is the least there can be."""
    traffic = grid(*shape, seed=3)
    placement = place(traffic, bound_together(Torus(shape), 1, traffic.ranks))
    best = float(np.sum(np.asarray(traffic.bytes)))
    assert best <= placement.cost <= 1.25 * best
    assert placement.cost < placement.natural / 2


@pytest.mark.parametrize("length", [5, 16, 64])
def test_a_ring_is_laid_around_a_ring(length: int) -> None:
    traffic = grid(length, seed=2, ring=True)
    placement = place(traffic, bound_together(Torus([length]), 1, length))
    assert placement.cost == 1000.0 * length


def test_cubes_fill_the_nodes_of_a_torus() -> None:
    """Cubes of 2 x 2 x 2 in nodes of eight, beside their neighbours: 3 x 3 x 64 pairs are one link apart."""
    traffic = grid(8, 8, 8, seed=4)
    placement = place(traffic, bound_together(Torus([4, 4, 4]), 8, 64), effort=2)
    best = 1000.0 * 3 * 3 * 64
    assert best <= placement.cost <= 1.3 * best


def test_cliques_stay_in_their_group_of_a_dragonfly() -> None:
    """Each group has a clique: all its pairs are at one router, or one link apart."""
    network = Dragonfly(5, 4, 2)
    members = np.random.default_rng(5).permutation(40).reshape(5, 8)
    pairs = [(a, b) for group in members.tolist() for a in group for b in group if a < b]
    first, second = zip(*pairs, strict=True)
    placement = place(Traffic(40, first, second, np.ones(len(pairs))), bound_together(network, 1, 40))
    assert placement.cost == 5 * (4 * 1 + 24 * 2)  # pairs at one router, and others of the group


def test_no_partners_are_put_to_a_slow_pair_of_nodes() -> None:
    """Four pairs of ranks on eight nodes; between nodes 1 and 2, and 5 and 6, all takes ten times as long."""
    slow = np.ones((8, 8))
    for first, other in ((1, 2), (5, 6)):
        slow[first, other] = slow[other, first] = 10.0
    traffic = Traffic(8, [0, 1, 3, 5], [7, 2, 4, 6], np.full(4, 100.0))
    placement = place(traffic, bound_together(Matrix(slow), 1, 8))
    assert placement.natural == 100 * (1 + 10 + 1 + 10)
    assert placement.cost == 400


@pytest.mark.parametrize("seed", range(12))
def test_few_ranks_are_placed_nearly_as_well_as_can_be(seed: int) -> None:
    """All placements of seven ranks are tried."""
    random = np.random.default_rng(seed)
    network: Network = Torus([7]) if seed % 2 else Matrix(random.random((7, 7)))
    if isinstance(network, Torus):
        between = torus_hops(network).astype(float)
    else:
        between = (np.asarray(network.per_byte) + np.asarray(network.per_byte).T) / 2
    traffic = random_traffic(random, 7)
    matrix = np.zeros((7, 7))
    np.add.at(
        matrix, (np.asarray(traffic.source), np.asarray(traffic.destination)), np.asarray(traffic.bytes)
    )
    np.fill_diagonal(matrix, 0)
    best = min(
        float(np.sum(matrix * between[np.ix_(order, order)])) for order in map(list, permutations(range(7)))
    )
    placement = place(traffic, bound_together(network, 1, 7), effort=3)
    assert best * (1 - 1e-9) <= placement.cost <= best * 1.02


def test_half_of_a_torus_is_found_again() -> None:
    """Half of its links, of random weights: no structure is left to be recognized."""
    shares = []
    for seed in range(8):
        traffic, random = grid(6, 6, seed=seed, ring=True), np.random.default_rng(seed)
        kept = random.random(np.size(traffic.source)) < 0.5
        source, destination = np.asarray(traffic.source)[kept], np.asarray(traffic.destination)[kept]
        weight = random.integers(1000, 3000, len(source))
        placement = place(
            Traffic(36, source, destination, weight), bound_together(Torus([6, 6]), 1, 36), seed=seed
        )
        shares.append(placement.cost / float(weight.sum()))
    assert min(shares) == 1
    assert np.mean(shares) < 1.08


@pytest.mark.parametrize("seed", range(20))
def test_no_swap_of_two_ranks_is_left_that_saves(seed: int) -> None:
    """By the distances of all pairs; bytes and messages, nodes of several slots, some of them free."""
    random = np.random.default_rng([seed, 5])
    network = [Torus([3, 4]), Dragonfly(3, 2, 2), Matrix(random.random((12, 12)), random.random((12, 12)))][
        seed % 3
    ]
    nodes = np.repeat(np.arange(12), random.integers(1, 5, 12))
    ranks = len(nodes) - int(random.integers(0, 4))
    places = PricedSlots(
        np.stack([nodes, np.arange(len(nodes))], axis=1), [1.0, 0.5, 0.0], [2.0, 1.0, 0.0], network=network
    )
    pairs = random.integers(0, ranks, (2, 4 * ranks))
    traffic = Traffic(ranks, *pairs, random.integers(1, 1000, 4 * ranks), random.integers(0, 9, 4 * ranks))
    placement = place(traffic, places, effort=3 if seed < 3 else 1, seed=seed)
    free = sorted(set(range(len(nodes))) - set(placement.slot.tolist()))
    for rank in range(ranks):
        for other in [*placement.slot[rank + 1 :].tolist(), *free]:
            slot = placement.slot.copy()
            slot[placement.slot == other] = placement.slot[rank]
            slot[rank] = other
            assert weigh(traffic, places, slot)[0] >= placement.cost * (1 - 1e-9)


@pytest.mark.parametrize("network", [Torus([4, 4, 8]), Dragonfly(8, 4, 4)])
def test_equal_input_gives_an_equal_result_with_any_number_of_threads(network: Network) -> None:
    traffic, places = grid(4, 8, 8, seed=6), bound_together(network, 2, 128)
    results = [place(traffic, places, threads=threads, seed=5) for threads in (1, 3)]
    assert results[0].slot.tolist() == results[1].slot.tolist()
    assert results[0].cost == results[1].cost


@pytest.mark.parametrize(
    "network",
    [
        Torus([2, 2], per_byte=float("nan")),
        Torus([2, 2], per_byte=-1.0),
        Torus([2, 2], per_message=float("inf")),
        Torus([4, 0]),
        Torus([2, -2]),
        Torus([2**20, 2**20], router=[0, 1, 2, 3]),
        Torus([2, 2], router=[0, 1, 2, 4]),
        Torus([2, 2], router=[0, 1, 2, -1]),
        Torus([2], router=[0, 1]),  # two nodes, but the slots are in four
        Dragonfly(0, 2, 2),
        Dragonfly(2, 2, 1, router=[0, 1, 2, 4]),
        Matrix([[0.0] * 4] * 3 + [[0.0, 0.0, float("nan"), 0.0]]),
        Matrix([[0.0] * 4] * 3 + [[0.0, 0.0, -1.0, 0.0]]),
        Matrix(np.zeros((4, 4)), np.full((4, 4), np.inf)),
        Matrix(np.zeros((2, 2))),
    ],
)
def test_impossible_networks_are_refused(network: Network, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as refused:
        place(Traffic(2, [0], [1], [1.0]), bound_together(network, 1, 4))
    golden.says(refused.value)
    assert "\n" not in str(refused.value)


def test_a_matrix_of_a_wrong_size_is_refused() -> None:
    with pytest.raises(RankwiseError, match="12 values where 16 belong"):
        place(Traffic(2, [0], [1], [1.0]), bound_together(Matrix(np.zeros((4, 3))), 1, 4))


def test_a_node_in_two_places_is_refused() -> None:
    places = PricedSlots([[0, 0], [1, 0]], [1.0, 1.0, 0.0], network=Torus([2]), node_level=1)
    with pytest.raises(RankwiseError, match="in two places"):
        place(Traffic(2, [0], [1], [1.0]), places)
