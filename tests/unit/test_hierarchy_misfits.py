"""What was made slow is named, and nothing else; the levels are found all the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from machines_synthetic import SIZES, Machine, tree

from rankwise.latency.measurement import Host, Measurement, Rank
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.hierarchy.levels import Hierarchy, numbered

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


def assert_levels(found: Hierarchy, planted: Machine) -> None:
    groups = [level.groups.tolist() for level in found.levels]
    assert groups == [part.tolist() for part in planted.partitions] + [[0] * planted.count]


def told(found: Hierarchy) -> set[tuple[str, str, str]]:
    return {(misfit.kind, misfit.where, misfit.what) for misfit in found.misfits}


def nameless(measurement: Measurement) -> Measurement:
    """The same without any word about hosts."""
    ranks = tuple(Rank(0) for _ in measurement.ranks)
    return replace(measurement, hosts=(Host(""),), ranks=ranks)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(5))
def test_a_virtual_cluster_has_three_levels(order: str, seed: int) -> None:
    planted = virtual(order)
    found = find_hierarchy(planted.measure(NOISE, seed))
    assert_levels(found, planted)
    assert [level.name for level in found.levels] == ["node", "switch", "machine"]
    assert not found.misfits
    assert_levels(find_hierarchy(nameless(planted.measure(NOISE, seed))), planted)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(2))
def test_a_delayed_node_is_named(order: str, seed: int) -> None:
    planted = virtual(order)
    node = int(planted.partitions[0][5])
    planted.delays[0, node] = 1000
    found = find_hierarchy(planted.measure(NOISE, seed))
    assert_levels(found, planted)
    assert told(found) == {("slow node", f"node{node}", "latency")}
    assert found.misfits[0].ranks == tuple(np.flatnonzero(planted.partitions[0] == node))
    assert found.misfits[0].expected == pytest.approx(80, rel=0.3)
    assert found.misfits[0].value == pytest.approx(1080, rel=0.3)


@pytest.mark.parametrize("rate", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_a_node_with_a_slow_link_is_named(rate: float, seed: int) -> None:
    planted = virtual()
    planted.caps[0, 3] = rate
    found = find_hierarchy(planted.measure(NOISE, seed))
    assert_levels(found, planted)
    assert told(found) == {("slow node", "node3", "bandwidth")}
    assert found.misfits[0].value == pytest.approx(rate, rel=0.3)


def test_a_slow_link_between_nodes_is_named() -> None:
    planted = virtual()
    planted.links[0, 1, 2] = 5
    found = find_hierarchy(planted.measure(NOISE))
    assert_levels(found, planted)
    assert told(found) == {("slow link", "node1 - node2", what) for what in ("latency", "bandwidth")}


def test_a_slow_rank_is_named() -> None:
    planted = virtual()
    planted.delays[-1, 3] = 300
    found = find_hierarchy(planted.measure(NOISE))
    assert_levels(found, planted)
    assert told(found) == {("slow rank", "rank 3 on node1", "latency")}


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_slow_where_nothing_is(seed: int) -> None:
    planted = [virtual(), tree((4,), (10,), (1000,)), tree((2, 4), (1, 50), (5000, 100))][seed % 3]
    found = find_hierarchy(planted.measure(0.25, seed))
    assert_levels(found, planted)
    assert not found.misfits


def test_among_many_ranks_all_kinds_are_named_at_once() -> None:
    planted = large()
    planted.delays[0, 5] = 4
    planted.delays[-1, 100] = 6
    planted.links[0, 1, 9] = 4
    planted.single[3, 77] = 30
    assert 100 not in np.flatnonzero(planted.partitions[0] == 5)
    found = find_hierarchy(planted.measure(0.15, missing=0.03))
    assert_levels(found, planted)
    host = f"node{planted.partitions[0][100]}"
    assert {where for _, where, _ in told(found)} == {
        "node5",
        f"rank 100 on {host}",
        "node1 - node9",
        "ranks 3 - 77",
    }


def test_single_pairs_do_not_hide_levels() -> None:
    planted = large()
    found = find_hierarchy(planted.measure(0.1, outliers=0.01))
    assert_levels(found, planted)
    assert {kind for kind, _, _ in told(found)} == {"slow pair"}
    assert all(misfit.value != pytest.approx(misfit.expected, rel=0.4) for misfit in found.misfits)


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
    found = find_hierarchy(replace(measurement, alone=alone))
    assert [misfit.verdict for misfit in found.misfits] == [verdict]


def test_leaders_stand_for_their_nodes() -> None:
    planted = tree((4, 4, 4), (1, 10, 40), (5000, 1000, 300))
    measurement = planted.measure(0.1)
    pairs = measurement.pairs
    others = (pairs.first % 4 != 0) | (pairs.second % 4 != 0)
    for values in (*pairs.times.values(), *pairs.bandwidths.values()):
        values[others] = np.nan
    found = find_hierarchy(measurement)
    assert_levels(found, planted)
    assert found.levels[0].cost.latency_us is None
    assert found.levels[1].cost.latency_us == pytest.approx(10, rel=0.1)


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
    found = find_hierarchy(measurement)
    assert not [misfit for misfit in found.misfits if misfit.kind in ("slow rank", "slow node")]
