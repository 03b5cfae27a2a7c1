"""The levels of a machine, and what is slow there, in measurements that were made on a virtual cluster.

Two nodes on each of two switches: node0 and node1, node2 and node3. With `slow-link`, node3 was joined at a
tenth of the others' rate; with `slow-node`, node1 answered 1 ms later, each way.
"""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from exhaustive import few
from rankwise.latency.formats import own
from rankwise.latency.measurement import Measurement
from rankwise.render.terminal.latency.summary import print_summary
from rankwise.topology.hierarchy.find import find_hierarchy
from rankwise.topology.hierarchy.slow_nodes import SLOW_LINK_OF_NODE
from rankwise.topology.machine.slots import numbered

DIRECTORY = Path(__file__).with_name("measurements")
SLOW = {"slow-link": ("node3", "bandwidth"), "slow-node": ("node1", "latency")}


def read(name: str) -> Measurement:
    return own.read(DIRECTORY / f"{name}.json")


@pytest.mark.parametrize("seed", few([0, 1], 1))
@pytest.mark.parametrize("name", sorted(file.stem for file in DIRECTORY.glob("*.json")))
def test_each_rank_is_put_in_its_place(name: str, seed: int) -> None:
    measured = read(name)
    nodes = [int(host.removeprefix("node")) for host in measured.host_names()]
    hierarchy = find_hierarchy(measured, seed=seed)
    assert [(level.name, level.groups.tolist()) for level in hierarchy.levels] == [
        ("node", numbered(nodes).tolist()),
        ("switch", numbered([node // 2 for node in nodes]).tolist()),
        ("machine", [0] * len(nodes)),
    ]


@pytest.mark.parametrize("library", ["mpich", "openmpi"])
@pytest.mark.parametrize("fault", sorted(SLOW))
def test_what_is_slow_is_named(library: str, fault: str) -> None:
    hierarchy = find_hierarchy(read(f"{library}-{fault}"))
    where, what = SLOW[fault]
    assert {outlier.kind for outlier in hierarchy.outliers if outlier.kind != "slow pair"} == {
        SLOW_LINK_OF_NODE
    }
    assert {outlier.where for outlier in hierarchy.outliers if outlier.kind != "slow pair"} == {where}
    assert what in {outlier.what for outlier in hierarchy.outliers if outlier.where == where}


@pytest.mark.parametrize("library", ["mpich", "openmpi"])
@pytest.mark.parametrize("placement", ["block", "round-robin", "shuffled", "unequal"])
def test_nothing_is_blamed_without_a_fault(library: str, placement: str) -> None:
    assert find_hierarchy(read(f"{library}-{placement}")).outliers == ()


@pytest.mark.parametrize(("crowded", "levels"), [(True, 3), (False, 4)])
def test_ranks_that_take_turns_on_processors_are_not_told_apart(crowded: bool, levels: int) -> None:
    """Halves of each node are planted: real on a node of its own processors, the scheduler's doing else."""
    measured = read("openmpi-16")
    pairs = measured.pairs
    on_node, in_half = pairs.first // 4 == pairs.second // 4, pairs.first // 2 == pairs.second // 2
    cost = np.where(in_half, 1.0, 5.0)[:, None]
    times = {name: np.where(on_node[:, None], cost, values) for name, values in pairs.times.items()}
    bandwidths = {
        name: np.where(on_node[:, None], 1e4 / cost, values) for name, values in pairs.bandwidths.items()
    }
    planted = replace(
        measured,
        pairs=replace(pairs, times=times, bandwidths=bandwidths),
        about={**measured.about, "oversubscribed": crowded},
    )
    assert len(find_hierarchy(planted).levels) == levels


@pytest.mark.parametrize("name", sorted(file.stem for file in DIRECTORY.glob("*.json")))
def test_the_summary_fits_into_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = StringIO()
    print_summary(DIRECTORY / f"{name}.json", shown)
    lines = shown.getvalue().splitlines()
    assert len(lines) > 5
    assert [line for line in lines if len(line) > 80] == []
