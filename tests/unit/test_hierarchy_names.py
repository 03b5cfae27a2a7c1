"""Levels are named by what the kernel said, and compared with what others say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from machines_synthetic import tree

from rankwise.latency.measurement import Host, Measurement, Processor, Rank
from rankwise.topology.hierarchy.compare import adjusted_rand, compare, hwloc_partitions
from rankwise.topology.hierarchy.find import find_hierarchy


def bound(wrong: int | None = None) -> Measurement:
    """32 ranks on 4 nodes with 2 packages of 4 cores; one rank is bound to the other package than it says."""
    planted = tree((4, 2, 4), (0.5, 1.5, 20), (9000, 5000, 1000), node=1)
    measurement = planted.measure(0.1)
    processors = tuple(Processor(cpu, cpu, cpu // 4, cpu // 4, cpu // 4) for cpu in range(8))
    hosts = tuple(Host(f"node{number}", processors) for number in range(4))
    cpus = [rank % 8 for rank in range(32)]
    if wrong is not None:
        cpus[wrong] = (cpus[wrong] + 4) % 8
    ranks = tuple(Rank(rank // 8, (cpu,), cpu) for rank, cpu in enumerate(cpus))
    return replace(measurement, hosts=hosts, ranks=ranks)


def test_levels_have_the_names_of_the_parts() -> None:
    hierarchy = find_hierarchy(bound())
    assert [level.name for level in hierarchy.levels] == ["package", "node", "machine"]
    assert hierarchy.levels[1].labels == ("node0", "node1", "node2", "node3")
    assert not hierarchy.outliers


def test_a_rank_on_another_package_than_it_says_is_named() -> None:
    hierarchy = find_hierarchy(bound(wrong=13))
    assert [level.name for level in hierarchy.levels] == ["package", "node", "machine"]
    (outlier,) = hierarchy.outliers
    assert (outlier.kind, outlier.ranks, outlier.level) == ("slow rank", (13,), "package")
    assert "rank 13 on node1" in outlier.where


def test_one_node_is_no_machine() -> None:
    hierarchy = find_hierarchy(tree((4,), (1,), (1000,)).measure(0.1))
    assert [(level.name, level.labels) for level in hierarchy.levels] == [("node", ("node0",))]


def test_without_names_levels_are_counted() -> None:
    measurement = tree((4, 4, 2), (1, 5, 20), (900, 500, 100)).measure(0.1)
    nameless = replace(measurement, hosts=(Host(""),), ranks=tuple(Rank(0) for _ in measurement.ranks))
    hierarchy = find_hierarchy(nameless)
    assert [level.name for level in hierarchy.levels] == ["level 1", "level 2", "machine"]


def test_the_found_levels_agree_with_the_kernel() -> None:
    measurement = bound()
    agreements = compare(find_hierarchy(measurement), hwloc_partitions(measurement))
    assert {agreement.given: agreement.level for agreement in agreements} == {
        "core": "package",
        "l3": "package",
        "numa": "package",
        "package": "package",
        "node": "node",
    }
    assert all(
        agreement.index == 1 and agreement.differ == ()
        for agreement in agreements
        if agreement.given != "core"
    )


def test_ranks_that_differ_are_listed() -> None:
    hierarchy = find_hierarchy(tree((4, 4), (1, 20), (900, 100)).measure(0.1))
    switches = [f"leaf{rank // 4}" for rank in range(16)]
    switches[5] = "leaf3"
    (agreement,) = compare(hierarchy, {"switch": switches})
    assert agreement.level == "node"
    assert agreement.differ == (5,)
    assert 0.7 < agreement.index < 1


def test_unbound_ranks_tell_only_their_node() -> None:
    measurement = bound()
    everywhere = tuple(replace(rank, cpus=tuple(range(8))) for rank in measurement.ranks)
    assert list(hwloc_partitions(replace(measurement, ranks=everywhere))) == ["node"]


@pytest.mark.parametrize(
    ("one", "other", "index"),
    [
        ([0, 0, 1, 1], [5, 5, 2, 2], 1.0),
        ([0, 0, 1, 1], [0, 1, 0, 1], -0.5),
        # Pairs together: 2 in both, 2 and 4 in each, of 10; by chance 2 * 4 / 10, at most (2 + 4) / 2.
        ([0, 0, 1, 1, 2], [0, 0, 1, 1, 1], (2 - 0.8) / (3 - 0.8)),
    ],
)
def test_adjusted_rand(one: list[int], other: list[int], index: float) -> None:
    assert adjusted_rand(np.array(one), np.array(other)) == pytest.approx(index)
