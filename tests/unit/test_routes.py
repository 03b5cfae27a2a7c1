"""Messages on their ways through forwarding tables: what they load, how far they go, who takes a link."""

from __future__ import annotations

import numpy as np
import pytest
from fabrics_made import at_random, made, route, tree
from numpy.typing import NDArray

from rankwise.network.fabric.model import HOST_DOWN, HOST_UP, LEAF_DOWN, LEAF_UP, Subnet
from rankwise.network.routes.all_to_all import all_to_all
from rankwise.network.routes.destinations import ARRIVES, IN_CIRCLES, NO_WAY
from rankwise.network.routes.ideal import EvenSplit
from rankwise.network.routes.steps import distinct
from rankwise.network.routes.walk import crossings, hops, link_loads, routed


def pairs_of(subnet: Subnet) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of host ports, those with themselves included."""
    ports = len(subnet.ports.hosts)
    source, destination = np.divmod(np.arange(ports * ports), ports)
    return source, destination


def one_by_one(
    subnet: Subnet, source: NDArray[np.int64], destination: NDArray[np.int64], offsets: list[int]
) -> list[dict[int, float] | None]:
    """The share of each pair's messages on each link, found message by message."""
    by_pair: list[dict[int, float] | None] = []
    for sender, other in zip(source.tolist(), destination.tolist(), strict=True):
        total: dict[int, float] | None = {}
        for offset in offsets if sender != other else []:
            shares = route(subnet, sender, other, offset)
            if shares is None:
                total = None
                break
            assert total is not None
            for link, share in shares.items():
                total[link] = total.get(link, 0.0) + share / len(offsets)
        by_pair.append(total)
    return by_pair


RANDOM = [
    pytest.param(seed, split, lmc, broken, id=f"{seed}-{split=}-{lmc=}-{broken=}")
    for seed, (split, lmc, broken) in enumerate(
        [(split, lmc, broken) for split in (False, True) for lmc in (0, 1) for broken in (False, True)] * 4
    )
]


@pytest.mark.parametrize(("seed", "split", "lmc", "broken"), RANDOM)
def test_random_messages_load_what_single_ones_do(seed: int, split: bool, lmc: int, broken: bool) -> None:
    subnet = at_random(seed, split=split, lmc=lmc, broken=broken)
    random = np.random.default_rng(seed)
    ports = len(subnet.ports.hosts)
    source, destination = random.integers(0, ports, (2, 60))
    weight = random.integers(0, 1000, 60)
    group = random.integers(0, 3, 60)
    for offset, offsets in ((0, [0]), (lmc, [lmc]), (None, list(range(1 << lmc)))):
        known = one_by_one(subnet, source, destination, offsets)
        expected = np.zeros((3, len(subnet.links)))
        for shares, amount, of in zip(known, weight.tolist(), group.tolist(), strict=True):
            for link, share in (shares or {}).items():
                expected[of, link] += amount * share
        kinds = np.stack([weight, np.ones(60)])
        routing = routed(subnet, source, destination, kinds, group=group, groups=3, lid_offset=offset)
        assert routing.loads.shape == (2, 3, len(subnet.links))
        np.testing.assert_allclose(routing.loads[0], expected)
        assert [fate == ARRIVES for fate in routing.fate.tolist()] == [each is not None for each in known]
        loads = link_loads(subnet, source, destination, weight, lid_offset=offset)
        np.testing.assert_allclose(loads, expected.sum(axis=0))
        length = hops(subnet, source, destination, lid_offset=offset)
        by_hand = [np.nan if each is None else max(sum(each.values()) - 1, 0.0) for each in known]
        np.testing.assert_allclose(length, by_hand)
        pair, link, share = crossings(
            subnet, source, destination, np.arange(len(subnet.links)), lid_offset=offset
        )
        crossed: list[dict[int, float]] = [{} for _ in known]
        for place, over, part in zip(pair.tolist(), link.tolist(), share.tolist(), strict=True):
            crossed[place][over] = part
        for shares, got in zip(known, crossed, strict=True):
            assert got == pytest.approx(shares or {})


@pytest.mark.parametrize(("seed", "split", "lmc", "broken"), RANDOM)
def test_all_to_all_is_all_pairs(seed: int, split: bool, lmc: int, broken: bool) -> None:
    subnet = at_random(seed, split=split, lmc=lmc, broken=broken)
    source, destination = pairs_of(subnet)
    for offset in (0, None):
        expected = routed(subnet, source, destination, np.ones(len(source)), lid_offset=offset)
        exchange = all_to_all(subnet, np.arange(len(subnet.ports.hosts)), lid_offset=offset)
        np.testing.assert_allclose(exchange.loads, expected.loads, atol=1e-9)
        assert exchange.missing == (expected.fate != ARRIVES).sum()


@pytest.mark.parametrize("split", [False, True])
def test_nothing_is_lost_or_made_on_the_way(split: bool) -> None:
    subnet = tree(6, 4, 3, split=split)
    source, destination = pairs_of(subnet)
    weight = np.random.default_rng(7).integers(1, 1 << 30, len(source)).astype(float)
    loads = link_loads(subnet, source, destination, weight)
    switches = len(subnet.switches.names)
    different = source != destination
    into = np.bincount(subnet.links.destination, loads)
    out = np.bincount(subnet.links.source, loads)
    np.testing.assert_allclose(into[:switches], out[:switches])
    sent = np.bincount(source[different], weight[different])
    got = np.bincount(destination[different], weight[different])
    np.testing.assert_allclose(out[switches:], sent)
    np.testing.assert_allclose(into[switches:], got)
    passed = hops(subnet, source, destination)
    assert loads.sum() == pytest.approx((weight * (passed + 1))[different].sum())


def test_all_to_all_on_a_tree_is_what_the_rule_says() -> None:
    # 4 leaves with 4 hosts and 4 spines: by d-mod-k every link takes the messages for 1 of 4 hosts of a leaf.
    subnet = tree(4, 4, 4)
    loads = all_to_all(subnet, np.arange(16)).loads
    of_class = {each: set(loads[subnet.classes == each].tolist()) for each in range(4)}
    assert of_class == {HOST_UP: {15.0}, HOST_DOWN: {15.0}, LEAF_UP: {4 * 3.0}, LEAF_DOWN: {12.0}}


def test_an_even_split_divides_at_every_switch() -> None:
    # 0 -> {1, 2}; 1 -> 3 directly; 2 -> 3 over two cables: shares 1/2, and 1/4 on each of the two.
    hosts = [0, 3]
    cables = [(0, 1), (0, 2), (1, 3), (2, 3), (2, 3)]
    ways = {(0, 1): [2, 3], (1, 1): [2], (2, 1): [2, 3], (3, 1): [1], (0, 0): [1], (3, 0): [2], (1, 0): [1]}
    subnet = made(hosts, cables, lambda switch, host: ways.get((switch, host), [1]))
    loads = link_loads(subnet, [0], [1], [8.0])
    by_cable = {
        (subnet.name_of(int(source)), subnet.name_of(int(destination)), int(port)): load
        for source, destination, port, load in zip(
            subnet.links.source, subnet.links.destination, subnet.links.source_port, loads, strict=True
        )
        if load
    }
    assert by_cable == {
        ("host000", "switch0", 1): 8.0,
        ("switch0", "switch1", 2): 4.0,
        ("switch0", "switch2", 3): 4.0,
        ("switch1", "switch3", 2): 4.0,
        ("switch2", "switch3", 2): 2.0,
        ("switch2", "switch3", 3): 2.0,
        ("switch3", "host001", 1): 8.0,
    }
    assert hops(subnet, [0], [1]).tolist() == [3.0]


def test_messages_in_circles_and_without_a_way_are_told_and_load_nothing() -> None:
    # host 1: from switch 0 round and round between 1 and 2; host 2: no way from switch 1 on
    ways = {(0, 1): 2, (1, 1): 2, (2, 1): 1, (0, 2): 2, (1, 2): 0xFFFF}
    subnet = made([0, 3, 3], [(0, 1), (1, 2), (2, 3)], lambda switch, host: [ways.get((switch, host), 1)])
    routing = routed(subnet, [0, 0, 0], [1, 2, 0], [1.0, 1.0, 1.0])
    assert routing.fate.tolist() == [IN_CIRCLES, NO_WAY, ARRIVES]
    assert not routing.loads.any()
    assert crossings(subnet, [0, 0], [1, 2], np.arange(len(subnet.links)))[0].tolist() == []


def test_long_ways_are_no_circles() -> None:
    # 150 switches in a row: messages pass all of them, on the way back, too.
    count = 150
    cables = [(each, each + 1) for each in range(count - 1)]

    def ways(switch: int, host: int) -> list[int]:
        here = {0: 0, count - 1: 1}
        if here.get(switch) == host:
            return [1]
        first = 2 if switch in here else 1
        return [first if host == 0 or switch == 0 else first + 1]

    subnet = made([0, count - 1], cables, ways)
    routing = routed(subnet, [0, 1], [1, 0], [5.0, 7.0])
    assert routing.fate.tolist() == [ARRIVES, ARRIVES]
    assert sorted(routing.loads.tolist()) == [5.0] * (count + 1) + [7.0] * (count + 1)
    assert hops(subnet, [0, 1], [1, 0]).tolist() == [count, count]
    assert len(crossings(subnet, [0], [1], np.arange(len(subnet.links)))[0]) == count + 1


def test_lids_of_a_port_take_ways_of_their_own() -> None:
    subnet = tree(2, 2, 2, lmc=1)
    up = [link for link in np.flatnonzero(subnet.classes == LEAF_UP) if subnet.links.source[link] == 0]
    first, second, both = (
        link_loads(subnet, [0], [2], [8.0], lid_offset=offset)[up].tolist() for offset in (0, 1, None)
    )
    assert [first, second, both] == [[8.0, 0.0], [0.0, 8.0], [4.0, 4.0]]


def test_no_messages_load_nothing() -> None:
    subnet = tree()
    none = np.empty(0)
    assert not link_loads(subnet, none, none, none).any()
    assert not all_to_all(subnet, [3]).loads.any()
    assert hops(subnet, none, none).tolist() == []
    assert crossings(subnet, none, none, [0])[0].tolist() == []


@pytest.mark.parametrize("seed", range(30))
def test_an_even_split_is_that_over_all_shortest_ways(seed: int) -> None:
    subnet = at_random(seed, split=True)  # its tables take all shortest ways
    source, destination = np.random.default_rng(seed).integers(0, len(subnet.ports.hosts), (2, 60))
    weight = np.arange(60.0)
    expected = link_loads(subnet, source, destination, weight)
    other = at_random(seed)  # the same cables, and one way alone
    np.testing.assert_allclose(EvenSplit(other).loads(source, destination, weight), expected)


@pytest.mark.parametrize("size", [1, 7, 300, 100_000])
def test_different_values_are_those_of_numpy(size: int) -> None:
    for count in (0, 1, 200):
        values = np.random.default_rng(size).integers(0, size, count)
        for ours, known in zip(distinct(values, size), np.unique(values, return_inverse=True), strict=True):
            assert ours.tolist() == known.tolist()
