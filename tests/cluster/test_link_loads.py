"""The load that `rankwise links` predicts for each link of a fat tree, against the bytes that it carried.

The switches forward by the tables that the file of the fabric has. The headers of TCP and below are taken
off, and so are the bytes of a job that exchanges nothing. What may differ: the headers that the MPI library
puts before its messages, the barriers, and segments that TCP sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
from fabric_file import write_fabric
from launching import across_nodes
from libraries import Mpi, first_of_each
from neighbour import stream
from nodes import Cluster
from traffic.counters import Carried, Link, carried_by, repeated
from traffic.exchanges import Exchanges, exchanges, route

TOLERANCE = 0.03
NEARLY = 0.93  # of the largest load; the next smaller one is 6/7 of it, or less
REPETITIONS = 3
SIZES = {
    "shift=1": 1_000_000,
    "shift=2": 1_000_000,
    "shuffle": 1_000_000,
    "all-to-all": 200_000,
    "incast": 200_000,
}

LIBRARIES = list(first_of_each(across_nodes(), lambda mpi: mpi.family))


@pytest.fixture(scope="module")
def on_tree(tree: Cluster) -> Callable[[Mpi], Exchanges]:
    """Exchanges of one rank on each node, with an MPI."""
    return cache(lambda mpi: exchanges(mpi, tree, tree.names))


def different(carried: Carried, predicted: Mapping[Link, float], again: int) -> dict[Link, tuple[int, float]]:
    """The links that did not carry the predicted bytes, apart from segments that TCP sent again."""
    slack = TOLERANCE * max(predicted.values())
    both = {link: (size, predicted.get(link, 0.0)) for link, size in carried.items()}
    return {
        link: (size, expected)
        for link, (size, expected) in both.items()
        if not expected - slack <= size <= expected + slack + again
    }


def most_loaded(loads: Mapping[Link, float]) -> set[Link]:
    return {link for link, load in loads.items() if load >= NEARLY * max(loads.values())}


@pytest.mark.parametrize("pattern", SIZES)
@pytest.mark.parametrize("mpi", LIBRARIES, ids=lambda mpi: mpi.name)
def test_each_link_carries_what_is_predicted(
    mpi: Mpi, on_tree: Callable[[Mpi], Exchanges], pattern: str
) -> None:
    done = on_tree(mpi).run(pattern, SIZES[pattern], REPETITIONS)
    assert different(done.carried, done.predicted.bytes, done.repeated) == {}
    assert done.predicted.hottest in most_loaded(done.predicted.bytes)
    if done.repeated == 0:
        assert most_loaded(done.carried) == most_loaded(done.predicted.bytes)


def test_tables_make_a_link_hot(on_tree: Callable[[Mpi], Exchanges]) -> None:
    """A shift loads all links between switches in the same way, the shuffle some of them twice as much."""
    run = on_tree(LIBRARIES[0]).run
    even, uneven = (run(pattern, SIZES[pattern], REPETITIONS) for pattern in ("shift=2", "shuffle"))
    assert uneven.predicted.hottest in {("leaf1", "spine0"), ("leaf2", "spine1")}
    loads = [each.carried[uneven.predicted.hottest] for each in (even, uneven)]
    assert loads[1] - 2 * loads[0] == pytest.approx(0, abs=TOLERANCE * loads[1] + uneven.repeated)


def test_a_degraded_cable_is_the_limit_and_named(tree: Cluster, on_tree: Callable[[Mpi], Exchanges]) -> None:
    assert tree.links
    with tree.links.slow_uplink(1, 0, "25mbit") as cables:
        done = on_tree(LIBRARIES[0]).run("shift=2", SIZES["shift=2"], REPETITIONS, cables)
    assert set(done.predicted.hottest) == {"leaf1", "spine0"}
    [warning] = done.predicted.warnings
    assert "leaf1 [3] - spine0 [2]" in warning
    # Routes do not depend on rates: it carries what its parallels carry.
    assert different(done.carried, done.predicted.bytes, done.repeated) == {}


def test_a_neighbour_is_seen_on_its_route(tree: Cluster, tmp_path: Path) -> None:
    """The links on the route of the neighbour's stream carry its bytes in addition, the others nothing."""
    assert tree.links
    fabric = tmp_path / "fabric.json"
    write_fabric(fabric, tree.links.cables, tree.links.tables)
    job = exchanges(LIBRARIES[0], tree, [tree.names[0], tree.names[4]])
    before, again = carried_by(tree), repeated(tree)
    with stream(tree, 1, 6) as neighbour:
        done = job.run("shift=1", 2_000_000, REPETITIONS)
    after, again = carried_by(tree), repeated(tree) - again
    taken = route(fabric, tree.names[1], tree.names[6])
    assert {link for link in taken if link in done.predicted.bytes} == {("leaf0", "spine0")}
    expected = {
        link: done.predicted.bytes.get(link, 0.0) + neighbour.bytes * (link in taken) for link in after
    }
    carried = {link: size - before[link] - job.idle[link] for link, size in after.items()}
    assert neighbour.bytes > 0
    assert different(carried, expected, again) == {}
