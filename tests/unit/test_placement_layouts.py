"""Graphs of known structure from a shuffled start, and any graph on any machine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from test_placement_engine import regular
from test_placement_networks import bound_together, grid

from exhaustive import few
from rankwise.analysis.messages.traffic import Traffic
from rankwise.placement.engine import place, weigh
from rankwise.placement.networks import Dragonfly, Torus
from rankwise.placement.priced_slots import PricedSlots

Numbers = NDArray[np.int64]


def shuffled(pairs: Numbers, ranks: int, seed: int) -> Traffic:
    """Edges of 100 bytes, shape (2, E), under other names of the ranks."""
    names = np.random.default_rng(seed).permutation(ranks)
    return Traffic(ranks, names[pairs[0]], names[pairs[1]], np.full(pairs.shape[1], 100.0))


def natural_cost(pairs: Numbers, ranks: int, places: PricedSlots) -> float:
    """What the same edges cost in their own order."""
    given = Traffic(ranks, pairs[0], pairs[1], np.full(pairs.shape[1], 100.0))
    return weigh(given, places, np.arange(ranks))[0]


def band(ranks: int, width: int) -> Numbers:
    return np.hstack([[np.arange(ranks - step), np.arange(step, ranks)] for step in range(1, width + 1)])


def transposes(rows: int, columns: int) -> Numbers:
    """Everybody with everybody, in each row and each column."""
    numbers = np.arange(rows * columns).reshape(rows, columns)
    parts = []
    for lines in (numbers, numbers.T):
        first, other = np.triu_indices(lines.shape[1], 1)
        parts.append(np.stack([lines[:, first].ravel(), lines[:, other].ravel()]))
    return np.hstack(parts)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ring", [False, True])
@pytest.mark.parametrize("shape", [(7, 9, 11), (5, 7, 9), (13, 6), (4, 4, 8), (3, 5, 2, 7), (12, 12)])
def test_a_halo_is_folded_out_exactly(shape: tuple[int, ...], ring: bool, seed: int) -> None:
    """One hop for each pair of neighbours, also where sides are odd, whatever the order of the ranks was."""
    traffic = grid(*shape, seed=seed, ring=ring)
    placement = place(traffic, bound_together(Torus(shape), 1, traffic.ranks), seed=seed)
    assert placement.cost == float(np.sum(np.asarray(traffic.bytes)))


@pytest.mark.parametrize(("shape", "nodes"), [((14, 9, 10), (7, 9, 5)), ((15, 21), (5, 7))])
def test_boxes_of_a_halo_fill_the_nodes_of_a_torus(shape: tuple[int, ...], nodes: tuple[int, ...]) -> None:
    ranks, count = int(np.prod(shape)), int(np.prod(nodes))
    placement = place(grid(*shape, seed=1), bound_together(Torus(nodes), ranks // count, count))
    faces = [(there - 1) * ranks // side for side, there in zip(shape, nodes, strict=True)]
    assert placement.cost == 1000.0 * sum(faces)


def test_a_halo_with_light_messages_between_all_is_folded_out() -> None:
    """What a few collectives send does not hide the axes."""
    halo = grid(5, 7, 9, seed=2)
    random = np.random.default_rng(3)
    source, other = random.integers(0, 315, (2, 600))
    traffic = Traffic(
        315,
        np.concatenate([halo.source, source]),
        np.concatenate([halo.destination, other]),
        np.concatenate([halo.bytes, np.ones(600)]),
    )
    places = bound_together(Torus([5, 7, 9]), 1, 315)
    least = float(np.sum(np.asarray(halo.bytes)))
    assert least <= place(traffic, places).cost <= least + 600 * 9


@pytest.mark.parametrize(("rows", "columns"), [(16, 16), (24, 12)])
def test_transposes_on_a_torus_cost_no_more_than_in_their_own_order(rows: int, columns: int) -> None:
    pairs, ranks = transposes(rows, columns), rows * columns
    places = bound_together(Torus([4, 8, ranks // 32]), 1, ranks)
    assert place(shuffled(pairs, ranks, 4), places).cost <= natural_cost(pairs, ranks, places)


@pytest.mark.parametrize("width", [3, 8, 20])
def test_a_band_is_laid_along_the_machine(width: int) -> None:
    """No order of a band is better than its own, if all nodes are full."""
    pairs, places = band(960, width), regular(5, 8, 2, 12)
    assert place(shuffled(pairs, 960, 5), places).cost <= natural_cost(pairs, 960, places)


def test_many_transposes_cost_no_more_than_in_their_own_order() -> None:
    """Rows of 64 fill the nodes; nothing tells that rows are rows, and columns columns."""
    pairs, places = transposes(66, 64), regular(66, 64)
    assert place(shuffled(pairs, 66 * 64, 6), places).cost <= natural_cost(pairs, 66 * 64, places)


@pytest.mark.parametrize("effort", [0, 1, 2])
@pytest.mark.parametrize("seed", few(range(12), 2))
def test_nothing_ends_above_the_natural_order_or_the_start(seed: int, effort: int) -> None:
    """Any graph, on trees, tori and dragonflies, from any start; and the same again."""
    random = np.random.default_rng([seed, effort])
    machines = [
        regular(*random.integers(1, 6, int(random.integers(1, 4))).tolist(), 4),
        bound_together(Torus(shape := random.integers(1, 6, 3).tolist()), 2, int(np.prod(shape))),
        bound_together(Dragonfly(5, 3, 2), 1, 30),
    ]
    for places in machines:
        slots = len(np.asarray(places.objects))
        ranks = int(random.integers(1, slots + 1))
        kinds = (
            [random.integers(0, ranks, (2, 4 * ranks)), band(ranks, min(ranks - 1, 2))] if ranks > 1 else []
        )
        for pairs in kinds:
            traffic = shuffled(pairs, ranks, seed)
            start = random.permutation(slots)[:ranks]
            placement = place(traffic, places, present=start, effort=effort, seed=seed)
            assert len(set(placement.slot.tolist())) == ranks
            assert placement.cost == pytest.approx(weigh(traffic, places, placement.slot)[0])
            assert placement.present is not None
            assert placement.cost <= min(placement.natural, placement.present)
            again = place(traffic, places, present=start, effort=effort, seed=seed, threads=3)
            assert again.slot.tolist() == placement.slot.tolist()


def test_a_listener_hears_how_far_it_is() -> None:
    """Fractions rise from nothing to all; the placement is the same."""
    traffic, places = grid(24, 24, 24, seed=7), regular(36, 16, 2, 12)
    random = np.random.default_rng(8)
    bent = Traffic(
        traffic.ranks,
        np.concatenate([traffic.source, random.integers(0, traffic.ranks, 60_000)]),
        np.concatenate([traffic.destination, random.integers(0, traffic.ranks, 60_000)]),
        np.concatenate([traffic.bytes, np.full(60_000, 900.0)]),
    )
    heard: list[float] = []
    placement = place(bent, places, threads=1, listener=heard.append)
    assert heard == sorted(heard)
    assert 0 <= heard[0] < heard[-1] <= 1
    assert placement.slot.tolist() == place(bent, places, threads=1).slot.tolist()
