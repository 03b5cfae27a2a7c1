"""The placement engine with both objectives: the cost of all first, then the load of the most loaded link."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from test_placement_bottleneck import Pairs, nodes, pairs_of, random_traffic, ring_load, tree_load
from test_placement_engine import cost, regular
from test_placement_engine import random_traffic as any_traffic

from exhaustive import few
from golden import Golden
from rankwise.analysis.messages.traffic import Traffic
from rankwise.errors import RankwiseError
from rankwise.placement.engine import place, weigh
from rankwise.placement.networks import Matrix, Torus
from rankwise.placement.priced_slots import PricedSlots

EXTRAS = (0.0, 0.1, 0.5)


def ring_hops(length: int, pairs: Pairs, slot: list[int]) -> float:
    return sum(size * min((slot[a] - slot[b]) % length, (slot[b] - slot[a]) % length) for a, b, size in pairs)


def least_load(costs: list[tuple[float, float]], extra: float) -> float:
    """Return the lowest load of the placements whose cost is at most so much above the lowest one."""
    limit = min(total for total, _ in costs) * (1 + extra)
    return min(load for total, load in costs if total <= limit * (1 + 1e-12))


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("seed", few(range(10), 4))
def test_few_ranks_on_nodes_are_as_good_as_can_be(seed: int, extra: float) -> None:
    """Three nodes of two slots, and unequal links: all placements are tried."""
    random = np.random.default_rng(seed)
    objects = np.stack([np.repeat(np.arange(3), 2), np.arange(6)], axis=1)
    links = np.zeros((6, 2))
    links[:, 0] = np.repeat(random.integers(1, 4, 3), 2)
    places = PricedSlots(objects, [1.0, 0.0, 0.0], per_link_byte=links)
    traffic = random_traffic(random, 6, 20)
    pairs = pairs_of(traffic)
    orders = [list(order) for order in permutations(range(6))]
    costs = [(cost(traffic, places, np.array(order)), tree_load(places, pairs, order)) for order in orders]
    placement = place(traffic, places, extra=extra)
    assert placement.cost <= min(total for total, _ in costs) * (1 + extra + 1e-9)
    assert placement.load == pytest.approx(least_load(costs, extra))


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("seed", few(range(5), 2))
def test_few_ranks_on_a_ring_are_as_good_as_can_be(seed: int, extra: float) -> None:
    traffic = random_traffic(np.random.default_rng(seed), 6, 12)
    pairs = pairs_of(traffic)
    orders = [list(order) for order in permutations(range(6))]
    costs = [(ring_hops(6, pairs, order), ring_load(6, pairs, order)) for order in orders]
    places = PricedSlots(np.arange(6)[:, None], [0.0, 0.0], network=Torus([6], per_byte=1.0))
    placement = place(traffic, places, extra=extra)
    assert placement.cost <= min(total for total, _ in costs) * (1 + extra + 1e-9)
    assert placement.load == pytest.approx(least_load(costs, extra))


@pytest.mark.parametrize("seed", few(range(30), 8))
def test_neither_is_worse_without_the_other_being_better(seed: int) -> None:
    random = np.random.default_rng(seed)
    slots = int(random.integers(2, 90))
    objects = np.stack([np.arange(slots) // 12, np.arange(slots) // 4, np.arange(slots)], axis=1)
    places = PricedSlots(random.permutation(objects), [3.0, 2.0, 1.0, 0.0])
    ranks = int(random.integers(1, slots + 1))
    traffic, extra = random_traffic(random, ranks, 4 * ranks), float(random.choice(EXTRAS))
    pairs, present = pairs_of(traffic), random.permutation(slots)[:ranks]
    placement = place(traffic, places, present=present, extra=extra, seed=seed)
    assert len(set(placement.slot.tolist())) == ranks
    assert placement.cost == pytest.approx(cost(traffic, places, placement.slot))
    assert placement.load == pytest.approx(tree_load(places, pairs, placement.slot.tolist()))
    assert placement.present == pytest.approx(cost(traffic, places, present.astype(np.int32)))
    assert placement.natural_load == pytest.approx(tree_load(places, pairs, list(range(ranks))))
    assert placement.present_load == pytest.approx(tree_load(places, pairs, present.tolist()))
    alone = place(traffic, places, present=present, seed=seed)
    _, hottest = weigh(traffic, places, alone.slot)
    assert placement.cost <= alone.cost * (1 + extra + 1e-9)
    assert placement.load <= (hottest.load if hottest else 0.0) * (1 + 1e-9)
    for total, load in (
        (placement.natural, placement.natural_load),
        (placement.present, placement.present_load),
    ):
        assert total is not None
        assert load is not None
        assert placement.cost <= total * (1 + 1e-9) or placement.load <= load * (1 + 1e-9)
    again = place(traffic, places, present=present, extra=extra, seed=seed, threads=3)
    assert again.slot.tolist() == placement.slot.tolist()


def test_the_quietest_clique_gets_the_slow_node() -> None:
    """16 cliques fill as many nodes, at the same cost anywhere; what they send to the next ones differs.

    Only an exchange of all ranks of two nodes helps: any single rank that leaves its clique costs much.
    """
    size, count = 4, 16
    parts, sizes = [], []
    for clique in range(count):
        ranks = np.arange(clique * size, (clique + 1) * size)
        pairs = np.array([(a, b) for a in ranks for b in ranks if a < b])
        parts += [pairs, [(ranks[0], (ranks[0] + size) % (size * count))]]
        sizes += [1000.0] * len(pairs) + [1.0 if clique in (0, count - 1) else 5.0]
    source, destination = np.concatenate(parts).T
    links = np.tile([1.0, 0.0], (size * count, 1))
    links[-size:, 0] = 100.0  # the last node
    slow = PricedSlots(nodes(count, size).objects, [1.0, 0.0, 0.0], per_link_byte=links)
    traffic = Traffic(size * count, source, destination, sizes)
    alone, both = place(traffic, slow), place(traffic, slow, extra=0.0)
    assert both.cost == alone.cost
    assert both.load == 100.0 * 2  # the first clique sends 1 and receives 1; all others have at least 6
    assert both.slot[:size].min() == size * (count - 1)


def test_a_share_of_the_cost_buys_relief() -> None:
    """Few ranks have many partners, on six full nodes."""
    random = np.random.default_rng(3)
    hubs = (random.random(400) ** 3 * 72).astype(int)
    traffic = Traffic(72, hubs, random.integers(0, 72, 400), random.integers(1, 100, 400))
    places = regular(6, 12)
    alone = place(traffic, places)
    _, hottest = weigh(traffic, places, alone.slot)
    assert hottest is not None
    both = place(traffic, places, extra=0.2)
    assert both.cost <= alone.cost * 1.2
    assert both.load is not None
    assert both.load < hottest.load


def test_without_links_the_cost_alone_counts() -> None:
    places = PricedSlots(np.arange(2)[:, None], [0.0, 0.0], network=Matrix(np.ones((2, 2))))
    placement = place(Traffic(2, [0], [1], [1.0]), places, extra=0.1)
    assert (placement.cost, placement.load, placement.present_load) == (1.0, 0.0, None)


def test_messages_count_as_well() -> None:
    random = np.random.default_rng(5)
    traffic = any_traffic(random, 40)
    places = PricedSlots(regular(5, 8).objects, [4.0, 2.0, 1.0], [3.0, 1.0, 0.0])
    alone, both = place(traffic, places), place(traffic, places, extra=0.05)
    assert both.cost == pytest.approx(cost(traffic, places, both.slot))
    assert both.cost <= alone.cost * 1.05


@pytest.mark.parametrize("extra", [-0.1, float("nan"), float("inf")])
def test_impossible_shares_are_refused(extra: float, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        place(Traffic(2, [0], [1], [1.0]), PricedSlots([[0], [1]], [1.0, 0.0]), extra=extra)
    golden.says(error.value)
