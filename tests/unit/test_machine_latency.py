"""Machines from measurements of thought-up machines: tree, costs and agreement are what was planted."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from machines_synthetic import Machine as Planted
from machines_synthetic import tree

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.latency.measurement import Host, Measurement, Processor, Rank
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.hierarchy.levels import Outlier
from rankwise.topology.machine.model import Machine
from rankwise.topology.machine.read import machine_of
from rankwise.topology.machine.shape import Shapes
from rankwise.topology.machine.write import text_of
from rankwise.topology.sources.measured import machine_from_latency
from rankwise.topology.sources.ranks import objects_of_ranks

LATENCIES = (0.3, 0.8, 2.0, 5.0)
RATES = (20000, 10000, 5000, 2500)
NOISE = 0.05
# Two packages of four cores with two threads each: the second threads are spare.
PROCESSORS = tuple(Processor(os, os % 8, os % 8 // 4, os % 8 // 4, os % 8 // 4) for os in range(16))


def planted(order: str) -> Planted:
    """4 ranks on each package, 2 packages a node, 4 nodes a switch, 2 switches."""
    return tree((4, 2, 4, 2), LATENCIES, RATES, order=order, node=1)


def bound(machine: Planted, measurement: Measurement) -> Measurement:
    """The measurement with each rank bound to a core of the package that it was planted on."""
    packages, nodes = machine.partitions[:2]
    free: dict[tuple[int, int], int] = {}
    ranks = []
    for number, rank in enumerate(measurement.ranks):
        node, package = int(nodes[number]), int(packages[number])
        second = package != packages[nodes == node].min()
        core = free.get((node, second), 0)
        free[node, second] = core + 1
        ranks.append(Rank(rank.host, (4 * second + core,), 4 * second + core))
    hosts = tuple(Host(host.name, PROCESSORS) for host in measurement.hosts)
    return replace(measurement, hosts=hosts, ranks=tuple(ranks))


def shape(machine: Machine) -> str:
    return Shapes(machine).inside(machine.root)


def cost_of(machine: Machine, level: str) -> tuple[float, float]:
    cost = machine.levels[machine.depth(level)].cost
    assert cost.latency_us is not None
    assert cost.bandwidth_mb_s is not None
    return cost.latency_us, cost.bandwidth_mb_s


def by_hand(*levels: dict[str, object]) -> Machine:
    return machine_of(json.dumps({"format": "rankwise-machine", "version": 1, "levels": levels}))


@pytest.mark.parametrize("order", ["block", "round robin", "shuffled"])
def test_tree_and_costs_from_times_alone(order: str) -> None:
    machine = planted(order)
    measurement = machine.measure(NOISE)
    model = machine_from_latency(measurement, find_hierarchy(measurement), "F.json").machine
    assert shape(model) == "2 switches x 4 nodes x 2 level-1 x 4 slots"
    hosts = [host.name for host in measurement.hosts]
    switch_of = dict(zip(measurement.host_names(), machine.partitions[2].tolist(), strict=True))
    assert model.partition("switch", hosts).tolist() == [switch_of[host] for host in hosts]
    for level, latency, rate in zip(("level 1", "node", "switch", "machine"), LATENCIES, RATES, strict=True):
        assert cost_of(model, level) == pytest.approx((latency, rate), rel=0.1)
    assert machine_of(text_of(model)) == model


@pytest.mark.parametrize("order", ["block", "shuffled"])
def test_nodes_as_their_kernels_tell(order: str) -> None:
    machine = planted(order)
    measurement = bound(machine, machine.measure(NOISE))
    made = machine_from_latency(measurement, find_hierarchy(measurement), "F.json")
    model = made.machine
    assert shape(model) == "2 switches x 4 nodes x 2 packages x 1 numa x 1 l3 x 4 cores x 2 pus"
    for level, latency, rate in zip(("l3", "node", "switch", "machine"), LATENCIES, RATES, strict=True):
        assert cost_of(model, level) == pytest.approx((latency, rate), rel=0.1)
    assert model.levels[model.depth("package")].cost.latency_us is None  # ranks of a package meet in its L3
    assert [
        (agreement.given, agreement.level, agreement.index, agreement.differ) for agreement in made.agreements
    ] == [
        ("node", "node", 1.0, ()),
        ("package", "package", 1.0, ()),
        ("numa", "package", 1.0, ()),
        ("l3", "package", 1.0, ()),
    ]
    rows = objects_of_ranks(model, measurement)
    packages = [tuple(row) for row in rows[:, : model.depth("package") + 1].tolist()]
    assert len(set(packages)) == 16
    for group in range(16):
        assert len({packages[rank] for rank in np.flatnonzero(machine.partitions[0] == group)}) == 1


def test_base_keeps_its_tree_and_gets_costs() -> None:
    machine = planted("block")
    measurement = bound(machine, machine.measure(NOISE))
    base = by_hand(
        {"name": "switch", "count": 2, "link_mb_s": 9.0},
        {"name": "node", "count": 4},
        {"name": "core", "count": 8, "cost": {"latency_us": 0.125}},
    )
    made = machine_from_latency(measurement, find_hierarchy(measurement), "F.json", base)
    model = made.machine
    assert model.root == base.root
    assert model.levels[1].link_mb_s == 9.0
    assert model.levels[-1] == base.levels[-1]  # no two ranks meet in a core: what it had is kept
    assert cost_of(model, "switch") == pytest.approx((LATENCIES[2], RATES[2]), rel=0.1)
    assert cost_of(model, "machine") == pytest.approx((LATENCIES[3], RATES[3]), rel=0.1)
    assert [(agreement.given, agreement.level, agreement.index) for agreement in made.agreements] == [
        ("switch", "switch", 1.0),
        ("node", "node", 1.0),
    ]
    assert [(source.kind, source.what, source.file) for source in model.sources] == [
        ("latency", "costs of levels", "F.json")
    ]


def test_base_that_is_wrong_about_a_node() -> None:
    """The base has node3 and node4 at each other's switch."""
    machine = planted("block")
    measurement = machine.measure(NOISE)
    names = ["node0", "node1", "node2", "node4", "node3", "node5", "node6", "node7"]
    base = by_hand({"name": "switch", "count": 2}, {"name": "node", "count": 4, "names": names})
    made = machine_from_latency(measurement, find_hierarchy(measurement), "F.json", base)
    [switch, node] = made.agreements
    assert (switch.given, switch.level, node.index) == ("switch", "switch", 1.0)
    assert 0 < switch.index < 0.5
    assert {measurement.host_names()[rank] for rank in switch.differ} == {"node3", "node4"}


def test_hosts_are_known_by_short_names(golden: Golden) -> None:
    measurement = planted("block").measure(NOISE)
    names = [f"node{number}.cluster.example" for number in range(8)]
    base = by_hand({"name": "node", "count": 8, "names": names})
    rows = objects_of_ranks(base, measurement)
    assert rows[:, 1].tolist() == [rank.host for rank in measurement.ranks]
    with pytest.raises(RankwiseError) as error:
        objects_of_ranks(by_hand({"name": "node", "count": 7}), measurement)
    golden.says(error.value, "'node7'")
    twins = by_hand({"name": "node", "count": 8, "names": ["node0.a", "node0.b", *names[1:7]]})
    with pytest.raises(RankwiseError, match="made on 'node0', which"):
        objects_of_ranks(twins, measurement)


def test_ranks_that_may_run_anywhere_are_in_what_holds_all_of_it() -> None:
    machine = planted("block")
    measurement = bound(machine, machine.measure(NOISE))
    free = [(4, 5, 6, 7), tuple(range(16)), (), (99,)]
    ranks = tuple(Rank(0, cpus) for cpus in free) + measurement.ranks[len(free) :]
    base = machine_from_latency(measurement, find_hierarchy(measurement), "F.json").machine
    rows = objects_of_ranks(base, replace(measurement, ranks=ranks))
    known = (rows[:4] >= 0).sum(axis=1) - 1
    assert [base.level_names()[level] for level in known] == ["l3", "node", "node", "node"]


def test_outliers_are_kept_with_their_hosts() -> None:
    measurement = planted("block").measure(NOISE)
    hierarchy = find_hierarchy(measurement)
    slow = Outlier(
        kind="slow link",
        where="node0 - node7",
        ranks=(0, 1, 63),
        what="bandwidth",
        size=1 << 20,
        value=100.0,
        expected=2500.0,
        level="machine",
    )
    unknown = replace(slow, value=float("nan"))
    made = machine_from_latency(measurement, replace(hierarchy, outliers=(slow, unknown)), "F.json").machine
    [outlier] = made.outliers
    assert (outlier.kind, outlier.where, outlier.hosts) == ("slow link", "node0 - node7", ("node0", "node7"))
    assert (outlier.size, outlier.value, outlier.expected) == (1 << 20, 100.0, 2500.0)
    assert machine_of(text_of(made)) == made


def test_one_node() -> None:
    measurement = tree((4, 2), (0.3, 0.8), (20000, 10000)).measure(NOISE)
    single = replace(
        measurement,
        hosts=(Host("here"),),
        ranks=tuple(Rank(0) for _ in measurement.ranks),
        about={"date": "D"},
    )
    model = machine_from_latency(single, find_hierarchy(single), "F.json").machine
    assert model.hosts() == ("here",)
    assert shape(model) == "1 node x 2 level-1 x 4 slots"
    assert cost_of(model, "level 1") == pytest.approx((0.3, 20000), rel=0.1)
    assert cost_of(model, "node") == pytest.approx((0.8, 10000), rel=0.1)
    assert model.sources[0].date == "D"
