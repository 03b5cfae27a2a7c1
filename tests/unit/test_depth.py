"""Partitions that make the tree deeper are levels; those that set single groups apart are not."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.topology.hierarchy.depth import indices_of_levels

NODES = [0, 0, 1, 1, 2, 2, 3, 3]
SWITCHES = [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("partitions", "levels"),
    [
        ([NODES, SWITCHES], [0, 1]),
        # The last node is slow, and so the last on its switch.
        ([NODES, [0, 0, 0, 0, 1, 1, 2, 2], SWITCHES], [0, 2]),
        # On some nodes, two ranks share a core.
        ([[0, 0, 1, 2, 3, 4, 5, 5], NODES, SWITCHES], [1, 2]),
        # A slow node among three on one of three switches.
        ([[0, 0, 1, 2, 2, 2, 3, 3, 3], [0, 0, 0, 1, 1, 1, 2, 2, 2]], [1]),
        # A switch has one node only.
        ([[0, 0, 1, 1, 2], [0, 0, 0, 0, 1]], [0, 1]),
        # Two packages in some nodes, one in the others.
        ([[0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7], [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]], [0, 1]),
        ([], []),
    ],
)
def test_levels(partitions: list[list[int]], levels: list[int]) -> None:
    assert indices_of_levels([np.array(groups) for groups in partitions]) == levels


def test_hosts_are_a_level_wherever_they_are() -> None:
    # Nothing is deeper than two: either the switch has one node, or its nodes have one rank.
    hosts, switches = np.array([0, 0, 1, 2]), np.array([0, 0, 1, 1])
    assert indices_of_levels([hosts, switches]) == [1]
    assert indices_of_levels([hosts, switches], known=[hosts]) == [0, 1]
