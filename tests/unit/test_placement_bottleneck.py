"""The placement engine with the bottleneck to be small: loads by definition, all placements of few ranks."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from exhaustive import few
from golden import Golden
from rankwise.analysis.messages.traffic import Traffic
from rankwise.errors import RankwiseError
from rankwise.placement.engine import Link, place, weigh
from rankwise.placement.networks import Dragonfly, Matrix, Torus
from rankwise.placement.priced_slots import PricedSlots

Pairs = list[tuple[int, int, float]]


def pairs_of(traffic: Traffic) -> Pairs:
    columns = (np.asarray(column).tolist() for column in (traffic.source, traffic.destination, traffic.bytes))
    return [
        (source, destination, size)
        for source, destination, size in zip(*columns, strict=True)
        if source != destination
    ]


def tree_load(places: PricedSlots, pairs: Pairs, slot: list[int]) -> float:
    """Highest load: what crosses the border of each object, times what a byte costs there."""
    objects = np.asarray(places.objects)
    costs = np.ones(objects.shape) if places.per_link_byte is None else np.asarray(places.per_link_byte)
    highest = 0.0
    for level in range(objects.shape[1]):
        names = [tuple(row[: level + 1]) for row in objects.tolist()]
        for name in set(names):
            across = sum(size for a, b, size in pairs if (names[slot[a]] == name) != (names[slot[b]] == name))
            highest = max(highest, across * costs[names.index(name), level])
    return highest


def ring_load(length: int, pairs: Pairs, slot: list[int]) -> float:
    """Highest load of a ring, whose links have two directions: the shorter way is taken, or else forward."""
    loads = np.zeros((2, length))
    for a, b, size in pairs:
        start, end = slot[a], slot[b]
        ahead = (end - start) % length
        forward = 2 * ahead <= length
        links = range(start, start + ahead) if forward else range(end, end + length - ahead)
        loads[int(forward), [link % length for link in links]] += size
    return float(loads.max())


def random_traffic(random: np.random.Generator, ranks: int, most: int) -> Traffic:
    entries = int(random.integers(1, most + 1))
    source, step = random.integers(0, ranks, entries), random.integers(1, max(ranks, 2), entries)
    return Traffic(ranks, source, (source + step) % ranks, random.integers(1, 1000, entries).astype(float))


def nodes(count: int, size: int) -> PricedSlots:
    """Nodes of so many slots each, whose links alone matter."""
    objects = np.stack([np.repeat(np.arange(count), size), np.arange(count * size)], axis=1)
    links = np.tile([1.0, 0.0], (count * size, 1))
    return PricedSlots(objects, [1.0, 0.0, 0.0], per_link_byte=links)


@pytest.mark.parametrize("seed", few(range(40), 10))
def test_no_link_is_loaded_more_than_before(seed: int) -> None:
    random = np.random.default_rng(seed)
    slots = int(random.integers(2, 40))
    objects = np.stack([np.arange(slots) // 8, np.arange(slots) // 3, np.arange(slots)], axis=1)
    objects[:, 1] = random.integers(0, 3, slots)  # not of equal size, and named alike in different ones
    places = PricedSlots(
        random.permutation(objects),
        [3.0, 2.0, 1.0, 0.0],
        per_link_byte=None if seed % 3 == 0 else np.tile([0.5, 1.0, 0.0], (slots, 1)),
    )
    ranks = int(random.integers(1, slots + 1))
    traffic = random_traffic(random, ranks, 4 * ranks)
    pairs = pairs_of(traffic)
    present = random.permutation(slots)[:ranks]
    placement = place(traffic, places, present=present, bottleneck=True, seed=seed)
    assert len(set(placement.slot.tolist())) == ranks
    assert placement.cost == pytest.approx(tree_load(places, pairs, placement.slot.tolist()))
    assert placement.natural == pytest.approx(tree_load(places, pairs, list(range(ranks))))
    assert placement.present == pytest.approx(tree_load(places, pairs, present.tolist()))
    assert placement.cost <= min(placement.natural, placement.present)
    again = place(traffic, places, present=present, bottleneck=True, seed=seed, threads=3)
    assert again.slot.tolist() == placement.slot.tolist()


@pytest.mark.parametrize("seed", range(15))
def test_few_ranks_on_nodes_are_as_good_as_can_be(seed: int) -> None:
    """Three nodes of two slots, and unequal links: all placements are tried."""
    random = np.random.default_rng(seed)
    objects = np.stack([np.repeat(np.arange(3), 2), np.arange(6)], axis=1)
    links = np.zeros((6, 2))
    links[:, 0] = np.repeat(random.integers(1, 4, 3), 2)
    places = PricedSlots(objects, [1.0, 0.0, 0.0], per_link_byte=links)
    traffic = random_traffic(random, 6, 20)
    pairs = pairs_of(traffic)
    best = min(tree_load(places, pairs, list(order)) for order in permutations(range(6)))
    assert place(traffic, places, bottleneck=True).cost == pytest.approx(best)


@pytest.mark.parametrize("seed", range(8))
def test_few_ranks_on_a_ring_are_as_good_as_can_be(seed: int) -> None:
    traffic = random_traffic(np.random.default_rng(seed), 6, 12)
    pairs = pairs_of(traffic)
    best = min(ring_load(6, pairs, list(order)) for order in permutations(range(6)))
    places = PricedSlots(np.arange(6)[:, None], [0.0, 0.0], network=Torus([6]))
    placement = place(traffic, places, bottleneck=True)
    assert placement.cost == pytest.approx(ring_load(6, pairs, placement.slot.tolist()))
    assert placement.cost == pytest.approx(best)


def test_hubs_and_their_partners_get_a_node_each() -> None:
    traffic = Traffic(10, [0] * 4 + [1] * 4 + [0], [2, 3, 4, 5, 6, 7, 8, 9, 1], [10.0] * 8 + [1.0])
    placement = place(traffic, nodes(2, 5), bottleneck=True)
    assert placement.cost == 1.0


def test_a_slow_link_gets_less() -> None:
    """The slow node takes the two that say little, though all would be cheaper with them among the others."""
    traffic = Traffic(6, [0, 1, 2, 3, 4, 5, 0], [1, 2, 3, 0, 0, 1, 2], [9.0, 9.0, 9.0, 9.0, 1.0, 1.0, 9.0])
    objects = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [1, 3]])
    links = np.array([[5.0, 0.0]] * 2 + [[1.0, 0.0]] * 4)
    placement = place(traffic, PricedSlots(objects, [1.0, 0.0, 0.0], per_link_byte=links), bottleneck=True)
    assert set(placement.slot[4:].tolist()) == {0, 1}
    assert placement.cost == 2 * 5.0


def test_the_sum_settles_what_is_equal_at_the_bottleneck() -> None:
    """Nodes of one slot have the same load anywhere; partners still go below one switch."""
    objects = np.stack([np.arange(4) // 2, np.arange(4)], axis=1)
    places = PricedSlots(objects, [2.0, 1.0, 0.0], per_link_byte=np.tile([0.0, 1.0], (4, 1)))
    placement = place(Traffic(4, [0, 1], [2, 3], [5.0, 5.0]), places, bottleneck=True)
    assert (placement.cost, placement.natural) == (5.0, 5.0)
    switch = placement.slot // 2
    assert (switch[0], switch[1]) == (switch[2], switch[3])


def test_the_most_loaded_link_of_a_tree_is_named() -> None:
    """Node 1 sends 30 bytes to node 0, and 5 to node 2."""
    traffic = Traffic(6, [2, 3], [0, 4], [30.0, 5.0])
    _, link = weigh(traffic, nodes(3, 2), range(6))
    assert link == Link(35.0, level=0, slot=2)
    slow = np.tile([1.0, 0.0], (6, 1))
    slow[4:, 0] = 10.0
    objects = nodes(3, 2).objects
    _, link = weigh(traffic, PricedSlots(objects, [1.0, 0.0, 0.0], per_link_byte=slow), range(6))
    assert link == Link(50.0, level=0, slot=4)


def test_the_most_loaded_link_of_a_torus_is_named() -> None:
    """Along the first axis first: from (0, 0) by (1, 0) to (1, 1), and back by (0, 1)."""
    places = PricedSlots(np.arange(12)[:, None], [0.0, 0.0], network=Torus([3, 4]))
    _, link = weigh(Traffic(3, [0, 0], [1, 2], [8.0, 3.0]), places, [0, 5, 4])
    assert link == Link(11.0, routers=(0, 4))
    _, link = weigh(Traffic(3, [1, 0], [0, 2], [8.0, 3.0]), places, [0, 5, 4])
    assert link in (Link(8.0, routers=(5, 1)), Link(8.0, routers=(1, 0)))


def test_the_most_loaded_link_of_a_dragonfly_is_named() -> None:
    """Groups of two routers; what goes from group 0 to group 2 takes one link, from router 1 to router 4."""
    places = PricedSlots(np.arange(6)[:, None], [0.0, 0.0], network=Dragonfly(3, 2, 1))
    traffic = Traffic(4, [0, 1], [2, 3], [10.0, 4.0])
    assert weigh(traffic, places, [0, 1, 4, 5])[1] == Link(14.0, routers=(1, 4))
    there_and_back = Traffic(4, [0, 3], [2, 1], [10.0, 4.0])
    assert weigh(there_and_back, places, [0, 1, 4, 5])[1] in (
        Link(10.0, routers=(0, 1)),
        Link(10.0, routers=(1, 4)),
    )


def test_a_matrix_has_no_links_of_its_own() -> None:
    places = PricedSlots(np.arange(2)[:, None], [0.0, 0.0], network=Matrix(np.ones((2, 2))))
    assert weigh(Traffic(2, [0], [1], [1.0]), places, [0, 1]) == (1.0, None)
    assert place(Traffic(2, [0], [1], [1.0]), places, bottleneck=True).cost == 0


@pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf")])
def test_impossible_costs_of_links_are_refused(cost: float, golden: Golden) -> None:
    places = PricedSlots([[0], [1]], [1.0, 0.0], per_link_byte=[[1.0], [cost]])
    with pytest.raises(RankwiseError) as error:
        place(Traffic(2, [0], [1], [1.0]), places, bottleneck=True)
    golden.says(error.value)


def test_a_placement_with_a_slot_twice_has_no_loads() -> None:
    with pytest.raises(RankwiseError, match="one twice"):
        weigh(Traffic(2, [0], [1], [1.0]), nodes(2, 1), [1, 1])
