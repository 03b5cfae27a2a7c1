"""A machine of a fabric: its tables lead messages over the links that the fabric's do."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fabrics_made import at_random, made, route, tree
from numpy.typing import NDArray
from recorded_fabrics import opened

from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.messages.traffic import Traffic
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import EVEN_SPLIT, Fabric, Routing, Source, Subnet
from rankwise.network.job.flows import Flows
from rankwise.network.job.given_hosts import GivenHost
from rankwise.network.job.journeys import journeys
from rankwise.network.job.rank_ports import places_on
from rankwise.network.machine import route_tables
from rankwise.network.machine.machine import machine_from_fabric
from rankwise.network.routes.walk import link_loads
from rankwise.network.sources.generators.generate import generated
from rankwise.placement.engine import weigh
from rankwise.placement.prices import prices
from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.network import Dragonfly, Routes, Torus
from rankwise.topology.machine.read import machine_of, read_machine
from rankwise.topology.machine.write import text_of

Loads = dict[tuple[str, str], float]


def fabric(*subnets: Subnet) -> Fabric:
    named = [replace(subnet, name=f"rail {place}") for place, subnet in enumerate(subnets, 1)]
    return Fabric(subnets if len(subnets) == 1 else tuple(named), (Source("opensm", "x"),) * len(subnets))


def routes(machine: Machine) -> Routes:
    assert isinstance(machine.network, Routes)
    return machine.network


def random_traffic(seed: int, ranks: int) -> Traffic:
    random = np.random.default_rng(seed)
    source, destination = random.integers(0, ranks, (2, 3 * ranks))
    return Traffic(ranks, source, destination, random.integers(1, 1000, len(source)).astype(float))


def by_fabric(subnets: Sequence[Subnet], traffic: Traffic) -> Loads:
    """Loads from the fabric's own tables, route by route; parallel cables together. Rank r is at host r.

    Each port of a sender sends to each port of the receiver in the same subnet.
    """
    loads: Loads = {}
    hosts = sorted({host for subnet in subnets for host in subnet.ports.hosts})
    all_ports = [
        [[p for p, name in enumerate(subnet.ports.hosts) if name == host] for host in hosts]
        for subnet in subnets
    ]
    columns = (np.asarray(c).tolist() for c in (traffic.source, traffic.destination, traffic.bytes))
    for sender, receiver, size in zip(*columns, strict=True):
        if sender == receiver:
            continue
        sending = sum(len(ports[sender]) for ports in all_ports if ports[receiver])
        for subnet, ports in zip(subnets, all_ports, strict=True):
            for source, destination in itertools.product(ports[sender], ports[receiver]):
                way = route(subnet, source, destination)
                assert way is not None
                for link, share in way.items():
                    ends = subnet.links.source[link], subnet.links.destination[link]
                    key = subnet.name_of(ends[0]), subnet.name_of(ends[1])
                    part = size * share / (sending * len(ports[receiver]))
                    loads[key] = loads.get(key, 0.0) + part
    return loads


def by_links(given: Fabric, traffic: Traffic, rail: str, lid_offset: int | None) -> list[float]:
    """Loads of the cables as `rankwise links` counts them, in each direction."""
    hosts = sorted({host for subnet in given.subnets for host in subnet.ports.hosts})
    places = places_on(given, [GivenHost(host) for host in hosts], rail)
    senders, receivers = np.asarray(traffic.source, np.int32), np.asarray(traffic.destination, np.int32)
    size = np.asarray(traffic.bytes, np.int64)
    flows = Flows(
        ranks=traffic.ranks,
        source=senders,
        destination=receivers,
        group=senders * 0,
        bytes=size,
        messages=size,
        groups=(),
        only=(),
        kinds=(),
        unplaced_messages=0,
        unplaced_bytes=0,
        hidden=(),
    )
    loads = []
    for subnet, rail_journeys in zip(given.subnets, journeys(flows, places).rails, strict=True):
        weight = size[rail_journeys.flow] * rail_journeys.share
        source, destination = rail_journeys.source, rail_journeys.destination
        loads += link_loads(subnet, source, destination, weight, lid_offset=lid_offset).tolist()
    return sorted(load for load in loads if load > 0)


def by_machine(network: Routes, traffic: Traffic) -> tuple[Loads, NDArray[np.float64]]:
    """Loads from the machine's tables: parallel links together, and of each link and direction."""
    each = np.zeros((len(network.links), 2))
    columns = (np.asarray(c).tolist() for c in (traffic.source, traffic.destination, traffic.bytes))
    for sender, receiver, size in zip(*columns, strict=True):
        for table, share in zip(network.next, network.shares, strict=True):
            at = network.at[sender]
            while at != network.at[receiver]:
                link = table[at][receiver]
                forward = network.links[link][0] == at
                each[link, 0 if forward else 1] += size * share
                at = network.links[link][1 if forward else 0]
    loads: Loads = {}
    for link, (first, second) in enumerate(network.links):
        for way, (begin, end) in enumerate(((first, second), (second, first))):
            if each[link, way]:
                key = network.routers[begin], network.routers[end]
                loads[key] = loads.get(key, 0.0) + each[link, way]
    return loads, each


def most_loaded(machine: Machine, traffic: Traffic) -> float:
    places = prices(machine, "bottleneck", machine.slots.numbers).slots(machine)
    _, link = weigh(traffic, places, np.arange(traffic.ranks))
    assert link is not None
    return link.load


def two_ports_of_some() -> Subnet:
    """Hosts of a tree; the first two ports are of one host, and so are two others."""
    subnet = tree(split=True)
    names = [{"host001": "host000", "host011": "host007"}.get(name, name) for name in subnet.ports.hosts]
    return replace(subnet, ports=replace(subnet.ports, hosts=tuple(names)))


def two_ports_and_one() -> tuple[Subnet, Subnet]:
    """Rails where each host has two ports and one."""
    two = opened("dual-ftree").subnets[0]
    names = ",".join(sorted(set(two.ports.hosts)))
    return two, generated(f"torus:16,names={names}")


TWO_AND_ONE = "two ports here, one there"
MADE: dict[str, Callable[[], tuple[Subnet, ...]]] = {
    "a fat tree": lambda: (generated("fattree:leaf=3x4,spine=2"),),
    "three levels": lambda: (generated("fattree:k=4"),),
    "a dragonfly": lambda: (generated("dragonfly:a=3,p=1,h=2,g=3"),),
    "a mesh": lambda: (generated("torus:3x4,mesh"),),
    "two LIDs": lambda: (tree(lmc=1),),
    "an even split": lambda: (tree(split=True),),
    "an even split, parallel cables": lambda: (generated("fattree:leaf=3x4,spine=2,routing=even"),),
    "two rails": lambda: (generated("fattree:leaf=3x4,spine=2"), generated("torus:12,names=node[0001-0012]")),
    "two ports in one subnet": lambda: opened("dual-ftree").subnets,
    "two LIDs, recorded": lambda: opened("small-ftree-lmc1").subnets,
    "at random": lambda: (at_random(4),),
    "an even split of three levels": lambda: (generated("fattree:k=4,routing=even"),),
    "an even split of unequal levels": lambda: (generated("fattree:down=2x2x2,up=3x2,routing=even"),),
    "an even split of a dragonfly": lambda: (generated("dragonfly:a=4,p=2,h=2,routing=even"),),
    "an even split of many ways": lambda: (generated("fattree:leaf=4x18,spine=9,routing=even"),),
    "hosts with one port or two": lambda: (two_ports_of_some(),),
    TWO_AND_ONE: lambda: two_ports_and_one(),
}


@pytest.mark.parametrize("name", MADE)
def test_the_links_have_the_loads_that_the_fabric_gives_them(name: str) -> None:
    """Three ways to count: the fabric's tables, the machine's tables, and the placement engine."""
    subnets = MADE[name]()
    machine = machine_from_fabric(fabric(*subnets), as_tables=True)
    assert list(machine.hosts()) == sorted(set(subnets[0].ports.hosts))
    assert "not all ways" not in machine.sources[0].what
    without_rates = replace(routes(machine), mb_s=())
    for seed in range(3):
        traffic = random_traffic(seed, len(machine.hosts()))
        expected = by_fabric(subnets, traffic)
        loads, each = by_machine(routes(machine), traffic)
        assert loads == pytest.approx(expected)
        assert most_loaded(replace(machine, network=without_rates), traffic) == pytest.approx(each.max())


@pytest.mark.parametrize("rail", ["split", "first"])
@pytest.mark.parametrize("lid", [0, 1, None])
@pytest.mark.parametrize("name", ["two LIDs, recorded", "two ports in one subnet", TWO_AND_ONE])
def test_the_links_have_the_loads_that_links_shows(name: str, rail: str, lid: int | None) -> None:
    given = fabric(*MADE[name]())
    machine = machine_from_fabric(given, rail=rail, lid_offset=lid)
    traffic = random_traffic(1, len(machine.hosts()))
    _, each = by_machine(routes(machine), traffic)
    assert sorted(each[each > 0].tolist()) == pytest.approx(by_links(given, traffic, rail, lid))


def test_a_machine_of_a_fabric_is_read_as_it_was_written() -> None:
    for name in ("two rails", "two LIDs"):
        machine = machine_from_fabric(fabric(*MADE[name]()), slots=2)
        assert machine_of(text_of(machine)) == machine


def test_only_what_the_nodes_use_is_in_it() -> None:
    subnet = generated("fattree:leaf=4x4,spine=4,gbit=100")
    hosts = ["node0006", "node0005", "node0007"]
    network = routes(machine_from_fabric(fabric(subnet), hosts=hosts))
    assert network.routers == ("leaf02", *hosts)
    assert network.links == ((0, 2), (0, 1), (0, 3))
    assert network.mb_s == (12500.0,) * 3
    assert network.next == (((1, 0, 2), (-1, 1, 1), (0, -1, 0), (2, 2, -1)),)


def test_all_to_all_of_512_hosts_is_at_its_worst_on_a_recorded_fabric() -> None:
    """1,296 messages are on one link, as `ibdiagnet`'s own tables say; 1 byte takes 0.001 us on 4x SDR."""
    machine = machine_from_fabric(opened("tsubame-r1-ftree", "opensm-subnet.lst", "opensm.fdbs"))
    assert len(machine.hosts()) == 512
    senders, receivers = np.nonzero(~np.eye(512, dtype=bool))
    assert most_loaded(machine, Traffic(512, senders, receivers, np.ones(len(senders)))) == pytest.approx(
        1.296
    )


def test_recorded_ftree_loads_as_d_mod_k() -> None:
    """OpenSM's ftree routing of two levels is d-mod-k but for the order of ports."""
    for folder, words, hosts in (
        ("small-ftree", "fattree:leaf=4x4,spine=2", 16),
        ("medium-ftree", "fattree:leaf=18x18,spine=9", 324),
    ):
        recorded = opened(folder, "opensm-subnet.lst", "opensm.fdbs")
        modelled = fabric(generated(words))
        order = np.random.default_rng(1).permutation(hosts)
        for shift in (1, 7, hosts // 2 + 1):
            senders, receivers = np.arange(hosts), (np.arange(hosts) + shift) % hosts
            for a, b in ((senders, receivers), (order[senders], order[receivers])):
                traffic = Traffic(hosts, a, b, np.ones(hosts))
                loads = [
                    np.sort(by_machine(routes(machine_from_fabric(given)), traffic)[1], axis=None)
                    for given in (recorded, modelled)
                ]
                np.testing.assert_array_equal(loads[0][loads[0] > 0], loads[1][loads[1] > 0])


def test_generated_tori_and_dragonflies_keep_their_rule(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    words = "torus:2x3,hosts=2,mesh,names=n[01-12]"
    assert main(["machine", "from-fabric", words, "--node", "n12,n[01-02]", "-o", str(path)]) == 0
    machine = read_machine(path)
    assert machine.network == Torus((2, 3), (False, False), ((1, 2), (0, 0), (0, 0)))
    assert machine.hosts() == ("n12", "n01", "n02")
    assert main(["machine", "from-fabric", "dragonfly:a=2,p=2,h=1", "-o", str(path), "--force"]) == 0
    network = read_machine(path).network
    assert isinstance(network, Dragonfly)
    assert (network.groups, network.routers, network.nodes) == (3, 2, 2)
    assert network.coordinates[:5] == ((0, 0), (0, 0), (0, 1), (0, 1), (1, 0))
    assert main(["machine", "from-fabric", "torus:2x3", "--tables", "-o", str(path), "--force"]) == 0
    assert isinstance(read_machine(path).network, Routes)
    several = machine_from_fabric(
        Fabric((generated("dragonfly:a=2,p=2,h=2,g=2"),), (Source("generator", "dragonfly:a=2,p=2,h=2,g=2"),))
    )
    assert isinstance(several.network, Routes)


@pytest.mark.parametrize(
    "kind", ["torus:4x5", "torus:4x4,mesh,hosts=2", "dragonfly:a=3,p=2,h=1", "torus:2x2x2"]
)
def test_a_rule_and_its_tables_load_links_alike(kind: str) -> None:
    """But for the hosts' own links, which only tables have: so nothing is sent within hosts' reach alone."""
    given = Fabric((generated(kind),), (Source("generator", kind),))
    rule, tables = machine_from_fabric(given), machine_from_fabric(given, as_tables=True)
    for seed in range(5):
        traffic = random_traffic(seed, len(rule.hosts()))
        network = routes(tables)
        _, each = by_machine(network, traffic)
        first_host = len(network.routers) - len(network.at)
        between = [max(link) < first_host for link in network.links]
        assert most_loaded(rule, traffic) == pytest.approx(each[between].max())


def test_a_lid_that_no_port_has(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    words = ["machine", "from-fabric", "torus:2x3", "-o", str(tmp_path / "m.json")]
    assert main([*words, "--lid", "1"]) == 2
    golden.says(capsys.readouterr().err, "--lid 1 .. LID 1")
    assert main([*words, "--lid", "0"]) == 0


def test_one_rail_alone(golden: Golden) -> None:
    given = fabric(*MADE["two rails"]())
    both, single = routes(machine_from_fabric(given)), routes(machine_from_fabric(given, rail="rail 2"))
    assert both.shares == (0.5, 0.5)
    assert single.shares == (1.0,)
    assert len(single.routers) == 12 + 12
    with pytest.raises(RankwiseError) as error:
        machine_from_fabric(given, rail="rail 3")
    golden.says(error.value, "'rail 3' .. 1 .. 2")
    with pytest.raises(RankwiseError) as error:
        machine_from_fabric(fabric(generated("torus:4")), rail="a")
    golden.says(error.value, "'a'")
    with pytest.raises(RankwiseError) as error:
        machine_from_fabric(given, rail="by-local-rank")
    golden.says(error.value, "--rail")


def test_rails_have_the_share_of_their_ports() -> None:
    network = routes(machine_from_fabric(fabric(*two_ports_and_one())))
    assert network.shares == pytest.approx((1 / 6,) * 4 + (1 / 3,))


def test_all_hosts_of_a_rail_are_taken_if_none_are_named() -> None:
    given = fabric(generated("torus:4"), generated("torus:3"))
    assert machine_from_fabric(given, rail="rail 2").hosts() == ("node0001", "node0002", "node0003")


def test_an_even_split_of_too_many_ways_is_told(golden: Golden) -> None:
    """Six ways, and six more behind each: 30 of 36 tables, where each switch still takes its ways alike."""
    given = fabric(generated("fattree:k=12,pods=2,routing=even"))
    hosts = [f"node{number:04}" for number in (1, 2, 7, 37, 38, 43, 44)]
    warnings: list[str] = []
    machine = machine_from_fabric(given, hosts=hosts, warn=warnings.append)
    [warning] = warnings
    golden.says(warning, "30 .. `rankwise links` .. --node")
    golden.says(machine.sources[0].what, "30")
    traffic = Traffic(7, np.array([0, 1, 2]), np.array([3, 4, 5]), np.array([60.0, 60.0, 60.0]))
    loads, _ = by_machine(routes(machine), traffic)
    ups = [load for (router, _), load in loads.items() if router.startswith("leaf")]
    assert ups[:6] == pytest.approx([20.0] * 6)  # two hosts of the first leaf, six ways up
    warnings.clear()
    machine_from_fabric(given, hosts=hosts[:3], warn=warnings.append)
    assert warnings == []


def test_switches_get_names_of_their_own() -> None:
    subnet = generated("fattree:leaf=2x2,spine=1")
    names = replace(subnet.switches, names=("MF0 switch", "MF0 switch", "node0001"))
    network = routes(machine_from_fabric(fabric(replace(subnet, switches=names))))
    assert network.routers[:3] == ("MF0_switch", "MF0_switch@2", "node0001@3")


def test_says_in_one_line_what_is_wrong() -> None:
    whole = generated("fattree:leaf=2x2,spine=1")
    other = generated("fattree:leaf=2x2,spine=1,names=node[0001-0003],login")
    for given, hosts, complaint in (
        (fabric(whole), ["node0009"], "the fabric has no host 'node0009': it has 4, such as node0001"),
        (fabric(whole), ["node0001", "node0001"], "the node 'node0001' is given twice"),
        (
            fabric(whole, other),
            None,
            "login has no rail in common with node0004: choose nodes with --node, or a rail with --rail",
        ),
        (
            fabric(replace(whole, forward=whole.forward * 0 + 1)),
            None,
            "the tables do not lead from node0001 to",
        ),
    ):
        with pytest.raises(RankwiseError) as raised:
            machine_from_fabric(given, hosts=hosts)
        assert complaint in str(raised.value)
        assert "\n" not in str(raised.value)


def test_what_is_too_large_is_refused_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.setattr(route_tables, "_MOST_ENTRIES", 200)
    with pytest.raises(RankwiseError) as error:
        machine_from_fabric(fabric(generated("fattree:leaf=3x4,spine=5")))
    golden.says(error.value, "1 .. 20 .. 12")


def test_nodes_that_are_not_led_to_may_be_left_out(golden: Golden) -> None:
    subnet = generated("fattree:leaf=2x2,spine=1")
    forward = subnet.forward.copy()
    forward[2, 4] = 0xFFFF
    broken = fabric(replace(subnet, forward=forward))
    with pytest.raises(RankwiseError) as error:
        machine_from_fabric(broken)
    golden.says(error.value, "node0001 .. node0004 .. --node")
    assert len(machine_from_fabric(broken, hosts=["node0001", "node0002", "node0003"]).hosts()) == 3


def test_the_routing_is_told(golden: Golden) -> None:
    subnet = replace(generated("fattree:leaf=2x2,spine=1"), routing=Routing(EVEN_SPLIT))
    source = machine_from_fabric(fabric(subnet)).sources[0]
    assert source.kind == "fabric"
    golden.says(source.what, "even split")
    assert "mb_s" not in json.loads(text_of(machine_from_fabric(fabric(subnet))))["network"]


def test_hosts_without_a_way_among_themselves_need_none() -> None:
    """A host alone at its switch, whose tables say nothing of it: no message takes that way."""
    subnet = made([0, 1], [(0, 1)], lambda switch, host: [0xFFFF if switch == host else 2])
    forward = subnet.forward.copy()
    lids = subnet.ports.lids
    forward[0, lids[0]] = forward[1, lids[1]] = 1
    machine = machine_from_fabric(fabric(replace(subnet, forward=forward)))
    assert len(routes(machine).links) == 3
