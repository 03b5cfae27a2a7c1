"""What a job sends over each link, and why: jobs on fabrics whose every load is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from fabrics_made import at_random, made, tree

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.network import everyone as made_up
from rankwise.network.answer import answer
from rankwise.network.bottleneck import bottleneck
from rankwise.network.cause_loads import cause_loads
from rankwise.network.fabric.model import HOST_DOWN, HOST_UP, LEAF_UP, Fabric, Subnet
from rankwise.network.host_flows import host_flows
from rankwise.network.hot_links import hot_links
from rankwise.network.job.flows import Flows, Group
from rankwise.network.job.given_hosts import GivenHost
from rankwise.network.job.hosts import HostsByName
from rankwise.network.job.rank_ports import Places, places_on
from rankwise.network.loads import job_loads
from rankwise.network.routes.classes import between_switches
from rankwise.network.sources.open import open_fabric
from rankwise.network.switches import switch_loads
from rankwise.network.what_if import AT_RANDOM, IN_ORDER, SPLIT, alternatives, as_it_is
from rankwise.network.what_if import at_random as shuffled

FABRICS = Path(__file__).parents[1] / "fabrics"
ROW = Group("W_s1.0", "W_s1", "", "MPI_Alltoall", "in-collective")
OTHER_ROW = Group("W_s1.3", "W_s1", "", "MPI_Alltoall", "in-collective")
WORLD = Group("W", "W", "", "MPI_Isend", "point-to-point")
Sent = tuple[int, int, int, int]
"""Source, destination, bytes, and the index of its group."""


def flows(ranks: int, sent: Sequence[Sent], groups: Sequence[Group] = (WORLD,)) -> Flows:
    """Two messages for each entry."""
    table = np.array(sent, np.int64).reshape(-1, 4)
    source, destination, sizes, group = table.T
    twos = np.full(len(table), 2)
    kinds = ("point-to-point", "in-collective")
    return Flows(
        ranks=ranks,
        source=source.astype(np.int32),
        destination=destination.astype(np.int32),
        group=group.astype(np.int32),
        bytes=sizes,
        messages=twos,
        groups=tuple(groups),
        only=(),
        kinds=kinds,
        unplaced_messages=0,
        unplaced_bytes=0,
        hidden=(),
    )


def fabric(*subnets: Subnet) -> Fabric:
    return Fabric(subnets, ())


def places(on: Fabric, hosts: Sequence[int], policy: str = "split") -> Places:
    return places_on(on, [GivenHost(f"host{host:03}") for host in hosts], policy)


def everywhere(on: Fabric) -> Places:
    return places_on(on, [GivenHost(name) for name in HostsByName(on).ports])


def by_name(on: Subnet, loads: np.ndarray) -> dict[tuple[str, str], float]:
    return {
        (on.name_of(int(source)), on.name_of(int(destination))): float(load)
        for source, destination, load in zip(on.links.source, on.links.destination, loads, strict=True)
        if load
    }


def test_loads_by_cause_and_the_hot_link_with_all_that_is_on_it() -> None:
    # Leaves of 3 hosts: hosts 0, 1 and 3, 4; host 4 is behind spine 0 (4 % 2), host 3 behind spine 1.
    on = fabric(tree(2, 3, 2))
    sent = [(0, 2, 100, 0), (1, 3, 40, 1), (0, 3, 60, 2), (3, 0, 8, 2), (0, 1, 5, 0)]
    loads = job_loads(on, flows(4, sent, (ROW, OTHER_ROW, WORLD)), places(on, [0, 1, 3, 4]))
    [rail] = loads.rails
    assert [(each.communicator, each.communicators, each.bytes, each.messages) for each in loads.causes] == [
        ("W_s1", 2, 145, 6),
        ("W", 1, 68, 4),
    ]
    assert by_name(rail.subnet, rail.by_cause[1]) == {
        ("host000", "switch0"): 60.0,
        ("switch0", "switch2"): 60.0,
        ("switch2", "switch1"): 60.0,
        ("switch1", "host004"): 60.0,
        ("host004", "switch1"): 8.0,
        ("switch1", "switch2"): 8.0,
        ("switch2", "switch0"): 8.0,
        ("switch0", "host000"): 8.0,
    }
    assert rail.bytes.sum() == 4 * (100 + 40 + 60 + 8) + 2 * 5
    assert rail.messages.sum() == 2 * (4 * 4 + 2)
    assert loads.on_links == 213
    assert rail.hops == {1: 5.0, 3: 208.0}
    first, second, *_ = hot_links(loads, 0)
    assert (first.load.source, first.load.destination, first.load.bytes) == ("switch0", "switch2", 100.0)
    assert (second.load.source, second.load.destination, second.load.bytes) == ("switch0", "switch3", 100.0)
    assert [(each.cause.communicator, each.bytes) for each in first.causes] == [("W", 60.0), ("W_s1", 40.0)]
    assert [(each.source, each.destination, each.bytes) for each in first.hosts] == [
        ("host000", "host004", 60.0),
        ("host001", "host004", 40.0),
    ]
    assert [(each.source, each.destination, each.bytes) for each in first.ranks] == [
        (0, 3, 60.0),
        (1, 3, 40.0),
    ]
    assert (first.communicators, first.communicator_count, first.host_count, first.rank_count) == (
        ("W", "W_s1.3"),
        2,
        2,
        2,
    )
    assert (first.load.seconds, first.load.times_mean, first.load.excess) == pytest.approx(
        (1e-7, 300 / 208, 1.0)
    )
    assert len(hot_links(loads, 1)) == 1
    host_links = hot_links(loads, 0, with_hosts=True)
    assert (host_links[0].load.source, host_links[0].load.bytes) == ("host000", 165.0)
    # What has been looked at is not looked at again.
    again = hot_links(loads, 0, with_hosts=True, known=[first, second])
    assert again == host_links
    assert [hot for hot in again if hot is first or hot is second] == [first, second]


def test_what_each_cause_does() -> None:
    on = fabric(tree(2, 3, 2))
    sent = [(0, 2, 100, 0), (1, 3, 40, 0), (0, 1, 5, 1)]
    alltoall, isend = cause_loads(job_loads(on, flows(4, sent, (ROW, WORLD)), places(on, [0, 1, 3, 4])))
    assert alltoall.hottest is not None
    assert (alltoall.hottest.source, alltoall.hottest.destination) == ("switch0", "switch3")
    assert (alltoall.bytes, alltoall.on_links, alltoall.times_mean) == (100.0, 140.0, 100 / 70)
    assert (isend.on_links, isend.hottest, isend.times_mean) == (5.0, None, None)


def test_flows_of_hosts_and_loads_of_switches() -> None:
    on = fabric(tree(2, 3, 2))
    sent = [(0, 2, 100, 0), (1, 2, 7, 1), (2, 0, 9, 1), (1, 0, 3, 1)]  # ranks 0 and 1 are on one host
    loads = job_loads(on, flows(3, sent, (ROW, WORLD)), places(on, [0, 0, 3]))
    assert loads.within_hosts == 3
    there, back = host_flows(loads, 0)
    assert (there.source, there.destination, there.bytes, there.messages) == (
        "host000",
        "host003",
        107.0,
        4.0,
    )
    assert (there.rank_pairs, there.cause.communicator, there.switches) == (2, "W_s1.0", 3.0)
    assert there.worst is not None
    assert there.worst.bytes == 107.0
    assert back.bytes == 9.0
    assert host_flows(loads, 1) == [there]
    through = {each.name: each for each in switch_loads(loads)}
    leaf = through["switch0"]
    assert (leaf.level, leaf.links, leaf.used, leaf.bytes) == (1, 5, 2, 116.0)
    assert (leaf.from_hosts, leaf.to_hosts) == (107.0, 9.0)
    assert leaf.hottest is not None
    assert leaf.hottest.bytes == 107.0
    spine = through["switch3"]
    assert (spine.level, spine.bytes, spine.from_hosts, spine.to_hosts) == (2, 107.0, 0.0, 0.0)


def test_rails_share_and_are_summed_up_apart() -> None:
    first, second = tree(2, 3, 2), tree(2, 3, 1)
    on = fabric(first, second)
    sent = [(0, 1, 100, 0)]
    loads = job_loads(on, flows(2, sent), places(on, [0, 3]))
    assert [rail.bytes.sum() for rail in loads.rails] == [200.0, 200.0]
    assert [rail.messages.max() for rail in loads.rails] == [1.0, 1.0]
    assert loads.on_links == 100.0
    alone = job_loads(on, flows(2, sent), places(on, [0, 3], "first"))
    assert [rail.bytes.sum() for rail in alone.rails] == [400.0, 0.0]
    assert {hot.load.rail for hot in hot_links(loads, 0)} == {0, 1}
    assert [len(each) for each in (host_flows(loads, 0), host_flows(alone, 0))] == [2, 1]


def test_what_has_no_way_is_told() -> None:
    subnet = made(
        [0, 1, 1], [(0, 1)], lambda switch, host: [[1, 2][host != 0 and switch == 0] if host < 2 else 9]
    )
    on = fabric(subnet)
    loads = job_loads(on, flows(3, [(0, 1, 10, 0), (0, 2, 20, 0), (1, 2, 30, 0)]), places(on, [0, 1, 2]))
    [rail] = loads.rails
    assert (rail.undelivered.no_way, rail.undelivered.in_circles, rail.undelivered.bytes) == (2, 0, 50.0)
    assert rail.bytes.sum() == 30.0


def test_the_fabric_or_the_hosts_limit() -> None:
    # two leaves of two hosts with one cable between them and the spine: the sum of both hosts goes over it
    subnet = tree(2, 2, 1)
    on = fabric(subnet)
    loads = job_loads(on, flows(4, [(0, 2, 10**9, 0), (1, 3, 10**9, 0)]), places(on, [0, 1, 2, 3]))
    limit = bottleneck([subnet], [loads.rails[0].bytes])
    assert limit.fabric is not None
    assert limit.hosts is not None
    assert (limit.fabric.seconds, limit.hosts.seconds, limit.times) == (2.0, 1.0, 2.0)
    assert subnet.classes[limit.hosts.link] in (HOST_UP, HOST_DOWN)
    assert subnet.classes[limit.fabric.link] == LEAF_UP
    nothing = bottleneck([subnet], [np.zeros(len(subnet.links))])
    assert (nothing.fabric, nothing.hosts, nothing.times) == (None, None, None)


def test_other_orders_and_ideal_routes() -> None:
    # Ranks dealt out in turns: all messages cross. In order, none does.
    on = fabric(tree(2, 4, 4))
    at = places(on, [0, 4, 1, 5, 2, 6, 3, 7])
    neighbours = flows(8, [(rank, rank + 1, 100, 0) for rank in range(0, 8, 2)])
    orders = {each.name: each for each in alternatives(on, neighbours, at)}
    assert list(orders) == [IN_ORDER, AT_RANDOM, SPLIT]
    assert orders[IN_ORDER].bottleneck.fabric is None
    now = as_it_is(job_loads(on, neighbours, at)).bottleneck.fabric
    split = orders[SPLIT].bottleneck.fabric
    assert now is not None
    assert split is not None
    assert (now.bytes, split.bytes) == (100.0, 100.0)
    # Hosts 4 and 6 are behind the same spine: ideal routes halve what that has.
    on = fabric(tree(2, 4, 2))
    at = places(on, [0, 1, 4, 6])
    orders = {each.name: each for each in alternatives(on, flows(4, [(0, 2, 100, 0), (1, 3, 100, 0)]), at)}
    crowded = as_it_is(job_loads(on, flows(4, [(0, 2, 100, 0), (1, 3, 100, 0)]), at)).bottleneck.fabric
    assert crowded is not None
    assert crowded.bytes == 200.0
    worst = orders[SPLIT].bottleneck.fabric
    assert worst is not None
    assert worst.bytes == 100.0
    hottest = orders[SPLIT].hottest
    assert hottest is not None
    assert (hottest.bound, hottest.excess) == (100.0, 1.0)


def test_ranks_without_a_place_keep_having_none() -> None:
    on = fabric(tree(2, 3, 2))
    at = places(on, [0, 1, 3, 4])
    host = at.host.copy()
    host[2] = -1
    rail = at.rails[0]
    shares = rail.shares.copy()
    shares[2] = 0
    lacking = Places(4, host, at.hosts, (type(rail)(rail.ports, shares),), at.policy)
    for seed in range(10):
        seats = shuffled(lacking, seed)
        assert seats.host[2] == -1
        assert sorted(seats.host.tolist()) == sorted(host.tolist())


@pytest.mark.parametrize("name", ["tsubame-r1-ftree", "medium-ftree"])
def test_everyone_is_the_same_pair_by_pair_and_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    on = open_fabric([str(FABRICS / name)])
    at = everywhere(on)
    pairs = made_up.everyone(on, at, 1000)
    split = made_up.everyone_split(pairs, 1000)
    monkeypatch.setattr(made_up, "EACH_PAIR", 64)
    whole = made_up.everyone(on, at, 1000)
    assert not len(whole.flows)
    pair_by_pair, at_once = pairs.rails[0], whole.rails[0]
    np.testing.assert_allclose(pair_by_pair.bytes, at_once.bytes)
    np.testing.assert_allclose(pair_by_pair.messages, at_once.messages)
    assert pair_by_pair.hops == pytest.approx(at_once.hops)
    assert pair_by_pair.undelivered == at_once.undelivered
    assert pair_by_pair.classes == at_once.classes
    assert whole.causes == pairs.causes
    assert made_up.everyone_split(whole, 1000).bottleneck.times == pytest.approx(split.bottleneck.times)
    assert [hot.load for hot in hot_links(whole, 5)] == [hot.load for hot in hot_links(pairs, 5)]
    assert answer(whole, [], 3).hot[0].host_count == 0


def test_many_ranks_must_be_one_on_each_host(monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    monkeypatch.setattr(made_up, "EACH_PAIR", 2)
    on = fabric(tree())
    with pytest.raises(RankwiseError) as error:
        made_up.everyone(on, places(on, [0, 0, 1]), 1)
    golden.says(error.value)


def test_all_to_all_of_the_recorded_tree_is_known() -> None:
    # 128 hosts on 7.1 leaves of 18 hosts with 18 ports up, every one of them for one host of each leaf.
    on = open_fabric([str(FABRICS / "medium-ftree")])
    subnet = on.subnets[0]
    loads = made_up.everyone(on, places_on(on, [GivenHost(f"node{n + 1:04}") for n in range(128)]), 1).rails[
        0
    ]
    classes = subnet.classes
    assert set(loads.bytes[(classes == HOST_UP) | (classes == HOST_DOWN)].tolist()) == {0.0, 127.0}
    assert set(loads.bytes[between_switches(subnet)].tolist()) == {0.0, 14.0, 108.0, 110.0, 126.0}


def test_all_to_all_of_512_hosts_has_a_hot_class() -> None:
    on = open_fabric([str(FABRICS / "tsubame-r1-ftree")])
    loads = made_up.everyone(on, everywhere(on), 1 << 20)
    classes = {each.name: each for each in loads.rails[0].classes}
    mib = 1 << 20
    assert (classes["leaf up"].max, round(classes["leaf up"].mean / mib)) == (1296 * mib, 441)
    assert (classes["leaf down"].max, classes["core up"].max, classes["core down"].max) == (
        880 * mib,
        320 * mib,
        352 * mib,
    )
    assert classes["leaf up"].bound == 16 * 496 * mib / 18
    assert classes["core up"].bound == 0.0
    assert classes["host up"].max == 511 * mib
    top = answer(loads, [], 1)
    assert top.quality[0].forwarding_index == 1296.0
    assert top.quality[0].bisection is not None
    assert top.quality[0].bisection.mean == pytest.approx(0.592, abs=0.005)


@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_lost_or_made(seed: int) -> None:
    on = fabric(at_random(seed))
    random = np.random.default_rng(seed)
    hosts = len(on.subnets[0].ports.hosts)
    seats = random.integers(0, hosts, 12)
    ends = random.integers(0, 12, (80, 2))
    sent = [(int(a), int(b), int(random.integers(1, 99)), int(random.integers(2))) for a, b in ends if a != b]
    job = flows(12, sent, (ROW, WORLD))
    loads = job_loads(on, job, places(on, seats.tolist()))
    [rail] = loads.rails
    np.testing.assert_allclose(rail.by_cause.sum(axis=0), rail.bytes)
    assert loads.on_links + loads.within_hosts == job.bytes.sum()
    assert rail.bytes.sum() == pytest.approx(sum((n + 1) * size for n, size in rail.hops.items()))
    assert sum(each.bytes for each in host_flows(loads, 0)) == loads.on_links
