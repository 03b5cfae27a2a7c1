"""What was made slow is named, and nothing else; the levels are found all the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from machines_synthetic import SIZES, Machine, tree

from exhaustive import few
from rankwise.latency.measurement import Host, Measurement, Rank
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.hierarchy.levels import Hierarchy
from rankwise.topology.hierarchy.slow_nodes import SLOW_LINK_OF_NODE, SLOW_NODE_OR_LINK
from rankwise.topology.machine.slots import numbered

NOISE = (0.6, 0.2, 0.2)
"""Inside a node, among virtual processors that share two real ones, times vary by factors."""

ORDERS = {
    "block": [0, 0, 1, 1, 2, 2, 3, 3],
    "round robin": [0, 1, 2, 3, 0, 1, 2, 3],
    "shuffled": [1, 3, 0, 2, 1, 3, 2, 0],
}


def virtual(order: str = "block") -> Machine:
    """Eight ranks on four nodes at two switches, with a shaped link between the switches."""
    nodes = np.array(ORDERS[order])
    return Machine([numbered(nodes.tolist()), numbered((nodes // 2).tolist())], (8, 80, 500), (1500, 25, 6))


def large() -> Machine:
    return tree((8, 8, 4), (0.5, 1.0, 2.0), (12000, 6000, 3000), order="shuffled")


def assert_levels(hierarchy: Hierarchy, planted: Machine) -> None:
    groups = [level.groups.tolist() for level in hierarchy.levels]
    assert groups == [part.tolist() for part in planted.partitions] + [[0] * planted.count]


def outliers_of(hierarchy: Hierarchy) -> set[tuple[str, str, str]]:
    return {(outlier.kind, outlier.where, outlier.what) for outlier in hierarchy.outliers}


def nameless(measurement: Measurement) -> Measurement:
    """The same without any word about hosts."""
    ranks = tuple(Rank(0) for _ in measurement.ranks)
    return replace(measurement, hosts=(Host(""),), ranks=ranks)


@pytest.mark.each_value
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(5))
def test_a_virtual_cluster_has_three_levels(order: str, seed: int) -> None:
    planted = virtual(order)
    hierarchy = find_hierarchy(planted.measure(NOISE, seed))
    assert_levels(hierarchy, planted)
    assert [level.name for level in hierarchy.levels] == ["node", "switch", "machine"]
    assert not hierarchy.outliers
    assert_levels(find_hierarchy(nameless(planted.measure(NOISE, seed))), planted)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(2))
def test_a_delayed_node_is_named(order: str, seed: int) -> None:
    planted = virtual(order)
    node = int(planted.partitions[0][5])
    planted.delays[0, node] = 1000
    hierarchy = find_hierarchy(planted.measure(NOISE, seed))
    assert_levels(hierarchy, planted)
    # One pair inside of each node does not always tell, with so much noise.
    kinds = {"slow link of a node", "slow node or its link"}
    assert outliers_of(hierarchy) in [{(kind, f"node{node}", "latency")} for kind in kinds]
    assert hierarchy.outliers[0].ranks == tuple(np.flatnonzero(planted.partitions[0] == node))
    assert hierarchy.outliers[0].expected == pytest.approx(80, rel=0.3)
    assert hierarchy.outliers[0].value == pytest.approx(1080, rel=0.3)


@pytest.mark.parametrize("rate", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_a_node_with_a_slow_link_is_named(rate: float, seed: int) -> None:
    planted = virtual()
    planted.caps[0, 3] = rate
    hierarchy = find_hierarchy(planted.measure(NOISE, seed))
    assert_levels(hierarchy, planted)
    kinds = {"slow link of a node", "slow node or its link"}
    assert outliers_of(hierarchy) in [{(kind, "node3", "bandwidth")} for kind in kinds]
    assert hierarchy.outliers[0].value == pytest.approx(rate, rel=0.3)


def several(count: int) -> Machine:
    """Switches of four nodes of four ranks."""
    return tree((4, 4, count // 16), (1, 2, 4), (10000, 3000, 1500), order="shuffled")


def make_slow(planted: Machine, node: int, factor: float = 3) -> None:
    """Slow a node inside, and what it has to do with others somewhat less."""
    planted.inside[0, node] = factor
    planted.delays[0, node] = factor - 1
    planted.caps[0, node] = 3000 / factor


@pytest.mark.parametrize(("count", "noise"), few([(64, 0.2), (64, 0.1), (128, 0.2)], 1))
def test_a_slow_node_is_told_from_a_slow_link(count: int, noise: float) -> None:
    slow, late, thin = several(count), several(count), several(count)
    make_slow(slow, 3)
    late.delays[0, 3] = 4
    thin.caps[0, 3] = 400
    for planted, kind, what in (
        (slow, "slow node", {"latency", "bandwidth"}),
        (late, "slow link of a node", {"latency"}),
        (thin, "slow link of a node", {"bandwidth"}),
    ):
        hierarchy = find_hierarchy(planted.measure(noise))
        assert_levels(hierarchy, planted)
        assert outliers_of(hierarchy) == {(kind, "node3", quantity) for quantity in what}


def test_a_node_that_is_slow_only_inside_is_named() -> None:
    planted = several(64)
    planted.inside[0, 6] = 1.6
    hierarchy = find_hierarchy(planted.measure(0.1))
    assert_levels(hierarchy, planted)
    assert outliers_of(hierarchy) == {("slow node", "node6", what) for what in ("latency", "bandwidth")}
    assert {outlier.level for outlier in hierarchy.outliers} == {"node"}


def test_two_slow_nodes_on_one_switch() -> None:
    """Several at once hide each other, and make no level."""
    planted = several(64)
    make_slow(planted, 1)
    make_slow(planted, 2)
    hierarchy = find_hierarchy(planted.measure(0.15))
    assert_levels(hierarchy, planted)
    assert {(kind, where) for kind, where, _ in outliers_of(hierarchy)} == {
        ("slow node", "node1"),
        ("slow node", "node2"),
    }


@pytest.mark.parametrize("seed", few(range(2), 1))
def test_slow_links_on_one_switch_make_no_level(seed: int) -> None:
    planted = several(64)
    planted.delays[0, 1] = 4
    planted.caps[0, 2] = 400
    hierarchy = find_hierarchy(planted.measure(0.15, seed))
    assert_levels(hierarchy, planted)
    assert {(kind, where) for kind, where, _ in outliers_of(hierarchy)} == {
        (SLOW_LINK_OF_NODE, "node1"),
        (SLOW_LINK_OF_NODE, "node2"),
    }


@pytest.mark.parametrize("ranks", [1, 2])
def test_node_and_link_are_not_told_apart_where_nothing_compares(ranks: int) -> None:
    """One rank on each node; or two, and only leaders measured."""
    planted = tree((ranks, 4, 4), (1, 10, 40), (5000, 1000, 300))
    planted.delays[0, 5] = 60
    measurement = planted.measure(0.1)
    pairs = measurement.pairs
    others = (pairs.first % ranks != 0) | (pairs.second % ranks != 0)
    for values in (*pairs.times.values(), *pairs.bandwidths.values()):
        values[others] = np.nan
    hierarchy = find_hierarchy(measurement)
    assert outliers_of(hierarchy) == {(SLOW_NODE_OR_LINK, "node5", "latency")}


def test_a_slow_link_between_nodes_is_named() -> None:
    planted = virtual()
    planted.links[0, 1, 2] = 5
    hierarchy = find_hierarchy(planted.measure(NOISE))
    assert_levels(hierarchy, planted)
    assert outliers_of(hierarchy) == {
        ("slow link", "node1 - node2", what) for what in ("latency", "bandwidth")
    }


def test_a_slow_rank_is_named() -> None:
    planted = virtual()
    planted.delays[-1, 3] = 300
    hierarchy = find_hierarchy(planted.measure(NOISE))
    assert_levels(hierarchy, planted)
    assert outliers_of(hierarchy) == {("slow rank", "rank 3 on node1", "latency")}


@pytest.mark.parametrize("seed", few(range(40), 12))
def test_nothing_is_slow_where_nothing_is(seed: int) -> None:
    planted = [virtual(), tree((4,), (10,), (1000,)), tree((2, 4), (1, 50), (5000, 100))][seed % 3]
    hierarchy = find_hierarchy(planted.measure(0.25, seed))
    assert_levels(hierarchy, planted)
    assert not hierarchy.outliers


def test_among_many_ranks_all_kinds_are_named_at_once() -> None:
    planted = large()
    planted.delays[0, 5] = 4
    planted.delays[-1, 100] = 6
    planted.links[0, 1, 9] = 4
    planted.single[3, 77] = 30
    assert 100 not in np.flatnonzero(planted.partitions[0] == 5)
    hierarchy = find_hierarchy(planted.measure(0.15, missing=0.03))
    assert_levels(hierarchy, planted)
    host = f"node{planted.partitions[0][100]}"
    assert {where for _, where, _ in outliers_of(hierarchy)} == {
        "node5",
        f"rank 100 on {host}",
        "node1 - node9",
        "ranks 3 - 77",
    }


def test_single_pairs_do_not_hide_levels() -> None:
    planted = large()
    hierarchy = find_hierarchy(planted.measure(0.1, outliers=0.01))
    assert_levels(hierarchy, planted)
    assert {kind for kind, _, _ in outliers_of(hierarchy)} == {"slow pair"}
    assert all(outlier.value != pytest.approx(outlier.expected, rel=0.4) for outlier in hierarchy.outliers)


@pytest.mark.parametrize(("again", "verdict"), [(1080.0, "slow alone"), (85.0, "slow under load")])
def test_what_was_measured_again_alone_has_a_verdict(again: float, verdict: str) -> None:
    planted = virtual()
    planted.delays[0, 3] = 1000
    measurement = planted.measure(NOISE)
    pairs = measurement.pairs
    chosen = (pairs.first == 4) & (pairs.second == 6)
    alone = replace(
        pairs,
        first=pairs.first[chosen],
        second=pairs.second[chosen],
        overhead=pairs.overhead[chosen],
        repeats=pairs.repeats[chosen],
        times={name: np.full((1, len(SIZES)), again) for name in pairs.times},
        bandwidths={name: values[chosen] for name, values in pairs.bandwidths.items()},
    )
    hierarchy = find_hierarchy(replace(measurement, alone=alone))
    assert [outlier.verdict for outlier in hierarchy.outliers] == [verdict]


def test_leaders_stand_for_their_nodes() -> None:
    planted = tree((4, 4, 4), (1, 10, 40), (5000, 1000, 300))
    measurement = planted.measure(0.1)
    pairs = measurement.pairs
    others = (pairs.first % 4 != 0) | (pairs.second % 4 != 0)
    for values in (*pairs.times.values(), *pairs.bandwidths.values()):
        values[others] = np.nan
    hierarchy = find_hierarchy(measurement)
    assert_levels(hierarchy, planted)
    assert hierarchy.levels[0].cost.latency_us is None
    assert hierarchy.levels[1].cost.latency_us == pytest.approx(10, rel=0.1)


def test_one_slow_pair_tells_of_neither_of_its_ranks() -> None:
    """As where a measurement was ended early."""
    measurement = virtual().measure(0.1)
    pairs = measurement.pairs
    slow = (pairs.first == 0) & (pairs.second == 4)
    others = (pairs.second != pairs.first + 4) & ~slow
    for name, values in pairs.times.items():
        values[others] = np.nan
        values[slow] *= 10 if name != "std" else 1
    for values in pairs.bandwidths.values():
        values[others] = np.nan
        values[slow] /= 10
    hierarchy = find_hierarchy(measurement)
    assert not [outlier for outlier in hierarchy.outliers if outlier.kind in ("slow rank", "slow node")]
