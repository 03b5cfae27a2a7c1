"""Fabrics by rule: what is in them, and the loads that their routing is known for."""

from __future__ import annotations

import numpy as np
import pytest
from routes_walked import all_pairs, loads, walked

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import (
    ACROSS,
    CORE_DOWN,
    CORE_UP,
    EVEN_SPLIT,
    HOST_DOWN,
    HOST_UP,
    LEAF_DOWN,
    LEAF_UP,
    MODELLED,
    Subnet,
)
from rankwise.network.sources.generators.generate import generated, is_rule
from rankwise.network.sources.generators.plan import check_tables


def sizes(subnet: Subnet) -> tuple[int, int, int]:
    """Switches, hosts, cables between switches."""
    hosts = len(subnet.ports.hosts)
    return len(subnet.switches.names), hosts, len(subnet.links) // 2 - hosts


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("fattree:leaf=18x18,spine=9", (27, 324, 324)),
        ("fattree:leaf=18x18,spine=9,uplinks=9", (27, 324, 162)),
        ("fattree:leaf=4x6,spine=4", (8, 24, 32)),  # 6 uplinks are no multiple of 4 spines: 8
        ("fattree:k=4", (20, 16, 32)),
        ("fattree:k=16", (320, 1024, 2048)),
        ("fattree:k=8,levels=2", (12, 32, 32)),
        ("fattree:k=4,levels=4", (56, 32, 96)),
        ("fattree:k=8,pods=3", (40, 48, 96)),
        ("fattree:down=4x3x2,up=2x3,parallel=2x1", (6 + 4 + 6, 24, 24 + 12)),
        ("fattree:down=5", (1, 5, 0)),
        ("dragonfly:a=4,p=2,h=2", (36, 72, 9 * 6 + 36)),
        ("dragonfly:a=4,p=2,h=2,g=5", (20, 40, 5 * 6 + 2 * 10)),
        ("dragonfly:a=4,p=2,h=0", (4, 8, 6)),
        ("torus:8x8x8", (512, 512, 3 * 512)),
        ("torus:4x3,mesh,hosts=2", (12, 24, 3 * 3 + 4 * 2)),
        ("torus:2x1", (2, 2, 1)),
    ],
)
def test_has_the_parts_that_its_rule_says(words: str, expected: tuple[int, int, int]) -> None:
    assert sizes(generated(words)) == expected


@pytest.mark.parametrize(
    "words",
    [
        "fattree:leaf=3x4,spine=2",
        "fattree:leaf=3x4,spine=2,routing=even",
        "fattree:k=4",
        "fattree:k=4,routing=even",
        "fattree:k=4,levels=4",
        "fattree:down=4x3x2,up=2x3,parallel=2x1",
        "fattree:down=4x3x2,up=2x3,parallel=2x3,routing=even",
        "dragonfly:a=3,p=2,h=1",
        "dragonfly:a=3,p=2,h=2,g=4",
        "dragonfly:a=3,p=1,h=2,g=3,routing=even",
        "torus:3x4x2",
        "torus:5x4,mesh",
        "torus:4x4,routing=even",
    ],
)
def test_leads_from_every_host_to_every_other_one(words: str) -> None:
    subnet = generated(words)
    for host, other in all_pairs(len(subnet.ports.hosts)):
        way = walked(subnet, host, other)
        assert way[int(subnet.up[host])] == 1


def test_no_two_messages_of_a_shift_share_a_link() -> None:
    """Zahavi's theorem on d-mod-k in fat trees with all their cables, here of two and of three levels."""
    for words in ("fattree:leaf=4x6,spine=3", "fattree:k=4", "fattree:down=4x4x3,up=2x4,parallel=2x2"):
        subnet = generated(words)
        hosts = len(subnet.ports.hosts)
        for shift in range(1, hosts):
            assert loads(subnet, [(host, (host + shift) % hosts) for host in range(hosts)]).max() == 1


@pytest.mark.exhaustive  # 8 s
def test_all_to_all_of_128_hosts_loads_the_links_as_counted_by_hand() -> None:
    subnet = generated("fattree:leaf=18x18,spine=9")
    messages = loads(subnet, all_pairs(128))
    by_class = {kind: set(messages[(subnet.classes == kind) & (messages > 0)]) for kind in range(6)}
    assert by_class[HOST_UP] == by_class[HOST_DOWN] == {127}
    assert by_class[LEAF_UP] == {18 * 6, 18 * 7, 2 * 7}  # (the 2 hosts of the 8th leaf)
    assert by_class[LEAF_DOWN] == {110, 126}


def test_every_cable_of_a_full_fat_tree_takes_the_same_of_an_all_to_all() -> None:
    subnet = generated("fattree:k=4")
    messages = loads(subnet, all_pairs(16))
    assert set(messages[np.isin(subnet.classes, (LEAF_UP, LEAF_DOWN))]) == {14}
    assert set(messages[np.isin(subnet.classes, (CORE_UP, CORE_DOWN))]) == {12}


def test_even_split_takes_all_shortest_ways_alike() -> None:
    subnet = generated("fattree:leaf=2x4,spine=2,uplinks=4,routing=even")
    assert subnet.routing.kind == EVEN_SPLIT
    way = walked(subnet, 0, 7)
    assert sorted(way.values()) == [0.25] * 8 + [1, 1]
    torus = generated("torus:4x4,routing=even")
    assert sorted(walked(torus, 0, 5).values()) == [0.5] * 4 + [1, 1]  # two ways around a square
    assert len(walked(torus, 0, 2)) == 2 + 4  # forward and backward alike


def test_dimension_order_goes_along_the_first_axis_first() -> None:
    subnet = generated("torus:4x4x4")
    names = subnet.switches.names
    way = [
        names[end] for end in subnet.links.destination[list(walked(subnet, 0, 4 * 4 * 2 + 4 * 3 + 1))][:-1]
    ]
    assert way == ["router0.0.0", "router1.0.0", "router2.0.0", "router2.3.0", "router2.3.1"]
    assert subnet.routing.by == "dimension-order" and subnet.routing.kind == MODELLED


def test_all_to_all_of_a_ring() -> None:
    """n nodes, n odd: over each directed link go the ways of 1 to (n - 1) / 2 links that have it in them."""
    subnet = generated("torus:7")
    messages = loads(subnet, all_pairs(7))
    assert set(messages[subnet.classes == ACROSS]) == {1 + 2 + 3}


def test_a_dragonfly_takes_one_link_between_groups() -> None:
    subnet = generated("dragonfly:a=4,p=2,h=2")
    group = np.array([int(name[6:].partition(".")[0]) for name in subnet.switches.names] + [-1] * 72)
    ends = group[subnet.links.source], group[subnet.links.destination]
    is_global = (ends[0] != ends[1]) & (np.minimum(*ends) >= 0)
    messages = loads(subnet, all_pairs(72))
    assert set(messages[is_global]) == {8 * 8}
    for host, other in all_pairs(72):
        assert len(walked(subnet, host, other)) <= 5


def test_several_links_between_two_groups_share_the_hosts() -> None:
    subnet = generated("dragonfly:a=4,p=2,h=2,g=3")
    group = np.array([int(name[6:].partition(".")[0]) for name in subnet.switches.names] + [-1] * 24)
    ends = group[subnet.links.source], group[subnet.links.destination]
    is_global = (ends[0] != ends[1]) & (np.minimum(*ends) >= 0)
    assert is_global.sum() == 2 * 3 * 4
    assert set(loads(subnet, all_pairs(24))[is_global]) == {8 * 8 / 4}


def test_ten_thousand_hosts() -> None:
    subnet = generated("fattree:k=36,pods=32,gbit=100")
    assert sizes(subnet) == (1476, 10368, 2 * 10368)
    assert set(subnet.links.rates) == {12.5e9}
    way = list(walked(subnet, 0, 10367))
    assert [subnet.name_of(end) for end in subnet.links.source[way]] == [
        "node00001",
        "leaf001",
        "spine018",
        "core324",
        "spine576",
        "leaf576",
    ]


def test_hosts_have_the_names_that_are_told() -> None:
    subnet = generated("torus:2x2,names=a[1-2],b7,c,mesh")
    assert subnet.ports.hosts == ("a1", "a2", "b7", "c")
    assert generated("torus:2x2").ports.hosts == ("node0001", "node0002", "node0003", "node0004")


def test_a_rule_is_no_path() -> None:
    assert is_rule("torus:4x4") and is_rule("fattree:")
    assert not is_rule("torus") and not is_rule("/etc/slurm/topology.conf") and not is_rule("a:b")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("fatree:k=4", "fattree: .. dragonfly: .. torus:"),
        ("fattree:", "leaf=18x18,spine=9 .. k=16 .. down=18x18x8,up=18x9"),
        ("fattree:k=4,leaf=2x2,spine=1", ""),
        ("fattree:leaf=2x2", "spine="),
        ("fattree:leaf=2,spine=1", "leaf=2 .. 18x18"),
        ("fattree:leaf=0x2,spine=1", "leaf=0x2"),
        ("fattree:leaf=2x2,spine=1,up=3", "up= .. down= .. leaf="),
        ("fattree:leaf=2x2,spine=3,uplinks=4", "uplinks=4 .. 3"),
        ("fattree:k=5", "k=5"),
        ("fattree:k=4,levels=9", "levels=9 .. 2 .. 8"),
        ("fattree:k=4,pods=5", "pods=5 .. 4"),
        ("fattree:k=4,k=4", "'k'"),
        (
            "fattree:k=4,colour=red",
            "'colour=red' .. leaf= .. spine= .. uplinks= .. k=",
        ),
        ("fattree:k=4,routing=updn", "routing=updn .. dmodk .. even"),
        ("fattree:k=4,gbit=fast", "gbit=fast .. Gbit/s .. 100"),
        ("fattree:k=4,gbit=0", "gbit=0 .. Gbit/s"),
        ("fattree:k=4,names=a[1-3]", "3 .. 16"),
        ("fattree:k=4,names=a[1-", "a[1-"),
        ("fattree:k=1000", "250000000 .. 1048576"),
        ("fattree:k=128", ""),
        ("fattree:down=4x4,up=2x2", "up=2x2"),
        ("dragonfly:a=4,p=2", "h= .. a= .. p="),
        ("dragonfly:a=4,p=2,h=2,g=10", "g=10 .. 8 .. 9"),
        ("dragonfly:a=4,p=2,h=2,mesh", "'mesh'"),
        ("torus:", ""),
        ("torus:4xx4", "4xx4 .. 8x8x8"),
        ("torus:mesh", "mesh"),
        ("torus:4x4,mesh=1", "'mesh=1'"),
        ("torus:1048577", "8x8x8 .. 1 .. 1048576"),
        ("torus:99999x9", "4.00 GiB"),
        ("torus:2,hosts=70000", "70002 .. 65534"),
    ],
)
def test_says_in_one_line_what_is_wrong(words: str, complaint: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as raised:
        generated(words)
    message = str(raised.value)
    assert "\n" not in message and message.startswith(repr(words))
    golden.says(message, complaint)


@pytest.mark.parametrize("ways", [1, 9])
def test_what_cures_tables_that_are_too_large(ways: int, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as raised:
        check_tables(1 << 16, 1 << 16, ways)
    golden.says(raised.value, "GiB .. 4.00 GiB")
