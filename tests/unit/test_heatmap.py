"""What a heat map is made from: the order, the blocks, the scale, histogram and nodes."""

from __future__ import annotations

import heatmaps
import numpy as np
import pytest
from numpy.typing import NDArray

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.latency.dense import from_matrices
from rankwise.render.figures.heatmap.caption import warnings
from rankwise.render.figures.heatmap.histogram import histogram
from rankwise.render.figures.heatmap.hostnames import short_names
from rankwise.render.figures.heatmap.marginals import marginals
from rankwise.render.figures.heatmap.ordering import Division, ordering
from rankwise.render.figures.heatmap.pooling import pooled
from rankwise.render.figures.heatmap.scale import BEYOND, PALETTE, colour, colours, round_values, scale
from rankwise.render.figures.heatmap.view import default_size, default_statistic, view


def random_matrix(size: int, seed: int, missing: float = 0.3) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    matrix = random.lognormal(size=(size, size))
    matrix[random.random((size, size)) < missing] = np.nan
    return matrix


@pytest.mark.parametrize("smallest", [False, True])
@pytest.mark.parametrize(
    ("size", "most", "block"), [(2, 5, 1), (7, 3, 1), (12, 5, 4), (13, 4, 1), (20, 20, 5)]
)
def test_a_cell_has_the_worst_of_its_pairs(size: int, most: int, block: int, smallest: bool) -> None:
    matrix = random_matrix(size, seed=size)
    cells = pooled(matrix, most, smallest=smallest, block=block)
    step = cells.together
    assert len(cells.values) == -(-size // step) <= most
    for row in range(len(cells.values)):
        for column in range(len(cells.values)):
            pairs = [
                (i, j)
                for i in range(row * step, min((row + 1) * step, size))
                for j in range(column * step, min((column + 1) * step, size))
                if i != j
            ]
            known = [(matrix[pair], pair) for pair in pairs if not np.isnan(matrix[pair])]
            assert cells.missing[row, column] == bool(pairs and not known)
            if known:
                value, pair = min(known) if smallest else max(known)
                assert cells.values[row, column] == value
                assert (cells.row[row, column], cells.column[row, column]) == pair
            else:
                assert np.isnan(cells.values[row, column])


def test_cells_end_where_nodes_end() -> None:
    assert pooled(random_matrix(64, 1), 10, block=8).together == 8  # 7 would do, and mix the nodes
    assert pooled(random_matrix(64, 1), 20, block=16).together == 4
    assert pooled(random_matrix(64, 1), 20, block=1).together == 4
    assert pooled(random_matrix(64, 1), 30, block=11).together == 3  # no number from 3 to 5 fits


def blocks(division: Division) -> list[tuple[int, int, str]]:
    return [(block.start, block.stop, block.label) for block in division.blocks]


def test_order_and_blocks_of_the_machine() -> None:
    measurement, hierarchy = heatmaps.machine(shuffled=True)
    order = ordering(measurement, hierarchy)
    names = measurement.host_names()
    assert [names[rank] for rank in order.ranks] == [f"node{place // 2}" for place in range(8)]
    switches, nodes = order.divisions  # all together are no division
    assert (switches.name, blocks(switches)) == ("switch", [(0, 4, "switch 0"), (4, 8, "switch 1")])
    assert nodes.name == "node"
    assert blocks(nodes) == [(2 * node, 2 * node + 2, f"node{node}") for node in range(4)]


def test_order_of_ranks_has_no_blocks_where_groups_are_scattered() -> None:
    scattered, hierarchy = heatmaps.machine(shuffled=True)
    order = ordering(scattered, hierarchy, "rank")
    assert order.ranks.tolist() == list(range(8))
    assert order.divisions == ()
    together, hierarchy = heatmaps.machine()
    assert [division.name for division in ordering(together, hierarchy, "rank").divisions] == [
        "switch",
        "node",
    ]


def test_without_a_hierarchy_by_host() -> None:
    measurement, _ = heatmaps.machine(shuffled=True)
    order = ordering(measurement, None)
    names = [measurement.host_names()[rank] for rank in order.ranks]
    assert [names[place] == names[place + 1] for place in range(0, 8, 2)] == [True] * 4
    [nodes] = order.divisions
    assert [label for _, _, label in blocks(nodes)] == names[::2]


def test_short_names_tell_hosts_apart() -> None:
    assert short_names(["a1.x.org", "a2.x.org"]) == {"a1.x.org": "a1", "a2.x.org": "a2"}
    for names in (["a.x.org", "a.y.org"], ["10.0.0.1", "11.0.0.1"], [".x", "b.x"]):
        assert short_names(names) == dict(zip(names, names, strict=True))


def test_ranks_that_were_not_measured_are_left_out_and_told(golden: Golden) -> None:
    times = heatmaps.latencies()
    times[3, :] = times[:, 3] = np.nan
    times[0, 1] = times[1, 0] = np.nan
    measurement = from_matrices(
        heatmaps.HOSTS, {64: times}, about={"interrupted": True, "oversubscribed": True}
    )
    chosen = view(measurement, None, "median", 64)
    assert chosen.ordering.ranks.tolist() == [0, 1, 2, 4, 5, 6, 7]
    text = "; ".join(warnings(measurement, chosen.ordering))
    assert "not measured: 1 pair (grey)" in text
    golden.says(text, "1")
    assert "interrupted" in text
    golden.says(text)


def test_an_outlier_does_not_squeeze_the_scale() -> None:
    values = np.r_[np.linspace(1.0, 1.2, 500), 90.0]
    colour_scale = scale([values])
    assert colour_scale.fast == pytest.approx(1.0)
    assert 1.2 <= colour_scale.slow < 2
    assert colour_scale.slowest == pytest.approx(90)
    assert colour_scale.cut
    assert colour(colour_scale.height(np.array([90.0]))[0]) == BEYOND
    assert not scale([values[:-1]]).cut


def test_slow_is_the_same_end_for_times_and_bandwidths() -> None:
    values = np.geomspace(1, 1000, 50)
    times, rates = scale([values]), scale([values], smallest=True)
    assert (times.fast, times.slow) == pytest.approx((1, 1000))
    assert (rates.fast, rates.slow) == pytest.approx((1000, 1))
    assert times.height(values) == pytest.approx(1 - rates.height(values))
    assert times.height(np.array([10.0]))[0] == pytest.approx(1 / 3)
    assert times.value(1 / 3) == pytest.approx(10)
    assert times.ticks() == pytest.approx([1, 10, 100, 1000])
    assert rates.ticks() == pytest.approx([1000, 100, 10, 1])


def test_scale_of_equal_and_of_no_values() -> None:
    equal = scale([np.full(5, 3.0)])
    assert equal.height(np.array([3.0]))[0] == pytest.approx(0.5)
    assert not equal.cut
    assert scale([np.array([np.nan, 0.0])]).fast > 0


def test_colours() -> None:
    heights = np.array([[0.0, 1.0], [1.5, np.nan]])
    pixels = colours(heights)
    assert ["#" + bytes(part[:3]).hex() for part in (pixels[0, 0], pixels[0, 1], pixels[1, 0])] == [
        PALETTE[0],
        PALETTE[-1],
        BEYOND,
    ]
    assert pixels[..., 3].tolist() == [[255, 255], [255, 0]]
    assert [colour(float(height)) for height in heights[0]] == [PALETTE[0], PALETTE[-1]]


@pytest.mark.parametrize(("low", "high"), [(0.2, 11), (1.01, 1.04), (3, 3.2), (900, 15000), (1e-3, 1e6)])
def test_round_values_lie_between(low: float, high: float) -> None:
    values = round_values(low, high)
    assert len(values) >= 2
    assert values == sorted(values)
    assert low * 0.999 <= values[0] and values[-1] <= high * 1.001


def test_histogram_has_all_pairs_in_their_class() -> None:
    measurement, hierarchy = heatmaps.machine(shuffled=True)
    classes = histogram(view(measurement, hierarchy, "median", 64))
    assert classes.names == ("same node", "same switch", "across the machine")
    assert classes.counts.sum(axis=1).tolist() == [4, 8, 16]
    assert classes.medians == pytest.approx((heatmaps.NODE, heatmaps.SWITCH, heatmaps.MACHINE))
    for counts, value in zip(classes.counts, classes.medians, strict=True):
        [place] = np.flatnonzero(counts)
        assert classes.edges[place] <= value * 1.0001
        assert value <= classes.edges[place + 1] * 1.0001
    both = histogram(view(measurement, None, "bandwidth", 1 << 20))
    assert both.names == ("same node", "across nodes")
    assert both.counts.sum(axis=1).tolist() == [8, 48]


def test_a_slow_node_sticks_out_and_a_slow_link_at_both_ends() -> None:
    times = heatmaps.latencies()
    times[4:6, :4] = times[4:6, 6:] = times[:4, 4:6] = times[6:, 4:6] = 50.0
    times[0, 7] = times[7, 0] = 90.0
    margins = marginals(view(from_matrices(heatmaps.HOSTS, {64: times}), None, "min", 64))
    assert (margins.kind, margins.labels) == ("node", ("node0", "node1", "node2", "node3"))
    assert margins.median[2] == 50
    assert max(margins.median[[0, 1, 3]]) < 10
    assert margins.worst.tolist() == [90, 50, 50, 90]


def test_worst_bandwidth_is_the_smallest_in_either_direction() -> None:
    rates = np.full((8, 8), 100.0)
    rates[6, 1] = 5.0
    margins = marginals(view(from_matrices(heatmaps.HOSTS, {}, {64: rates}), None, "bandwidth", 64))
    assert margins.worst.tolist() == [5, 100, 100, 5]


def test_one_node_shows_its_ranks() -> None:
    times = np.arange(16.0).reshape(4, 4)
    margins = marginals(view(from_matrices(["alone"] * 4, {64: times + times.T}), None, "min", 64))
    assert (margins.kind, margins.labels) == ("rank", ("0", "1", "2", "3"))


def test_what_is_drawn_by_default() -> None:
    measurement, _ = heatmaps.machine()
    assert default_statistic(measurement, None) == "median"
    assert default_size(measurement, "median") == 64
    assert default_size(measurement, "bandwidth") == 1 << 20
    only_rates = from_matrices(heatmaps.HOSTS, {}, {4096: np.ones((8, 8))})
    assert default_statistic(only_rates, None) == "bandwidth"


def test_what_is_not_there_is_told(golden: Golden) -> None:
    measurement, _ = heatmaps.machine()
    with pytest.raises(RankwiseError) as error:
        view(measurement, None, "min", 65)
    golden.says(error.value, "65 .. --size .. 64 .. 1048576")
    with pytest.raises(RankwiseError, match=r"bandwidth of 64 B .* choose from min, median, p95"):
        view(measurement, None, "bandwidth", 64)
    nothing = from_matrices(heatmaps.HOSTS, {64: np.full((8, 8), np.nan)})
    with pytest.raises(RankwiseError, match="no measured pair"):
        view(nothing, None, "min", 64)
