"""Classes of links: how uneven their loads are, what no routing gets below; and what routes are worth."""

from __future__ import annotations

import numpy as np
import pytest
from fabrics_made import at_random, made, tree

from rankwise.network.fabric.model import ACROSS, HOST_UP, LEAF_DOWN, LEAF_UP
from rankwise.network.routes.all_to_all import all_to_all
from rankwise.network.routes.classes import by_class, class_bounds
from rankwise.network.routes.destinations import ARRIVES
from rankwise.network.routes.quality import bisection_bandwidth, forwarding_index
from rankwise.network.routes.walk import routed


def test_figures_of_a_class_are_those_of_its_links() -> None:
    # Hosts 0, 1 of leaf 0 send 10 and 30 to host 2 of leaf 1: both by d-mod-k over spine 0.
    subnet = tree(2, 2, 2)
    loads = routed(subnet, [0, 1], [2, 2], [10.0, 30.0]).loads
    classes = by_class(subnet, loads, class_bounds(subnet, [0, 1], [2, 2], [10.0, 30.0]))
    host_up, host_down, leaf_up, leaf_down = classes
    assert [each.name for each in classes] == ["host up", "host down", "leaf up", "leaf down"]
    assert (host_up.links, host_up.used, host_up.total, host_up.max) == (4, 2, 40.0, 30.0)
    assert (host_up.mean_used, host_up.mean, host_up.p95) == (20.0, 10.0, 29.0)
    assert host_up.gini == pytest.approx(0.25)  # half of the mean difference, by twice the mean
    assert (host_up.times_mean, host_up.bound, host_up.excess) == (1.5, 30.0, 1.0)
    assert (host_down.max, host_down.bound) == (40.0, 40.0)
    assert (leaf_up.max, leaf_up.bound, leaf_up.excess) == (40.0, 20.0, 2.0)
    assert (leaf_down.max, leaf_down.bound, leaf_down.gini) == (40.0, 20.0, 0.0)
    assert subnet.name_of(int(subnet.links.source[leaf_up.hottest])) == "switch0"
    assert subnet.name_of(int(subnet.links.destination[leaf_up.hottest])) == "switch2"


def test_classes_without_loads() -> None:
    subnet = tree()
    for each in by_class(subnet, np.zeros(len(subnet.links)), class_bounds(subnet, [], [], [])):
        assert (each.max, each.mean_used, each.gini, each.hottest) == (0.0, 0.0, 0.0, -1)
        assert each.excess is None
        assert each.times_mean is None


@pytest.mark.parametrize("seed", range(40))
def test_no_routing_is_below_the_bound(seed: int) -> None:
    subnet = at_random(seed, split=seed % 2 == 0)
    random = np.random.default_rng(seed)
    source, destination = random.integers(0, len(subnet.ports.hosts), (2, 50))
    weight = random.integers(0, 1000, 50).astype(float)
    routes = routed(subnet, source, destination, weight)
    assert (routes.fate == ARRIVES).all()
    different = source != destination
    bounds = class_bounds(subnet, source[different], destination[different], weight[different])
    for each in by_class(subnet, routes.loads, bounds):
        assert each.bound <= each.max * (1 + 1e-12)
    assert bounds[HOST_UP] == pytest.approx(np.bincount(source[different], weight[different]).max())


def test_ideal_routing_meets_the_bound() -> None:
    subnet = tree(4, 4, 2, split=True)
    source, destination = np.divmod(np.arange(256), 16)
    different = source != destination
    bounds = class_bounds(subnet, source[different], destination[different], np.ones(different.sum()))
    assert bounds[LEAF_UP] == bounds[LEAF_DOWN] == 4 * 12 / 2
    classes = by_class(subnet, all_to_all(subnet, np.arange(16)).loads, bounds)
    assert [each.excess for each in classes] == pytest.approx([1.0] * 4)


def test_forwarding_index_is_the_most_routes_over_a_link_between_switches() -> None:
    subnet = tree(2, 3, 1)
    assert forwarding_index(subnet, all_to_all(subnet, np.arange(6))) == 9.0
    assert forwarding_index(subnet, all_to_all(subnet, [0, 1])) == 0.0


def test_bisections_of_one_switch_are_full() -> None:
    bandwidth = bisection_bandwidth(tree(1, 8, 1), np.arange(8))
    assert bandwidth is not None
    assert (bandwidth.mean, bandwidth.deviation, bandwidth.bisections) == (1.0, 0.0, 200)
    assert bisection_bandwidth(tree(), [0]) is None


def test_bisections_meet_on_the_only_way() -> None:
    # One of the three ways to pair four hosts stays on the leaves; in the others two messages share a link.
    subnet = tree(2, 2, 1)
    means = {
        bandwidth.mean
        for seed in range(20)
        if (bandwidth := bisection_bandwidth(subnet, np.arange(4), bisections=1, seed=seed))
    }
    assert means == {1.0, 0.5}
    many = bisection_bandwidth(subnet, np.arange(4), bisections=5000)
    assert many is not None
    assert many.mean == pytest.approx(2 / 3, abs=0.02)


def test_where_all_links_are_of_one_class_shortest_ways_give_a_bound() -> None:
    # A ring of 6 switches with a host each: 30 pairs are 1, 2, 3, 2, 1 links apart; there are 12 links.
    ring = [(each, (each + 1) % 6) for each in range(6)]

    def ways(switch: int, host: int) -> list[int]:
        if switch == host:
            return [1]
        # Ports follow the order of the cables: the first one leads on, but at the last switch.
        onward, back = (3, 2) if switch else (2, 3)
        return [onward if (host - switch) % 6 <= 3 else back]

    subnet = made(list(range(6)), ring, ways)
    source, destination = np.divmod(np.arange(36), 6)
    different = source != destination
    bounds = class_bounds(subnet, source[different], destination[different], np.ones(30))
    assert bounds[ACROSS] == 6 * (1 + 2 + 3 + 2 + 1) / 12
    loads = all_to_all(subnet, np.arange(6))
    assert loads.missing == 0
    # Opposite hosts are reached one way round alone: 6 links carry their 3 more.
    assert sorted(loads.loads[subnet.classes == ACROSS].tolist()) == [3.0] * 6 + [6.0] * 6
