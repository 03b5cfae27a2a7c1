"""Levels and classes of switches where hosts are not only on leaves, and bounds that hold in any graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from fabrics_made import at_random, made, tree

from rankwise.network.fabric.model import (
    ACROSS,
    CLASSES,
    GLOBAL,
    HOST_DOWN,
    HOST_UP,
    LEAF_DOWN,
    LEAF_UP,
    LOCAL,
    Subnet,
)
from rankwise.network.routes.classes import ANY, between_switches, class_bounds
from rankwise.network.routes.destinations import ARRIVES
from rankwise.network.routes.ideal import EvenSplit
from rankwise.network.routes.walk import routed
from rankwise.network.sources.generators.dragonfly import dragonfly
from rankwise.network.sources.generators.torus import torus
from rankwise.render.network.layout import layout


def nowhere(_switch: int, _host: int) -> list[int]:
    """Tables that only matter where messages are sent through them."""
    return [1]


def with_servers(servers: Sequence[int], leaves: int = 4, hosts: int = 6, spines: int = 3) -> Subnet:
    """Two levels with a cable from each leaf to each spine, and so many hosts on each spine."""
    at = [leaf for leaf in range(leaves) for _ in range(hosts)]
    at += [leaves + spine for spine, count in enumerate(servers) for _ in range(count)]
    cables = [(leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines)]
    return made(at, cables, nowhere)


@pytest.mark.parametrize("servers", [(1, 0, 0), (3, 0, 0), (6, 0, 0), (9, 9, 0), (1, 1, 1), (3, 2, 1)])
def test_servers_on_spines_leave_the_classes_of_leaves_as_they_are(servers: tuple[int, ...]) -> None:
    subnet = with_servers(servers)
    assert subnet.switches.levels.tolist() == [1] * 4 + [2] * 3
    counts = np.bincount(subnet.classes, minlength=len(CLASSES))
    hosts = 24 + sum(servers)
    assert counts[[HOST_UP, HOST_DOWN]].tolist() == [hosts, hosts]
    assert counts[[LEAF_UP, LEAF_DOWN, ACROSS]].tolist() == [12, 12, 0]


@pytest.mark.parametrize("servers", [(1, 0, 0), (6, 0, 0), (1, 1, 1)])
def test_the_bound_of_a_leaf_is_its_traffic_over_all_its_uplinks(servers: tuple[int, ...]) -> None:
    """Each of 24 hosts sends 1 to each other host, and to each server."""
    subnet = with_servers(servers)
    hosts, everyone = 24, 24 + sum(servers)
    source, destination = np.divmod(np.arange(hosts * everyone), everyone)
    different = source != destination
    bounds = class_bounds(subnet, source[different], destination[different], np.ones(different.sum()))
    assert bounds[LEAF_UP] == 6 * (everyone - 6) / 3  # 6 hosts of a leaf, all but these, 3 uplinks
    # Into a leaf come the messages of other leaves; servers send nothing.
    assert bounds[LEAF_DOWN] == 6 * 18 / 3
    from_server = class_bounds(subnet, [hosts], [0], [1.0])
    assert from_server[LEAF_DOWN] == 1 / 3  # into the leaf over 3 links
    assert (
        class_bounds(subnet, [hosts, hosts], [0, 6], [8.0, 8.0])[LEAF_DOWN] == 4.0
    )  # out of the spine: 4 links


def test_a_leaf_with_few_hosts_is_a_leaf() -> None:
    at = [0] * 6 + [1] * 6 + [2] + [3]  # a server on the first spine, switch 3
    subnet = made(at, [(leaf, spine) for leaf in range(3) for spine in (3, 4)], nowhere)
    assert subnet.switches.levels.tolist() == [1, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("subnet", "classes"),
    [
        (torus("torus:3x4"), {ACROSS}),
        (torus("torus:4x4,hosts=2"), {ACROSS}),
        (dragonfly("dragonfly:a=4,p=2,h=2"), {LOCAL, GLOBAL}),
    ],
)
def test_regular_networks_have_one_level(subnet: Subnet, classes: set[int]) -> None:
    assert set(subnet.switches.levels.tolist()) == {1}
    assert set(subnet.classes[between_switches(subnet)].tolist()) == classes


def test_a_torus_with_few_hosts_on_some_routers_has_one_level() -> None:
    ring = [(each, (each + 1) % 6) for each in range(6)]
    subnet = made([0] * 4 + [1] + [2] * 4 + [3] * 4 + [4] + [5] * 4, ring, nowhere)
    assert set(subnet.switches.levels.tolist()) == {1}


def test_leaves_that_are_linked_have_a_bound_over_all_their_links() -> None:
    """A cable from leaf to leaf: links of two classes share the traffic of these leaves."""
    cables = [(leaf, spine) for leaf in range(4) for spine in (4, 5)]
    subnet = made([0, 0, 1, 1, 2, 2, 3, 3], [*cables, (0, 1)], nowhere)
    assert (subnet.classes == ACROSS).sum() == 2
    bounds = class_bounds(subnet, [0, 1], [4, 6], [9.0, 6.0])
    assert bounds[ANY] == max((9 + 6) / 3, bounds[LEAF_UP], bounds[LEAF_DOWN])
    assert bounds[LEAF_DOWN] == 9 / 2


@pytest.mark.parametrize("seed", range(60))
def test_in_any_graph_there_is_a_bound_and_no_routing_is_below_it(seed: int) -> None:
    subnet = at_random(seed, split=seed % 2 == 0)
    random = np.random.default_rng(seed)
    source, destination = random.integers(0, len(subnet.ports.hosts), (2, 50))
    first = subnet.links.destination[subnet.up]
    weight = random.integers(1, 1000, 50).astype(float)
    different = source != destination
    bounds = class_bounds(subnet, source[different], destination[different], weight[different])
    assert (bounds[ANY] > 0) == (first[source] != first[destination]).any()
    between = between_switches(subnet)
    routes = routed(subnet, source, destination, weight)
    assert (routes.fate == ARRIVES).all()
    for loads in (routes.loads, EvenSplit(subnet).loads(source, destination, weight)):
        assert bounds[ANY] <= loads[between].max(initial=0.0) * (1 + 1e-12)
        for link_class in np.unique(subnet.classes).tolist():
            assert bounds[link_class] <= loads[subnet.classes == link_class].max() * (1 + 1e-12)


def test_the_tree_itself_has_the_bounds_of_its_cuts() -> None:
    subnet = tree(4, 4, 2)
    source, destination = np.divmod(np.arange(256), 16)
    different = source != destination
    bounds = class_bounds(subnet, source[different], destination[different], np.ones(different.sum()))
    assert bounds[LEAF_UP] == bounds[LEAF_DOWN] == bounds[ANY] == 4 * 12 / 2


def test_servers_on_spines_are_drawn() -> None:
    subnet = with_servers((2, 0, 0))
    where = layout(subnet, np.ones(7, bool), np.ones(26, bool))
    assert np.isfinite(where.switches).all()
    assert np.isfinite(where.ports).all()
    assert len(set(where.ports.tolist())) == 26
