"""The placement engine on forwarding tables: as on the networks that they are of, and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tables_synthetic import dragonfly_table, torus_table

from golden import Golden
from rankwise.analysis.messages.traffic import Traffic
from rankwise.errors import RankwiseError
from rankwise.placement.engine import Link, place, weigh
from rankwise.placement.networks import Dragonfly, Network, Routes, Torus
from rankwise.placement.priced_slots import PricedSlots

# Two leaves, 0 and 1, and two spines, 2 and 3; two nodes at each leaf.
FABRIC = Routes(
    router=[0, 0, 1, 1],
    ends=[[0, 2], [0, 3], [1, 2], [3, 1]],
    next=[
        [[-1, -1, 0, 0], [2, 2, -1, -1], [0, 0, 2, 2], [-1, -1, -1, -1]],
        [[-1, -1, 1, 1], [3, 3, -1, -1], [-1, -1, -1, -1], [1, 1, 3, 3]],
    ],
    share=[0.75, 0.25],
)


def both(random: np.random.Generator) -> tuple[Network, Routes, float]:
    """A network, its tables, and what their hops are short of for each message between nodes."""
    if random.integers(0, 2):
        length = random.integers(1, 6, int(random.integers(1, 4))).tolist()
        router = random.integers(0, int(np.prod(length)), int(random.integers(1, 20))).tolist()
        ring = random.integers(0, 2, len(length)).astype(bool).tolist()
        torus = Torus(length, ring, router)
        return torus, torus_table(torus, router), 0.0
    groups, routers, nodes = random.integers(1, 6, 3).tolist()
    router = random.integers(0, groups * routers, int(random.integers(1, 20))).tolist()
    dragonfly = Dragonfly(groups, routers, nodes, router)
    return dragonfly, dragonfly_table(dragonfly, router), 1.0


def random_traffic(random: np.random.Generator, ranks: int) -> Traffic:
    source, destination = random.integers(0, ranks, (2, int(random.integers(1, 3 * ranks + 1))))
    return Traffic(
        ranks, source, destination, random.exponential(1e3, len(source)), random.integers(0, 9, len(source))
    )


def twice(
    random: np.random.Generator,
) -> tuple[PricedSlots, PricedSlots, int]:
    """The same machine with a computed and with a tabulated network, and the number of its slots."""
    network, table, short = both(random)
    per_byte, per_message = random.exponential(1, 2).tolist()
    network = replace(network, per_byte=per_byte, per_message=per_message)  # type: ignore[type-var]
    table = replace(table, per_byte=per_byte, per_message=per_message)
    node = np.repeat(np.arange(table.count), 2)
    objects = np.stack([node, np.arange(len(node))], axis=1)
    byte, message = [3.0, 1.0, 0.0], [5.0, 1.0, 0.0]
    computed = PricedSlots(objects, byte, message, network=network)
    added = np.array([short, 0, 0])
    return (
        computed,
        PricedSlots(objects, byte + per_byte * added, message + per_message * added, network=table),
        len(node),
    )


@pytest.mark.parametrize("seed", range(80))
def test_tables_are_as_the_network_that_they_are_of(seed: int) -> None:
    """The same costs, and the same load on the most loaded link, of any placement."""
    random = np.random.default_rng([seed, 1])
    computed, tabulated, slots = twice(random)
    for _ in range(5):
        traffic = random_traffic(random, slots)
        slot = random.permutation(slots)
        cost, link = weigh(traffic, computed, slot)
        other_cost, other_link = weigh(traffic, tabulated, slot)
        assert other_cost == pytest.approx(cost)
        load, other_load = (0.0 if worst is None else worst.load for worst in (link, other_link))
        assert other_load == pytest.approx(load, abs=1e-6)
        if link is not None and other_link is not None and link.load > 0:
            assert link.routers is not None
            assert other_link.routers is not None
            assert other_link.level is None


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("bottleneck", [False, True])
def test_what_is_found_on_tables_is_worth_it(seed: int, bottleneck: bool) -> None:
    """Never dearer than before, by the computed network too."""
    random = np.random.default_rng([seed, 2])
    computed, tabulated, slots = twice(random)
    traffic, present = random_traffic(random, slots), random.permutation(slots)
    placement = place(traffic, tabulated, present=present, bottleneck=bottleneck, seed=seed)
    assert placement.present is not None
    assert placement.cost <= min(placement.natural, placement.present) * (1 + 1e-9)

    def cost(slot: NDArray[np.int32]) -> float:
        total, link = weigh(traffic, computed, slot)
        return (link.load if link else 0.0) if bottleneck else total

    assert placement.cost == pytest.approx(cost(placement.slot), abs=1e-6)
    assert placement.natural == pytest.approx(cost(np.arange(slots, dtype=np.int32)), abs=1e-6)
    assert placement.present == pytest.approx(cost(present.astype(np.int32)), abs=1e-6)


def test_a_halo_finds_its_torus_in_tables() -> None:
    """No axes are known: its neighbours are found by the costs alone, nearly as well."""
    torus = Torus([4, 4])
    ranks = np.random.default_rng(1).permutation(16).reshape(4, 4)
    there = [np.roll(ranks, -1, axis) for axis in (0, 1)]
    traffic = Traffic(16, np.tile(ranks.ravel(), 2), np.hstack([grid.ravel() for grid in there]), np.ones(32))
    places = PricedSlots(np.arange(16)[:, None], [0.0, 0.0], network=torus_table(torus, range(16)))
    assert place(traffic, places, effort=2).cost == 32


def test_shares_of_several_tables() -> None:
    """8 bytes from node 0 to node 2: three quarters by router 2, the others by router 3."""
    places = PricedSlots(np.arange(4)[:, None], [0.0, 0.0], network=FABRIC)
    traffic = Traffic(2, [0], [1], [8.0])
    cost, link = weigh(traffic, places, [0, 2])
    assert cost == 16  # two links
    assert link is not None
    assert (link.load, link.routers) in ((6.0, (0, 2)), (6.0, (2, 1)))
    slow = replace(FABRIC, per_link_byte=[1.0, 4.0, 1.0, 0.5])
    cost, link = weigh(traffic, replace(places, network=slow), [0, 2])
    assert (cost, link) == (16, Link(8.0, routers=(0, 3)))
    assert weigh(traffic, replace(places, network=FABRIC), [2, 3])[0] == 0  # at one router
    even = replace(FABRIC, share=None)
    busiest = weigh(traffic, replace(places, network=even), [0, 2])[1]
    assert busiest is not None
    assert busiest.load == 4


def test_there_and_back_may_differ() -> None:
    """One link there, and two links back by router 2: 1.5 hops; the bytes are on the links that they take."""
    ring = Routes([0, 1], [[0, 1], [1, 2], [2, 0]], [[[-1, 0], [1, -1], [2, -1]]])
    places = PricedSlots(np.arange(2)[:, None], [0.0, 0.0], network=ring)
    assert weigh(Traffic(2, [0], [1], [10.0]), places, [0, 1]) == (15, Link(10.0, routers=(0, 1)))
    cost, link = weigh(Traffic(2, [1, 0], [0, 1], [10.0, 4.0]), places, [0, 1])
    assert cost == 21
    assert link in (Link(10.0, routers=(1, 2)), Link(10.0, routers=(2, 0)))


def test_both_directions_of_a_link_are_never_added() -> None:
    ends, table = [[0, 1]], [[[-1, 0], [0, -1]]]
    places = PricedSlots(np.arange(2)[:, None], [0.0, 0.0], network=Routes([0, 1], ends, table))
    traffic = Traffic(2, [0, 1, 1], [1, 0, 0], [7.0, 5.0, 1.0])
    assert weigh(traffic, places, [0, 1])[1] == Link(7.0, routers=(0, 1))
    assert weigh(traffic, places, [1, 0])[1] == Link(7.0, routers=(1, 0))


@pytest.mark.parametrize(
    "wrong",
    [
        {"router": [0, 0, 1, 4]},
        {"router": [0, 0, 1, -1]},
        {"ends": [[0, 2], [0, 3], [1, 2], [3, 3]]},
        {"ends": [[0, 2], [0, 3], [1, 2], [3, 4]]},
        {"share": [0.75, 0.75]},
        {"share": [1.5, -0.5]},
        {"share": [float("nan"), 1.0]},
        {"per_link_byte": [1.0, 1.0, 1.0, -1.0]},
        {"per_byte": -1.0},
        {"next": [[[-1, -1, 2, 0], [2, 2, -1, -1], [0, 0, 2, 2], [-1] * 4]], "share": None},  # not its link
        {"next": [[[-1, -1, 4, 0], [2, 2, -1, -1], [0, 0, 2, 2], [-1] * 4]], "share": None},  # no such link
        {"next": [[[-1, -1, -1, 0], [2, 2, -1, -1], [0, 0, 2, 2], [-1] * 4]], "share": None},  # leads nowhere
        {"next": [[[-1, -1, 0, 0], [2, 2, -1, -1], [0, 0, 0, 2], [-1] * 4]], "share": None},  # goes back
    ],
)
def test_impossible_tables_are_refused(wrong: dict[str, object], golden: Golden) -> None:
    network = replace(FABRIC, **wrong)  # type: ignore[arg-type]
    with pytest.raises(RankwiseError) as refused:
        place(Traffic(2, [0], [1], [1.0]), PricedSlots(np.arange(4)[:, None], [1.0, 0.0], network=network))
    golden.says(refused.value)
    assert "\n" not in str(refused.value)


def test_tables_of_a_wrong_size_are_refused(golden: Golden) -> None:
    for wrong in ([[0, 1]], [[[0, 1]] * 4]):
        with pytest.raises(RankwiseError) as error:
            place(
                Traffic(2, [0], [1], [1.0]),
                PricedSlots(np.arange(4)[:, None], [1.0, 0.0], network=replace(FABRIC, next=wrong)),
            )
        golden.says(error.value)
