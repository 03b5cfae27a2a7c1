"""Levels that were planted are found, whatever the order of ranks and the noise."""

from __future__ import annotations

import numpy as np
import pytest
from machines_synthetic import Machine, tree, uneven

from rankwise.errors import RankwiseError
from rankwise.latency.dense import from_matrices
from rankwise.topology.hierarchy.clustering import nested_partitions
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.hierarchy.levels import Hierarchy


def groups_of(hierarchy: Hierarchy) -> list[list[int]]:
    return [level.groups.tolist() for level in hierarchy.levels]


def assert_found(hierarchy: Hierarchy, planted: Machine) -> None:
    """The same levels, with the same groups, and the costs that were planted."""
    assert groups_of(hierarchy) == [part.tolist() for part in planted.partitions] + [[0] * planted.count]
    for level, latency, rate in zip(hierarchy.levels, planted.latencies, planted.rates, strict=True):
        assert level.cost.latency_us == pytest.approx(latency, rel=0.15)
        assert level.cost.bandwidth_mb_s == pytest.approx(rate, rel=0.15)


@pytest.mark.each_value
@pytest.mark.parametrize("order", ["block", "round robin", "shuffled"])
@pytest.mark.parametrize(
    ("shape", "latencies", "rates", "noise"),
    [
        ((8, 8), (1.0, 1.25), (10000, 8000), 0.05),
        ((4, 4, 4), (0.5, 1.0, 2.0), (12000, 9000, 5000), 0.1),
        ((8, 8, 4), (0.5, 1.0, 2.0), (12000, 6000, 3000), 0.2),
        ((2, 4, 8, 4), (0.2, 0.6, 2.0, 5.0), (20000, 10000, 5000, 2500), 0.1),
    ],
)
def test_planted_levels_are_found(shape, latencies, rates, noise, order) -> None:
    planted = tree(shape, latencies, rates, order=order)
    assert_found(find_hierarchy(planted.measure(noise)), planted)


@pytest.mark.parametrize("seed", range(5))
def test_groups_may_be_of_unequal_sizes(seed: int) -> None:
    planted = uneven([(4, 8, 8), (6, 3, 5, 8)], (1, 10, 30), (5000, 1000, 500))
    assert_found(find_hierarchy(planted.measure(0.2, seed)), planted)


def test_a_thousand_ranks() -> None:
    planted = tree((4, 4, 4, 4, 4), (0.2, 0.4, 0.8, 1.6, 3.2), (1,) * 5, order="shuffled")
    hierarchy = find_hierarchy(planted.measure(0.15, only_latency=True))
    assert groups_of(hierarchy) == [*(part.tolist() for part in planted.partitions), [0] * planted.count]
    assert sorted(hierarchy.order) == list(range(planted.count))
    assert not hierarchy.outliers


def test_the_tree_of_four_thousand_ranks() -> None:
    planted = tree((16, 2, 16, 8), (0.3, 0.8, 2.0, 4.0), (1,) * 4, order="round robin")
    noise = np.random.default_rng(0).standard_normal((4096, 4096), dtype=np.float32) / 5
    distances = np.log(planted.latencies).astype(np.float32)[planted.classes()] + noise
    distances = np.triu(distances, 1)
    cuts = nested_partitions(distances + distances.T)
    # A few pairs that noise brought together are among the cuts, too: resampling tells.
    partitions = [groups.tolist() for groups in cuts if 2 * groups.max() < planted.count]
    assert partitions == [part.tolist() for part in planted.partitions]


def test_groups_are_together_in_the_order() -> None:
    hierarchy = find_hierarchy(tree((4, 4, 2), (1, 3, 9), (9, 3, 1), order="shuffled").measure(0.1))
    for level in hierarchy.levels:
        sorted_ = level.groups[list(hierarchy.order)]
        assert (np.diff(sorted_) != 0).sum() == level.groups.max()


def test_one_seed_always_finds_the_same() -> None:
    measurement = tree((4, 4), (1, 1.6), (9, 6)).measure(0.3)
    first, other = (find_hierarchy(measurement, seed=3) for _ in range(2))
    assert groups_of(first) == groups_of(other)
    assert [level.stability for level in first.levels] == [level.stability for level in other.levels]


@pytest.mark.parametrize("only", ["latency", "bandwidth"])
def test_a_level_that_one_view_shows_is_found(only: str) -> None:
    latencies, rates = ((1, 3), (5000, 5000)) if only == "latency" else ((3, 3), (5000, 1500))
    planted = tree((8, 4), latencies, rates)
    assert groups_of(find_hierarchy(planted.measure(0.15))) == [planted.partitions[0].tolist(), [0] * 32]


@pytest.mark.parametrize("count", [2, 3, 4, 8, 64])
@pytest.mark.parametrize("seed", range(10))
def test_noise_makes_no_levels(count: int, seed: int) -> None:
    planted = tree((count,), (10.0,), (1000.0,))
    hierarchy = find_hierarchy(planted.measure(0.3, seed))
    assert [level.groups.tolist() for level in hierarchy.levels] == [[0] * count]


def test_one_rank_is_refused() -> None:
    with pytest.raises(RankwiseError, match="two ranks"):
        find_hierarchy(from_matrices(["a"], {64: np.zeros((1, 1))}))


def test_a_measurement_of_nothing_is_refused() -> None:
    with pytest.raises(RankwiseError, match="no pair"):
        find_hierarchy(from_matrices(["a", "b"], {64: np.full((2, 2), np.nan)}))
