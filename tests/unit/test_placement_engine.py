"""The placement engine: always a placement, never dearer, the same again; and hostile input."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from exhaustive import few
from golden import Golden
from rankwise.analysis.messages.traffic import Traffic
from rankwise.errors import RankwiseError
from rankwise.placement.engine import place
from rankwise.placement.priced_slots import PricedSlots

Numbers = NDArray[np.int64]


def regular(*arities: int, per_byte: Sequence[float] | None = None) -> PricedSlots:
    """A tree with so many parts at each level, from the outermost; the last ones are slots."""
    slots = np.arange(int(np.prod(arities)))
    below = np.cumprod((1, *arities[:0:-1]))[::-1]
    objects = np.stack([slots // size for size in below], axis=1)
    return PricedSlots(objects, per_byte or [float(2**level) for level in range(len(arities), -1, -1)])


def uneven(sizes: Sequence[int]) -> PricedSlots:
    """Nodes of so many slots each."""
    return PricedSlots(np.repeat(np.arange(len(sizes)), sizes)[:, None], [10.0, 1.0])


def halo(*shape: int, seed: int | None = None) -> Traffic:
    """Neighbours in a grid send each other 1,000 bytes; with a seed, the ranks are shuffled."""
    grid = np.arange(int(np.prod(shape)))
    if seed is not None:
        np.random.default_rng(seed).shuffle(grid)
    grid = grid.reshape(shape)
    pairs = [
        (np.take(grid, range(size - 1), axis).ravel(), np.take(grid, range(1, size), axis).ravel())
        for axis, size in enumerate(shape)
    ]
    first, second = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    return Traffic(grid.size, first, second, np.full(len(first), 1000.0))


def cost(traffic: Traffic, places: PricedSlots, slot: NDArray[np.int32]) -> float:
    """By definition, one entry after the other."""
    objects = np.asarray(places.objects)
    total = 0.0
    entries = zip(
        np.asarray(traffic.source).tolist(),
        np.asarray(traffic.destination).tolist(),
        np.asarray(traffic.bytes).tolist(),
        np.zeros(np.size(traffic.source)) if traffic.messages is None else np.asarray(traffic.messages),
        strict=True,
    )
    per_byte = np.asarray(places.per_byte)
    per_message = np.zeros(len(per_byte)) if places.per_message is None else np.asarray(places.per_message)
    for rank, other, size, count in entries:
        if rank == other:
            continue
        same = objects[slot[rank]] == objects[slot[other]]
        common = len(same) if same.all() else int(np.argmin(same))
        total += size * per_byte[common] + count * per_message[common]
    return total


def random_traffic(random: np.random.Generator, ranks: int) -> Traffic:
    entries = int(random.integers(0, 6 * ranks))
    return Traffic(
        ranks,
        random.integers(0, ranks, entries),
        random.integers(0, ranks, entries),
        random.exponential(1e6, entries) * (random.random(entries) < 0.8),
        random.integers(0, 50, entries) if random.random() < 0.5 else None,
    )


def random_places(random: np.random.Generator, ranks: int) -> PricedSlots:
    """A tree of three levels with unequal parts, in any order, with room to spare."""
    nodes = np.repeat(np.arange(ranks), random.integers(1, 7, ranks))[
        : ranks + int(random.integers(0, ranks))
    ]
    nodes = np.concatenate([nodes, np.full(max(0, ranks - len(nodes)), ranks)])
    objects = np.stack([nodes // 4, nodes, np.arange(len(nodes)) // 2], axis=1)
    prices = np.sort(random.integers(0, 20, 4))[::-1].astype(float)
    per_message = np.sort(random.random(4))[::-1] if random.random() < 0.5 else None
    return PricedSlots(random.permutation(objects), prices, per_message)


def unequal_tree(random: np.random.Generator, ranks: int) -> PricedSlots:
    """Some levels, each object with parts of its own number, until there are slots enough; any prices."""
    depth = int(random.integers(1, 6))
    paths: list[list[int]] = []
    while len(paths) < ranks:
        parents = [[len({path[0] for path in paths})]]
        for _ in range(depth - 1):
            parents = [[*parent, part] for parent in parents for part in range(random.integers(1, 4))]
        paths += [parent for parent in parents for _ in range(random.integers(1, 8))]
    return PricedSlots(random.permutation(paths), random.integers(0, 9, depth + 1).astype(float))


@pytest.mark.parametrize("seed", few(range(40), 10))
def test_any_tree_is_filled_within_its_capacity(seed: int) -> None:
    """Also where prices fall and rise again, and the same with any number of threads."""
    random = np.random.default_rng([seed, 1])
    ranks = int(random.integers(1, 120))
    traffic, places = random_traffic(random, ranks), unequal_tree(random, ranks)
    placement = place(traffic, places, threads=1, seed=seed)
    assert len(set(placement.slot.tolist())) == ranks
    assert set(placement.slot.tolist()) <= set(range(len(np.asarray(places.objects))))
    assert placement.cost == pytest.approx(cost(traffic, places, placement.slot))
    assert placement.cost <= placement.natural
    assert place(traffic, places, threads=3, seed=seed).slot.tolist() == placement.slot.tolist()


def test_hubs_and_many_ranks_on_unequal_nodes() -> None:
    """3,000 ranks, of which few have very many partners: coarsening, threads and all levels are in use."""
    random = np.random.default_rng(8)
    ranks, entries = 3000, 12000
    hubs = (random.random(entries) ** 4 * ranks).astype(int)
    traffic = Traffic(ranks, hubs, random.integers(0, ranks, entries), random.integers(1, 1000, entries))
    nodes = random.integers(1, 40, 200).tolist()
    placement = place(traffic, uneven(nodes), threads=1)
    assert len(set(placement.slot.tolist())) == ranks
    assert placement.cost == pytest.approx(cost(traffic, uneven(nodes), placement.slot))
    assert placement.cost < 0.95 * placement.natural
    assert place(traffic, uneven(nodes), threads=4).slot.tolist() == placement.slot.tolist()


@pytest.mark.parametrize("seed", few(range(60), 8))
def test_a_placement_is_one_and_never_dearer(seed: int) -> None:
    random = np.random.default_rng(seed)
    ranks = int(random.integers(1, 80))
    traffic, places = random_traffic(random, ranks), random_places(random, ranks)
    slots = len(np.asarray(places.objects))
    present = random.permutation(slots)[:ranks]
    effort = int(random.integers(1, 4))
    placement = place(traffic, places, present=present, effort=effort, seed=seed)
    assert len(set(placement.slot.tolist())) == ranks
    assert set(placement.slot.tolist()) <= set(range(slots))
    assert placement.cost == pytest.approx(cost(traffic, places, placement.slot))
    assert placement.natural == pytest.approx(cost(traffic, places, np.arange(ranks, dtype=np.int32)))
    assert placement.present == pytest.approx(cost(traffic, places, present.astype(np.int32)))
    assert placement.cost <= min(placement.natural, placement.present)


@pytest.mark.parametrize("threads", [2, 5])
def test_equal_input_gives_an_equal_result_with_any_number_of_threads(threads: int) -> None:
    traffic, places = halo(16, 16, 8, seed=3), regular(8, 16, 2, 8)
    once = place(traffic, places, threads=1, seed=5)
    again = place(traffic, places, threads=threads, seed=5)
    assert once.slot.tolist() == again.slot.tolist()
    assert once.cost == again.cost


def test_cliques_come_together() -> None:
    """Eight groups of six that talk among themselves, on nodes of six: nothing needs to leave a node."""
    members = np.random.default_rng(1).permutation(48).reshape(8, 6)
    pairs = [(a, b) for group in members.tolist() for a in group for b in group if a < b]
    first, second = zip(*pairs, strict=True)
    placement = place(Traffic(48, first, second, np.ones(len(pairs))), regular(8, 6, per_byte=[10, 1, 1]))
    assert placement.cost == len(pairs)
    assert {frozenset((placement.slot[group] // 6).tolist()) for group in members} == {
        frozenset([node]) for node in range(8)
    }


def test_each_level_is_used() -> None:
    """A ring of 16 on 2 switches x 2 nodes x 4 slots: one edge of each cut is the least there can be."""
    ring = np.random.default_rng(2).permutation(16)
    placement = place(
        Traffic(16, ring, np.roll(ring, 1), np.ones(16)), regular(2, 2, 4, per_byte=[100, 10, 1, 1])
    )
    assert placement.cost == 2 * 100 + 2 * 10 + 12


@pytest.mark.parametrize(("shape", "tree"), [((8, 8), (4, 16)), ((8, 8, 8), (8, 64)), ((16, 16), (4, 4, 16))])
def test_grids_are_cut_into_boxes(shape: tuple[int, ...], tree: tuple[int, ...]) -> None:
    """The perfect cut is known: squares or cubes. It must be reached within a few per cent."""
    prices = [1.0] + [0.0] * len(tree)  # what crosses the outermost level
    parts = tree[0]
    per_axis = round(parts ** (1 / len(shape)))
    perfect = 1000.0 * len(shape) * (per_axis - 1) * np.prod(shape) / shape[0]
    placement = place(halo(*shape, seed=4), regular(*tree, per_byte=prices), effort=2)
    assert perfect <= placement.cost <= 1.1 * perfect


def test_a_small_halo_costs_hardly_more_than_the_least_possible() -> None:
    """Boxes have the fewest faces: 24 cells have 52 or more, 16 have 40, 12 have 32, 4 have 16."""
    faces = 7 * 8 * 4 + 8 * 7 * 4 + 8 * 8 * 3
    surface = 2 * (8 * 8 + 8 * 4 + 8 * 4)
    between_nodes = (10 * 52 + 40 - surface) // 2  # 256 = 10 x 24 + 16
    between_packages = (21 * 32 + 16 - surface) // 2  # and 21 x 12 + 4
    least = 1000.0 * (faces + between_packages + 8 * between_nodes)
    places = regular(16, 2, 12, per_byte=[10.0, 2.0, 1.0, 1.0])
    costs = [place(halo(8, 8, 4, seed=seed), places).cost for seed in (1, 2, 3, 4)]
    assert min(costs) == least
    assert max(costs) <= 1.01 * least


def test_natural_order_stays_where_it_is_best() -> None:
    traffic, places = halo(64), regular(4, 4, 4)
    placement = place(traffic, places)
    assert placement.cost == placement.natural
    assert placement.slot.tolist() == list(range(64))


def test_ranks_fill_as_few_nodes_as_can_hold_them() -> None:
    placement = place(halo(9, seed=1), uneven([2, 4, 3, 6, 1]))
    assert set(np.repeat(np.arange(5), [2, 4, 3, 6, 1])[placement.slot].tolist()) == {1, 3}


def test_messages_count_where_they_have_a_price() -> None:
    """Two pairs send much in one message, two others little in many."""
    traffic = Traffic(4, [0, 0], [1, 2], [1e6, 1.0], [1, 1000])
    by_bytes = place(traffic, PricedSlots([[0], [0], [1], [1]], [2, 1]))
    by_messages = place(traffic, PricedSlots([[0], [0], [1], [1]], [0, 0], [2, 1]))
    node = np.array([0, 0, 1, 1])
    assert node[by_bytes.slot[0]] == node[by_bytes.slot[1]] != node[by_bytes.slot[2]]
    assert node[by_messages.slot[0]] == node[by_messages.slot[2]] != node[by_messages.slot[1]]


def test_levels_of_one_price_tell_nothing() -> None:
    traffic = halo(8, 8, seed=6)
    plain = place(traffic, regular(4, 16, per_byte=[5, 1, 1]))
    deeper = place(traffic, regular(4, 4, 4, per_byte=[5, 1, 1, 1]))
    assert plain.cost == deeper.cost


def test_one_rank_and_no_traffic() -> None:
    assert place(Traffic(1, [], [], []), regular(2, 2)).slot.tolist() == [0]
    placement = place(Traffic(3, [], [], []), regular(2, 2))
    assert (placement.slot.tolist(), placement.cost) == ([0, 1, 2], 0.0)
    alone = place(Traffic(2, [0, 1], [0, 1], [5.0, 7.0]), regular(2, 2))
    assert alone.cost == 0


def test_huge_numbers_of_bytes() -> None:
    traffic = Traffic(4, [0, 1], [2, 3], [2.0**63, 2.0**63])
    placement = place(traffic, regular(2, 2, per_byte=[2, 1, 1]))
    assert placement.cost == 2.0**64
    assert placement.natural == 2.0**65


@pytest.mark.parametrize("factor", [2.0**-30, 2.0**43])
def test_the_unit_of_bytes_does_not_matter(factor: float) -> None:
    """Up to 2^63 bytes: times a power of two, every sum is exactly that much larger."""
    random = np.random.default_rng(6)
    source, other, size = (
        random.integers(0, 300, 1500),
        random.integers(0, 300, 1500),
        random.integers(1, 2**20, 1500),
    )
    places = regular(4, 5, 16)
    plain = place(Traffic(300, source, other, size), places)
    scaled = place(Traffic(300, source, other, size * factor), places)
    assert scaled.slot.tolist() == plain.slot.tolist()
    assert scaled.cost == plain.cost * factor


def test_messages_of_no_bytes_cost_nothing() -> None:
    placement = place(
        Traffic(6, [0, 1, 2, 3], [5, 4, 3, 0], [0.0] * 4), regular(2, 4), present=[7, 6, 5, 4, 3, 2]
    )
    assert (placement.cost, placement.natural, placement.present) == (0, 0, 0)
    assert len(set(placement.slot.tolist())) == 6


def test_messages_to_oneself_count_nowhere() -> None:
    ring, places = halo(24, seed=1), regular(3, 2, 4)
    everybody = np.arange(24)
    talking = Traffic(
        24,
        np.concatenate((ring.source, everybody)),
        np.concatenate((ring.destination, everybody)),
        np.concatenate((ring.bytes, np.full(24, 1e12))),
    )
    assert place(talking, places).cost == place(ring, places).cost


def test_asymmetric_traffic_adds_up() -> None:
    there = Traffic(4, [0, 2, 0], [2, 0, 1], [10.0, 20.0, 29.0])
    back = Traffic(4, [2, 1], [0, 0], [30.0, 29.0])
    places = regular(2, 2, per_byte=[3, 1, 1])
    assert place(there, places).cost == place(back, places).cost == 30 + 3 * 29


@pytest.mark.parametrize(
    ("traffic", "places", "present", "words"),
    [
        (Traffic(5, [0], [1], [1.0]), regular(2, 2), None, ""),
        (Traffic(0, [], [], []), regular(2, 2), None, "out of range"),
        (Traffic(4, [0], [4], [1.0]), regular(2, 2), None, "out of range"),
        (Traffic(4, [-1], [1], [1.0]), regular(2, 2), None, "out of range"),
        (Traffic(4, [0], [1], [-1.0]), regular(2, 2), None, "negative"),
        (Traffic(4, [0], [1], [float("nan")]), regular(2, 2), None, "not finite"),
        (Traffic(4, [0], [1], [1.0], [float("inf")]), regular(2, 2), None, "not finite"),
        (Traffic(4, [0], [1, 2], [1.0]), regular(2, 2), None, "2 values where 1 belong"),
        (Traffic(4, [0], [1], [1.0]), regular(2, 2, per_byte=[1, -1, 1]), None, "negative"),
        (Traffic(2, [0], [1], [1.0]), regular(2, 2), [1, 1], "one twice"),
        (Traffic(2, [0], [1], [1.0]), regular(2, 2), [0, 4], "does not exist"),
        (Traffic(2, [0], [1], [1.0]), PricedSlots([0, 1], [1.0, 1.0]), None, ""),
        (Traffic(2, [0], [1], [1.0]), PricedSlots(np.zeros((0, 1)), [1.0, 1.0]), None, "no slots"),
    ],
)
def test_contradictions_are_refused(
    traffic: Traffic, places: PricedSlots, present: list[int] | None, words: str, golden: Golden
) -> None:
    with pytest.raises(RankwiseError) as refused:
        place(traffic, places, present=present)
    golden.says(str(refused.value), words)
    assert "\n" not in str(refused.value)


def test_more_effort_is_not_dearer_here() -> None:
    traffic, places = halo(16, 8, 8, seed=9), regular(8, 2, 8, 8)
    costs = [place(traffic, places, effort=effort).cost for effort in (1, 2, 3)]
    assert all(after <= before * 1.02 for before, after in pairwise(costs))
