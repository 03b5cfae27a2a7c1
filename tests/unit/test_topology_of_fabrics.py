"""Dragonflies and HyperX networks are recognised by their links; nothing else is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product

import numpy as np
import pytest
from fabrics_synthetic import fabric

from golden import Golden
from rankwise.network.everyone import everyone
from rankwise.network.fabric.draft import Draft, DraftPort, DraftSwitch, finished
from rankwise.network.fabric.model import (
    ACROSS,
    CLASSES,
    DIMENSIONS,
    GLOBAL,
    HOST_DOWN,
    HOST_UP,
    LOCAL,
    Routing,
    Subnet,
)
from rankwise.network.job.given_hosts import GivenHost
from rankwise.network.job.rank_ports import places_on
from rankwise.network.routes.classes import ANY, class_bounds
from rankwise.network.sources.generators.generate import generated
from rankwise.network.sources.on_cables import routed_by
from rankwise.views.links.sentences import fabric_lines

Pairs = Iterable[tuple[int, int]]


def linked(
    switches: int, pairs: Pairs, *, hosts: int = 2, without_hosts: frozenset[int] = frozenset()
) -> Subnet:
    """Return switches with hosts and these links, in a shuffled order of GUIDs."""
    guids = np.random.default_rng(switches).permutation(switches) + 1
    draft = Draft(routing=Routing("even split"))
    free = [1] * switches
    for switch in range(switches):
        draft.switches[int(guids[switch])] = DraftSwitch(f"s{switch}")

    def end(switch: int) -> tuple[int, int]:
        free[switch] += 1
        return int(guids[switch]), free[switch]

    for switch, host in product(range(switches), range(hosts)):
        if switch not in without_hosts:
            key = 1000 + switch * hosts + host, 1
            draft.ports[key] = DraftPort(f"h{switch}.{host}", node=0)
            draft.link(key, end(switch), 12.5e9)
    for here, there in pairs:
        draft.link(end(here), end(there), 12.5e9)
    return routed_by("even", finished(draft))


def hyperx(*sizes: int) -> tuple[int, list[tuple[int, int]]]:
    places = list(product(*map(range, sizes)))
    pairs = [
        (one, other)
        for one, other in combinations(range(len(places)), 2)
        if sum(a != b for a, b in zip(places[one], places[other], strict=True)) == 1
    ]
    return len(places), pairs


def dragonfly(groups: int, switches: int) -> tuple[int, list[tuple[int, int]]]:
    """One link between each two groups, as far as possible from different switches."""
    pairs = [
        (group * switches + one, group * switches + other)
        for group in range(groups)
        for one, other in combinations(range(switches), 2)
    ]
    taken = [0] * groups
    for one, other in combinations(range(groups), 2):
        ends = [group * switches + taken[group] % switches for group in (one, other)]
        taken[one] += 1
        taken[other] += 1
        pairs.append((ends[0], ends[1]))
    return groups * switches, pairs


def between(subnet: Subnet) -> list[int]:
    """Return how many cables between switches there are of each class."""
    counts = np.bincount(subnet.classes, minlength=len(CLASSES)) // 2
    return [int(count) for number, count in enumerate(counts) if number not in (HOST_UP, HOST_DOWN)]


def cables_of(**counts: int) -> list[int]:
    names = {name.replace(" ", "_"): number for number, name in enumerate(CLASSES)}
    found = [0] * len(CLASSES)
    for name, count in counts.items():
        found[names[name]] = count
    return found[2:]


@pytest.mark.parametrize(("groups", "switches"), [(3, 3), (3, 4), (5, 4), (9, 8), (7, 6)])
def test_a_dragonfly_is_recognised(groups: int, switches: int) -> None:
    subnet = linked(*dragonfly(groups, switches))
    topology = subnet.topology
    assert topology is not None
    assert topology.is_dragonfly
    assert topology.text.startswith(f"dragonfly of {groups} groups of {switches} switches, by its links")
    inside = groups * switches * (switches - 1) // 2
    assert between(subnet) == cables_of(local=inside, **{"global": groups * (groups - 1) // 2})
    for name, place in zip(subnet.switches.names, topology.places, strict=True):
        together = {
            topology.places[subnet.switches.names.index(f"s{other}")]
            for other in range(groups * switches)
            if other // switches == int(name[1:]) // switches
        }
        assert together == {place}
    assert len(set(topology.places)) == groups


@pytest.mark.parametrize(
    "words", ["dragonfly:a=4,p=2,h=2", "dragonfly:a=8,p=4,h=4,g=9", "dragonfly:a=6,p=1,h=3"]
)
def test_generated_dragonflies_are_recognised(words: str) -> None:
    subnet = generated(words)
    assert subnet.topology is not None
    assert subnet.topology.is_dragonfly
    classes = subnet.classes[subnet.classes > HOST_DOWN]
    assert set(classes.tolist()) == {LOCAL, GLOBAL}


@pytest.mark.parametrize("sizes", [(4, 4), (3, 3), (3, 5), (6, 3), (3, 4, 5), (3, 3, 3, 3)])
def test_a_hyperx_network_is_recognised(sizes: tuple[int, ...]) -> None:
    subnet = linked(*hyperx(*sizes))
    topology = subnet.topology
    assert topology is not None
    assert not topology.is_dragonfly
    found = topology.text.removeprefix("HyperX of ").partition(" switches")[0].split(" x ")
    assert sorted(map(int, found)) == sorted(sizes)
    switches = int(np.prod(sizes))
    for number, size in enumerate(map(int, found)):
        cables = (subnet.classes == DIMENSIONS[number]).sum() // 2
        assert cables == switches * (size - 1) // 2
    assert len(set(topology.places)) == switches


def test_parallel_cables_and_switches_without_hosts_do_not_matter() -> None:
    switches, pairs = hyperx(4, 4)
    subnet = linked(switches, pairs + pairs, without_hosts=frozenset({5, 6}))
    assert subnet.topology is not None
    assert between(subnet) == cables_of(dimension_1=48, dimension_2=48)


def test_a_dragonfly_with_a_broken_cable_is_still_one(golden: Golden) -> None:
    switches, pairs = dragonfly(9, 8)
    subnet = linked(switches, pairs[1:-1])
    assert subnet.topology is not None
    golden.says(subnet.topology.text, "dragonfly .. 9 groups of 8 switches .. 1 of 252 .. 1 of 36")


def test_a_hyperx_network_is_described_by_its_words(golden: Golden) -> None:
    topology = linked(*hyperx(4, 4)).topology
    assert topology is not None
    golden.says(topology.text, "HyperX of 4 x 4 switches")
    assert topology.place_text(0).startswith("place ")


def irregular() -> tuple[int, list[tuple[int, int]]]:
    random = np.random.default_rng(7)
    return 20, [pair for pair in combinations(range(20), 2) if random.random() < 0.3]


UNKNOWN = {
    "a tree": lambda: generated("fattree:leaf=6x4,spine=3"),
    "three levels": lambda: generated("fattree:k=6"),
    "an irregular graph": lambda: linked(*irregular()),
    "a torus": lambda: generated("torus:4x5"),
    "a torus of triangles": lambda: generated("torus:3x5"),
    "a hypercube": lambda: generated("torus:2x2x2"),
    "a ring": lambda: generated("torus:7"),
    "groups of two": lambda: linked(*dragonfly(3, 2)),
    "two groups": lambda: linked(*dragonfly(2, 5)),
    "all linked": lambda: linked(*hyperx(6)),
    "a HyperX network that lacks a cable": lambda: linked(16, hyperx(4, 4)[1][1:]),
    "one with a cable across": lambda: linked(16, [*hyperx(4, 4)[1], (0, 5)]),
    "one switch": lambda: linked(1, []),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_other_graphs_stay_unknown(case: str) -> None:
    subnet = UNKNOWN[case]()
    assert subnet.topology is None
    assert between(subnet)[ACROSS - 1 :] == [0] * (len(CLASSES) - ACROSS - 1)
    assert not any(line.startswith("Topology") for line in fabric_lines(fabric(subnet), 0))


@pytest.mark.parametrize(
    "made",
    [
        lambda: linked(*dragonfly(5, 4)),
        lambda: linked(*hyperx(4, 4)),
        lambda: generated("dragonfly:a=4,p=2,h=2"),
    ],
)
def test_bounds_hold_for_each_class(made) -> None:  # type: ignore[no-untyped-def]
    subnet = made()
    ports = len(subnet.ports.hosts)
    source, destination = np.divmod(np.arange(ports**2), ports)
    bounds = class_bounds(subnet, source, destination, np.ones(ports**2))
    whole = fabric(subnet)
    loads = everyone(whole, places_on(whole, [GivenHost(host) for host in subnet.ports.hosts]), 1)
    most = {each.link_class: each.max for each in loads.rails[0].classes}
    for link_class, load in most.items():
        assert bounds[link_class] <= load * (1 + 1e-12)
    assert 0 < bounds[ANY] <= max(load for number, load in most.items() if number > HOST_DOWN) * (1 + 1e-12)


def test_the_global_links_of_a_dragonfly_have_a_bound_by_its_groups() -> None:
    subnet = linked(*dragonfly(5, 4))
    ports = len(subnet.ports.hosts)
    source, destination = np.divmod(np.arange(ports**2), ports)
    bounds = class_bounds(subnet, source, destination, np.ones(ports**2))
    assert bounds[GLOBAL] == 8 * 32 / 4  # 8 hosts of a group, 32 others, 4 links out of it
    assert bounds[LOCAL] == 4 * 36 / 6  # a switch and its partner at the global link: 4 hosts, 6 local links


def test_the_dimensions_of_a_hyperx_network_have_bounds() -> None:
    subnet = linked(*hyperx(4, 4))
    ports = len(subnet.ports.hosts)
    source, destination = np.divmod(np.arange(ports**2), ports)
    bounds = class_bounds(subnet, source, destination, np.ones(ports**2))
    # 8 hosts of a row, 24 others, 3 links of each of its 4 switches
    assert bounds[DIMENSIONS[0]] == bounds[DIMENSIONS[1]] == 8 * 24 / 12
